"""What docker-compose.yml would run, run without an engine: each service's command and health check as they stand
there, in the order of depends_on, with the names of hosts and the paths of the images replaced by those of this
machine. Takes the program's path; PENSTOCK_KAFKA_LIBS names the jars of Kafka."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import compose_file as compose

PROGRAM = os.path.abspath(sys.argv.pop(1))
PATIENCE_SECONDS = 120


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Stage:
    """The services' processes, and what stands in for the containers' names and files."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.services = compose.services()
        self.processes = {}
        internal, controller, host, handler = free_ports(4)
        self.replaced = [
            ("://:9092", f"://127.0.0.1:{internal}"), ("://:9093", f"://127.0.0.1:{controller}"),
            ("://:19092", f"://127.0.0.1:{host}"), ("kafka:9092", f"127.0.0.1:{internal}"),
            ("kafka:9093", f"127.0.0.1:{controller}"), ("127.0.0.1:9092", f"127.0.0.1:{host}"),
            ("0.0.0.0:3000", f"127.0.0.1:{handler}"), ("handler:3000", f"127.0.0.1:{handler}"),
            ("127.0.0.1', 3000", f"127.0.0.1', {handler}"),
            ("/opt/penstock/examples", str(compose.ROOT / "examples" / "python")),
            ("/var/lib/kafka/data", str(self.folder / "kafka-data"))]

    def here(self, text, http=None):
        for what, by in self.replaced + ([("127.0.0.1:8080", http)] if http else []):
            text = text.replace(what, by)
        return text

    def command(self, words, http=None):
        program = {"penstock": PROGRAM, "python3": "/usr/bin/python3",
                   "/opt/kafka/bin/kafka-broker-api-versions.sh": None}.get(words[0], words[0])
        java = ["java", "-cp", f"{os.environ['PENSTOCK_KAFKA_LIBS']}/*", "org.apache.kafka.tools.BrokerApiVersionsCommand"]
        return [*([program] if program else java), *(self.here(word, http) for word in words[1:])]

    def config(self, name, http):
        """The config that is mounted into a service, with a state directory of the service's own."""
        text = (compose.ROOT / "deploy" / "compose" / "penstock.json").read_text(encoding="utf-8")
        path = self.folder / f"{name}.json"
        path.write_text(self.here(text, http).replace("/var/lib/penstock", str(self.folder / name)), encoding="utf-8")
        return path

    def environment(self, name, http):
        given = {key: str(value) for key, value in self.services[name].get("environment", {}).items()}
        if "PENSTOCK_CONFIG" in given:
            given["PENSTOCK_CONFIG"] = str(self.config(name, http))
        return os.environ | given

    def output(self, name):
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def start(self, name, command, environment=None):
        with open(self.folder / f"{name}.log", "wb") as log:
            self.processes[name] = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL,
                                                    stdout=log, stderr=log, env=environment, cwd=self.folder)

    def run(self, name):
        """A service that ends."""
        done = subprocess.run(self.command(self.services[name]["command"]), env=self.environment(name, None),
                              capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        return done.stdout

    def serve(self, name, http=None):
        (self.folder / name).mkdir()
        self.start(name, self.command(self.services[name]["command"], http), self.environment(name, http))
        return self

    def healthy(self, name, http=None):
        """Waits until the service's own check passes."""
        check = self.command(self.services[name]["healthcheck"]["test"][1:], http)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while subprocess.run(check, capture_output=True, timeout=60, check=False).returncode != 0:
            assert self.processes[name].poll() is None, f"{name} has ended: {self.output(name)}"
            assert time.monotonic() < deadline, f"{name} is not healthy: {self.output(name)}"

    def serve_kafka(self):
        environment = self.services["kafka"]["environment"]
        properties = self.folder / "server.properties"
        properties.write_text("".join(f"{name}={self.here(value)}\n" for name, value in
                                      compose.broker_properties(environment).items()), encoding="utf-8")
        java = ["java", "-Xmx512m", "-cp", f"{os.environ['PENSTOCK_KAFKA_LIBS']}/*"]
        subprocess.run([*java, "kafka.tools.StorageTool", "format", "-t", environment["CLUSTER_ID"], "-c", properties],
                       capture_output=True, timeout=PATIENCE_SECONDS, check=True)
        self.start("kafka", [*java, "kafka.Kafka", str(properties)])

    def end(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()


class Compose(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="penstock-compose-")
        self.addCleanup(folder.cleanup)
        self.stage = Stage(folder.name)
        self.addCleanup(self.stage.end)

    def listed(self, http):
        done = subprocess.run([PROGRAM, "--json", "jobs", "list", "--queue", "mail", "--limit", "1000", "--http", http], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def await_done(self, count, workers):
        """Waits until as many jobs have succeeded. A partition that moves between the two questions is in both answers,
        so jobs are counted by their identity."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            jobs = [job for http in workers for job in self.listed(http)]
            done = {(job["account"], job["id"]) for job in jobs if job["state"] == "succeeded"}
            if len(done) >= count:
                return done
            others = [job for job in jobs if job["state"] != "succeeded"]
            self.assertLess(time.monotonic(), deadline, f"{len(done)} of {count} are done; others: {others[:3]}; {self.logs()}")

    def logs(self):
        return "\n".join(f"== {name}\n{self.stage.output(name)}" for name in ("worker-1", "worker-2"))

    def test_its_services_run_every_job_of_the_producer_once(self):
        stage = self.stage
        stage.serve_kafka()
        stage.healthy("kafka")
        stage.run("topics")
        stage.serve("handler").healthy("handler")
        workers = {name: f"127.0.0.1:{port}" for name, port in zip(("worker-1", "worker-2"), free_ports(2))}
        for name, http in workers.items():
            stage.serve(name, http)
        for name, http in workers.items():
            stage.healthy(name, http)
        self.assertIn("200 jobs acknowledged", stage.run("producer"))
        done = self.await_done(200, workers.values())
        self.assertEqual(len(done), 200)
        self.assertEqual(stage.output("handler").count("done "), 200)
        for name in workers:
            stage.processes[name].terminate()
        for name in workers:
            self.assertEqual(stage.processes[name].wait(PATIENCE_SECONDS), 0, stage.output(name))


if __name__ == "__main__":
    sys.exit(unittest.main())
