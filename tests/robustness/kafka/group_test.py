"""Workers that crash, go, come and are upgraded under load: every job ends once, in order, and nothing overlaps.

    python3 group_test.py PROGRAM [SCENARIO...] [--rate JOBS_PER_SECOND] [--picture FILE]

Each scenario prints for how long accounts stood still. With --picture, the last one also draws it, by partition.
PENSTOCK_BEFORE names an earlier program, with which the worker to be upgraded begins; without it, that is the same one.
"""

import argparse
import os
import signal
import statistics
import sys
import time
from pathlib import Path

import stage_path  # noqa: F401, before what lies there
from harness import assert_done, until
from kills import BACK_SECONDS, Kills
from scenarios import main
from standstill_picture import picture
from steady_jobs import SteadyJobs

ACCOUNTS_PER_PARTITION, CHILDREN = 20, 4
LONG_PER_SECOND, LONG_SECONDS = 3, 0.25  # so that a kill finds attempts under way
SHOWN_SECONDS = 0.2  # shorter gaps are not drawn
SCALED_TO = 6
OPTIONS = argparse.Namespace(rate=300, picture=None)


class Group:
    """Workers of one queue under a steady load, and what happened to them when."""

    def __init__(self, stage, partitions):
        self.stage = stage
        stage.partitions = partitions
        self.config = stage.config(events="terminal", types={"job": {"handler": stage.tracing(CHILDREN)}})
        stage.make_topics(self.config)
        self.kills, self.workers, self.events = Kills(stage.trace), [], []
        long_every = OPTIONS.rate // LONG_PER_SECOND | 1  # odd, so that many accounts have such jobs
        self.jobs = SteadyJobs(stage, OPTIONS.rate, partitions * ACCOUNTS_PER_PARTITION,
                               lambda number: {"seconds": LONG_SECONDS} if number % long_every == 0 else {})

    def note(self, words):
        self.events.append((time.monotonic(), words))

    def add(self, name, *options):
        worker = self.stage.worker(name, "--concurrency", str(CHILDREN), *options, config=self.config)
        self.workers.append(worker.start())
        return worker

    def begin(self):
        self.settle()
        self.jobs.began = time.monotonic()
        self.jobs.start()
        self.go_on()

    def go_on(self, seconds=2.0):
        later = time.monotonic() + seconds
        until("some time has passed", lambda: time.monotonic() >= later)

    def settle(self):
        until("every partition runs", lambda: self.stage.all_run(self.workers), within=90)
        until("what waited has run", lambda: self.jobs.waiting() <= OPTIONS.rate, within=120)

    def crash(self, worker):
        self.kills.crash(worker)

    def remove(self, worker):
        self.workers.remove(worker)

    def check(self):
        sent = self.jobs.stop()
        until("every job has ended", lambda: self.stage.trace.ends() >= len(sent), within=180)
        assert [worker.stop() for worker in self.workers] == [0] * len(self.workers)
        assert_done(self.stage, sent, unordered=self.kills.of_two_deaths())
        self.assert_only_kills_repeat()
        events = self.stage.events()
        assert events == {("succeeded", job.account, job.id): 1 for job in sent}, [
            entry for entry in events.items() if entry[0][0] != "succeeded" or entry[1] != 1][:5]
        assert self.stage.records(".dead") == []
        self.report(len(sent))

    def assert_only_kills_repeat(self):
        killed = {pid for kill in self.kills.kills for pid in kill.children}
        for attempts in self.stage.trace.by_account().values():
            last = {attempt.id: attempt for attempt in attempts}
            repeated = [attempt for attempt in attempts if last[attempt.id] is not attempt and attempt.pid not in killed]
            assert not repeated, f"repeated though their workers were not killed: {repeated[:3]}"

    def event_of(self, gap):
        """The number of the event that made it: the first within it, or else the last before it."""
        within = [number for number, (at, _) in enumerate(self.events) if gap.begin <= at < gap.end]
        return within[0] if within else sum(at <= gap.begin for at, _ in self.events) - 1

    def report(self, count):
        longest = sorted(max(gap.end - gap.begin for gap in gaps) for gaps in self.jobs.standstills().values())
        print(f"{self.stage.name}: {count} jobs at {OPTIONS.rate}/s; an account stood still for at most {longest[-1]:.2f} s, "
              f"half of them for less than {statistics.median(longest):.2f} s; {self.stage.trace.reruns()} attempts were "
              "repeated", flush=True)
        gaps = self.jobs.partition_standstills(SHOWN_SECONDS)
        for number, (_, words) in enumerate(self.events):
            lasted = [gap.end - gap.begin for of in gaps.values() for gap in of if self.event_of(gap) == number]
            print(f"  {words}: {len(lasted)} gaps of partitions, the longest {max(lasted, default=0):.2f} s", flush=True)
        if OPTIONS.picture:
            began, ended = self.jobs.began, max(sent.at for sent in self.jobs.sent) + 1
            title = (f"{OPTIONS.rate:,} jobs/s, {self.stage.partitions} partitions: "
                     f"when a partition started no job for {SHOWN_SECONDS} s or more")
            Path(OPTIONS.picture).write_text(picture(title, gaps, self.events, began, ended))


