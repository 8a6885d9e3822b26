"""Jobs that arrive at a steady rate while workers come and go, and for how long they stood still meanwhile."""

import collections
import json
import threading
import time

import confluent_kafka
from harness import Job

BATCH_SECONDS = 0.02
Sent = collections.namedtuple("Sent", "job at")
Gap = collections.namedtuple("Gap", "begin end")


class SteadyJobs:
    """Sends them from a thread of its own until it is stopped."""

    def __init__(self, stage, rate, accounts, args_of):
        self.stage, self.rate, self.accounts, self.args_of = stage, rate, accounts, args_of
        self.sent, self.errors, self.count = [], [], 0
        self.stopped = threading.Event()
        self.producer = confluent_kafka.Producer(stage.client(partitioner="murmur2_random", acks="all", linger_ms=2,
                                                              enable_idempotence=True))
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.began = time.monotonic()

    def start(self):
        self.thread.start()
        return self

    def run(self):
        while not self.stopped.wait(BATCH_SECONDS):
            while self.count < (time.monotonic() - self.began) * self.rate:
                self.send(f"account-{self.count % self.accounts}", f"job-{self.count}", self.args_of(self.count))
                self.count += 1
            self.producer.poll(0)

    def send(self, account, job, args):
        at = time.monotonic()

        def delivered(error, message):
            if error:
                self.errors.append(str(error))
            else:
                self.sent.append(Sent(Job(account, job, message.partition(), message.offset()), at))
        value = json.dumps({"type": "job", "id": job, "args": args})
        self.producer.produce(self.stage.topic, value, account, on_delivery=delivered)

    def waiting(self):
        """How many have been sent and not ended yet."""
        return self.count - self.stage.trace.ends()

    def stop(self):
        """And returns what was sent, in the order of the topic."""
        self.stopped.set()
        self.thread.join()
        assert self.producer.flush(60) == 0 and not self.errors, self.errors[:3]
        self.sent.sort(key=lambda sent: (sent.job.partition, sent.job.offset))
        return [sent.job for sent in self.sent]

    def standstills(self):
        """The gaps between starts of each account while it had a job that waited; after stop()."""
        started = {}
        for attempt in self.stage.trace.read().attempts.values():
            key = attempt.account, attempt.id
            started[key] = min(attempt.started, started.get(key, attempt.started))
        gaps, before = collections.defaultdict(list), {}
        for job, at in self.sent:
            start = started[job.account, job.id]
            begin = max(at, before.get(job.account, at))
            gaps[job.account].append(Gap(begin, max(begin, start)))
            before[job.account] = max(start, begin)
        return gaps

    def partition_standstills(self, at_least):
        """The times in which no job of a partition started though one waited, by partition."""
        first, accounts = {}, {sent.job.account: sent.job.partition for sent in self.sent}
        for attempt in self.stage.trace.read().attempts.values():
            key = attempt.account, attempt.id
            first[key] = min(attempt.started, first.get(key, attempt.started))
        starts, arrivals = collections.defaultdict(list), collections.defaultdict(list)
        for (account, _), at in first.items():
            starts[accounts[account]].append(at)
        for sent in self.sent:
            arrivals[sent.job.partition].append(sent.at)
        return {partition: [gap for gap in gaps_of(sorted(times), sorted(arrivals[partition])) if gap.end - gap.begin >= at_least]
                for partition, times in starts.items()}


def gaps_of(starts, arrivals):
    """From a start, or the arrival of the job that is next, to the next start."""
    before = 0.0
    for start, arrival in zip(starts, arrivals):
        begin = max(before, arrival)
        if start > begin:
            yield Gap(begin, start)
        before = start
