"""A Kafka of the test's own, whose nodes it may kill, freeze and roll: deploy/local-kafka on free ports."""

import contextlib
import subprocess
import tempfile
from pathlib import Path

COMMAND = Path(__file__).parents[3] / "deploy" / "local-kafka"


class LocalKafka:
    def __init__(self, folder, nodes, properties):
        self.folder = folder
        settings = [argument for name, value in properties.items() for argument in ("--set", f"{name.replace('_', '.')}={value}")]
        self.address = self.run("start", "--nodes", str(nodes), "--port", "0", *settings).splitlines()[-1]

    def run(self, *arguments):
        done = subprocess.run([COMMAND, *arguments, "--dir", self.folder], capture_output=True, text=True, timeout=240,
                              check=False)
        assert done.returncode == 0, f"local-kafka {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def tool(self, name, *arguments):
        """One of Kafka's own, by its class."""
        command = ["java", "-cp", self.run("classpath").strip(), f"org.apache.kafka.tools.{name}"]
        done = subprocess.run([*command, "--bootstrap-server", self.address, *arguments], capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"

    def kill(self, node=1):
        self.run("kill", str(node))

    def pause(self, node):
        self.run("pause", str(node))

    def resume(self, node):
        self.run("resume", str(node))

    def stop_node(self, node):
        self.run("stop-node", str(node))

    def start_node(self, node=1):
        self.run("start-node", str(node))


@contextlib.contextmanager
def local_kafka(nodes=1, **properties):
    with tempfile.TemporaryDirectory(prefix="penstock-kafka-") as folder:
        try:
            yield LocalKafka(folder, nodes, properties)
        finally:
            subprocess.run([COMMAND, "stop", "--dir", folder], capture_output=True, timeout=120, check=False)
