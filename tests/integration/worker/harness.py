"""What every test of the worker stands on: a queue of its own on a real Kafka, and workers by their pids."""

import collections
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import re
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

import confluent_kafka
from confluent_kafka.admin import AdminClient
from trace import Trace, check_trace

HANDLER = Path(__file__).with_name("trace_handler.py")
POLL_SECONDS = 0.05
Job = collections.namedtuple("Job", "account id partition offset")
Record = collections.namedtuple("Record", "key value headers partition offset timestamp")


def until(what, condition, within=60.0):
    """Polls until the condition gives something, and returns it."""
    deadline = time.monotonic() + within
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() >= deadline:
            raise AssertionError(f"not within {within:.0f} s: {what}")
        time.sleep(POLL_SECONDS)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(") ", 1)[1][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children_of(pid):
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # so has a thread
                found += map(int, (task / "children").read_text().split())
    return found


class Worker:
    """One `penstock work`, with a state directory that outlives its processes."""

    def __init__(self, stage, name, options, config):
        self.stage, self.name, self.options, self.config = stage, name, options, config
        self.home = stage.folder / name
        self.home.mkdir()
        self.log = self.home / "log"
        self.process = None

    def start(self, *options, file_bytes=None):
        """`file_bytes`: no file may grow beyond, which comes to a disk that is full."""
        path = self.home / "penstock.json"
        path.write_text(json.dumps({**self.config, "state_dir": str(self.home / "state")}))
        # A worker does not outlive the test, however that ends.
        limit = ["prlimit", f"--fsize={file_bytes}"] if file_bytes else []
        command = ["setpriv", "--pdeathsig", "KILL", *limit, *self.command(path), *self.options, *options]
        self.since = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def command(self, config):
        return [self.stage.program, "--config", config, "work"]

    def text(self):
        """What this process, the latest, has said."""
        return self.log.read_bytes()[self.since:].decode(errors="replace")

    def says(self, text, within=60.0):
        def said():
            assert text in self.text() or self.runs(), f"{self.name} ended without saying {text!r}:\n{self.text()}"
            return text in self.text()
        until(f"{self.name} says {text!r}", said, within)
        return self

    def ready(self, within=60.0):
        return self.says("ready", within)

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        assert self.runs(), f"{self.name} has ended:\n{self.text()}"
        self.process.send_signal(number)
        return self

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def wait(self, within=60.0):
        return self.process.wait(within)

    def stop(self, within=60.0):
        """Ends it as an operator does; its exit status."""
        return self.signal(signal.SIGTERM).wait(within)

    def http(self, path):
        """The status and the body of a GET."""
        self.says("HTTP at ")
        url = re.search(r"HTTP at (\S+)", self.text())[1]
        try:
            with urllib.request.urlopen(url + path, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def queue(self):
        """What it says of the stage's queue."""
        return json.loads(self.http(f"/v1/queues/{self.stage.queue}")[1])

    def counted(self, outcome):
        """How many jobs have ended so, by its metrics."""
        status, body = self.http("/metrics")
        assert status == 200, body
        return sum(int(float(count)) for count in re.findall(rf'penstock_jobs_total{{[^}}]*outcome="{outcome}"}} (\S+)', body))

    def children(self):
        """The processes below it: those that handle jobs, and those that start and guard them."""
        found, parents = [], [self.process.pid]
        while parents:
            children = children_of(parents.pop())
            found += children
            parents += children
        return found


class Stage:
    """A queue of its own with its topics, and what a test does with it."""

    def __init__(self, name, program, kafka):
        self.name, self.program, self.kafka = name, program, kafka
        self.folder = Path(tempfile.mkdtemp(prefix=f"penstock-{name}-"))
        self.prefix, self.queue = f"test-{uuid.uuid4().hex[:10]}", "q"
        self.topic = f"{self.prefix}.{self.queue}"
        self.trace = Trace(self.folder / "trace")
        self.workers = []
        self.partitions = 4

    # -- The queue

    def config(self, **queue):
        types = queue.pop("types", {})
        for policy in types.values() if types else [types.setdefault("job", {})]:
            policy.setdefault("handler", self.tracing())
        return {
            "kafka": {"bootstrap.servers": self.kafka},
            "prefix": self.prefix,
            "http": {"listen": "127.0.0.1:0"},
            "queues": {self.queue: {"partitions": self.partitions, "types": types, **queue}},
        }

    def tracing(self, children=4):
        return {"exec": ["/usr/bin/python3", "-E", "-S", str(HANDLER), str(self.trace.folder)], "children": children}

    def penstock(self, *arguments, config=None, within=60):
        path = self.folder / "command.json"
        path.write_text(json.dumps(config or self.config()))
        return subprocess.run([self.program, "--config", path, *arguments], capture_output=True, text=True,
                              timeout=within, check=False)

    def make_topics(self, config=None):
        made = self.penstock("topics", "create", config=config)
        assert made.returncode == 0, made.stderr
        return self

    def worker(self, name, *options, config=None):
        self.workers.append(Worker(self, name, options, config or self.config()))
        return self.workers[-1]

    def handlers_up(self, count):
        """Waits until so many processes of handlers have started: each opens its file of the trace before all else."""
        until(f"{count} handlers are up", lambda: len(list(self.trace.folder.iterdir())) >= count)

    def gate(self, name="gate"):
        """A file that an attempt waits for which has it as "waits_for" in its arguments, until the test touches it."""
        return self.folder / name

    def all_run(self, workers):
        """Whether every partition runs, and each worker has some."""
        running = [worker.queue()["phases"]["running"] for worker in workers]
        return sum(running) == self.partitions and all(running)

    # -- Records

    def client(self, **properties):
        return {"bootstrap.servers": self.kafka, **{name.replace("_", "."): value for name, value in properties.items()}}

    def producer(self):
        """A producer that is not ours. The first record of every third one takes a second, however fast Kafka is."""
        return confluent_kafka.Producer(self.client(partitioner="murmur2_random", acks="all", linger_ms=5,
                                                    enable_idempotence=True, message_max_bytes=2 << 20))

    def produce(self, records, producer=None):
        """Records as (key, value[, options]); returns (partition, offset) of each once Kafka has acknowledged all. By a
        producer of its own, or by the given one."""
        producer = self.producer() if producer is None else producer  # an idle one is false
        places, errors = [None] * len(records), []

        def delivered(number):
            def note(error, message):
                if error:
                    errors.append(str(error))
                else:
                    places[number] = (message.partition(), message.offset())
            return note

        for number, (key, value, *options) in enumerate(records):
            while True:
                try:
                    producer.produce(self.topic, value, key, on_delivery=delivered(number), **(options or [{}])[0])
                    break
                except BufferError:
                    producer.poll(0.1)
            producer.poll(0)
        assert producer.flush(60) == 0 and not errors, errors[:3]
        return places

    def enqueue(self, jobs, producer=None):
        """Jobs as (account, id[, members])."""
        values = [(account, json.dumps({"type": "job", "id": job, **(members[0] if members else {})}))
                  for account, job, *members in jobs]
        places = self.produce(values, producer)
        return [Job(account, job, *place) for (account, job, *_), place in zip(jobs, places)]

    def records(self, suffix=""):
        """Everything in the queue's topic, or in that of a suffix such as ".dead"."""
        return self.records_of(self.topic + suffix, self.partitions)

    def records_of(self, topic, partitions):
        """Everything in a topic."""
        return list(self.each_record(topic, partitions))

    def each_record(self, topic, partitions, within=60):
        """The same, one by one: for more than fits into memory."""
        consumer = confluent_kafka.Consumer(self.client(group_id=f"{self.prefix}-reader", enable_auto_commit=False))
        try:
            ends, places = {}, []
            for partition in range(partitions):
                low, high = self.bounds(consumer, topic, partition)
                if high > low:
                    ends[partition] = high
                    places.append(confluent_kafka.TopicPartition(topic, partition, low))
            consumer.assign(places)
            deadline = time.monotonic() + within
            while ends:
                assert time.monotonic() < deadline, f"{topic} cannot be read to its end"
                for message in consumer.consume(10000, timeout=0.2):
                    assert not message.error(), message.error()
                    yield Record(message.key(), message.value(), message.headers() or [], message.partition(),
                                 message.offset(), message.timestamp()[1])
                    if message.offset() + 1 >= ends.get(message.partition(), 0):
                        ends.pop(message.partition(), None)
        finally:
            consumer.close()

    @staticmethod
    def bounds(consumer, topic, partition):
        def asked():
            try:
                return consumer.get_watermark_offsets(confluent_kafka.TopicPartition(topic, partition), timeout=10)
            except confluent_kafka.KafkaException:  # a broker that has just come back may not lead yet
                return None
        return until(f"the offsets of {topic}/{partition}", asked)

    def told(self):
        """The events, as they were told; one that a crash or another owner repeated is there once."""
        return list(self.each_told())

    def each_told(self, within=60):
        """The same, one by one."""
        seen = set()
        for record in self.each_record(f"{self.topic}.events", self.partitions, within):
            message = (dict(record.headers).get("penstock-message"), record.partition)
            if message not in seen:
                seen.add(message)
                yield json.loads(record.value)

    def events(self):
        """The events as (event, account, id), counted."""
        return collections.Counter((event["event"], event["account"], event["id"]) for event in self.told())

    # -- The end

    def close(self):
        for worker in self.workers:
            if worker.runs():
                worker.process.kill()
                worker.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def delete_topics(self):
        admin = AdminClient(self.client())
        names = [name for name in admin.list_topics(timeout=30).topics if name.startswith(self.prefix + ".")]
        for deleted in admin.delete_topics(names).values() if names else []:
            deleted.result(30)

    def logs(self):
        return "\n".join(f"--- {worker.name}\n{worker.log.read_text(errors='replace')[-4000:]}" for worker in self.workers
                         if worker.log.exists())


def replay(stage, config, *arguments, expect=0, within=120):
    """`penstock replay`, and the last object that it prints."""
    done = stage.penstock("--json", "replay", *arguments, config=config, within=within)
    assert done.returncode == expect, (done.returncode, done.stdout, done.stderr)
    lines = [line for line in done.stdout.splitlines() if line]
    return json.loads(lines[-1]) if lines else done.stderr


def assert_done(stage, sent, ordered=True, unordered=()):
    """The whole trace against the promises."""
    problems = check_trace(stage.trace, sent, ordered, unordered)
    assert not problems, "\n".join(problems)


def kafka():
    address = os.environ.get("PENSTOCK_KAFKA")
    assert address, "PENSTOCK_KAFKA names no Kafka; run the tests by `make test` or `deploy/with-kafka ctest ...`"
    return address