def crashes_a_join_and_an_upgrade_lose_and_repeat_nothing(stage):
    group = Group(stage, 12)
    first = group.add("first", "--instance", "first")
    second, third = group.add("second"), group.add("third")
    now = stage.program
    third.command = lambda config: [os.environ.get("PENSTOCK_BEFORE", now), "--config", config, "work"]
    group.begin()

    group.note("crash in place")
    group.crash(first)
    first.start()
    group.settle()
    group.kills.look([first])
    crash, = group.kills.kills
    back = until("it has started a job again", lambda: group.kills.seconds_until_back(crash))
    assert back < BACK_SECONDS, f"in place, it took {back:.1f} s until a job started again"
    print(f"in place, a job started again after {back:.2f} s", flush=True)

    group.note("crash for good")
    group.crash(second)
    group.remove(second)
    group.settle()
    group.go_on()

    group.note("a worker joins")
    group.add("fourth").ready()
    group.settle()
    group.go_on()

    group.note("upgrade")
    assert third.stop() == 0
    third.command = lambda config: [now, "--config", config, "work"]
    third.start().ready()
    group.settle()
    group.go_on()
    group.check()


def scale(stage, named):
    group = Group(stage, 24)
    name = lambda number: ("--instance", f"worker-{number}") if named else ()
    group.add("worker-1", *name(1))
    group.begin()
    for number in range(2, SCALED_TO + 1):
        group.note(f"{number} workers")
        group.add(f"worker-{number}", *name(number)).ready()
        group.settle()
        group.go_on(1.0)
    leaving = group.workers[1:]
    # Without a name a worker leaves its group as it stops. With one, the group waits for it for a session.
    for at_once in ([leaving] if named else [[worker] for worker in reversed(leaving)]):
        left = len(group.workers) - len(at_once)
        group.note(f"{left} worker{'s' * (left > 1)}")
        for worker in at_once:
            worker.signal(signal.SIGTERM)
            group.remove(worker)
        assert all(worker.wait() == 0 for worker in at_once)
        group.settle()
        group.go_on(1.0)
    group.check()


def scaling_without_names_loses_and_repeats_nothing(stage):
    scale(stage, named=False)


def scaling_with_names_loses_and_repeats_nothing(stage):
    scale(stage, named=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=int, default=OPTIONS.rate)
    parser.add_argument("--picture")
    OPTIONS, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    main([
        crashes_a_join_and_an_upgrade_lose_and_repeat_nothing,
        scaling_without_names_loses_and_repeats_nothing,
        scaling_with_names_loses_and_repeats_nothing,
    ])
