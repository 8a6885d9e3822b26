"""The only broker is killed under load, is away when a worker starts, goes away while jobs run, and stays away."""

import json
import time

import stage_path  # noqa: F401, before what lies there
from harness import assert_done, until
from local_kafka import local_kafka
from scenarios import main

JOBS, ACCOUNTS = 4_000, 100  # of one kill
SOON_SECONDS = 15
# After the last commit that Kafka has acknowledged (docs/operations.md, "No broker later"); a partition that runs makes
# one every 3 s at least.
ASKED_SECONDS, LEASE_SECONDS = 9, 15
AWAY_SECONDS, LATE_SECONDS = 20, 1


def load(stage, first=0, seconds=0.01):
    return stage.enqueue([(f"account-{number % ACCOUNTS}", f"job-{number}", {"args": {"seconds": seconds}})
                          for number in range(first, first + JOBS)])


def finished(stage, workers, sent, unordered=()):
    until("every job has ended", lambda: stage.trace.ends() >= len(sent), within=150)
    assert [worker.stop() for worker in workers] == [0] * len(workers)
    assert_done(stage, sent, unordered=unordered)
    assert stage.records(".dead") == []


def a_broker_killed_and_started_again_under_load_loses_nothing(stage):
    with local_kafka() as kafka:
        stage.kafka = kafka.address
        stage.make_topics()
        workers = [stage.worker(name).start() for name in ("first", "second")]
        sent = []
        for _ in range(2):
            # A load of its own for each: while a broker starts, the last one's jobs may all end.
            sent += load(stage, first=len(sent))
            until("the jobs go on", lambda: stage.trace.ends() > len(sent) - JOBS * 9 // 10, within=120)
            assert stage.trace.ends() < len(sent), "there is load at the kill"
            kafka.kill()
            kafka.start_node()
        finished(stage, workers, sent)


def assert_ready(worker):
    until("/readyz says so", lambda: worker.http("/readyz")[0] == 200)
    assert worker.http("/healthz")[0] == 200


def a_worker_without_broker_is_stopped_soon(stage):
    stage.kafka = "127.0.0.1:1"  # a port that refuses
    worker = stage.worker("patient").start().says("keeps trying")
    asked = time.monotonic()
    assert worker.stop() == 0
    assert time.monotonic() - asked < SOON_SECONDS


def a_worker_without_broker_keeps_trying_and_begins_when_there_is_one(stage):
    with local_kafka() as kafka:
        stage.kafka = kafka.address
        stage.make_topics()
        sent = load(stage, seconds=0)
        kafka.kill()
        began = time.monotonic()
        worker = stage.worker("patient").start().says("keeps trying")
        assert time.monotonic() - began < SOON_SECONDS, "it says soon that no broker answers"
        assert worker.runs() and " ready" not in worker.text()
        assert worker.http("/healthz")[0] == 200
        status, why = worker.http("/readyz")
        assert status == 503 and kafka.address in why, why
        kafka.start_node()
        worker.ready()
        assert_ready(worker)
        finished(stage, [worker], sent)


def while_the_broker_is_away_what_runs_finishes_and_nothing_is_lost(stage):
    with local_kafka() as kafka:
        stage.kafka = kafka.address
        stage.make_topics()
        sent = stage.enqueue([(f"account-{number}", f"job-{number}", {"args": {"seconds": 2}}) for number in range(8)])
        worker = stage.worker("only").start().ready()
        assert_ready(worker)
        running = until("every child has an attempt", lambda: len(stage.trace.running()) >= 4 and stage.trace.running())
        kafka.kill()
        until("what ran has ended", lambda: all(attempt.ended for attempt in stage.trace.read() and running), within=10)
        worker.says("broker")
        assert worker.runs()
        assert worker.http("/healthz")[0] == 200
        status, why = worker.http("/readyz")
        assert status == 503 and "broker" in why, why
        kafka.start_node()
        assert_ready(worker)
        finished(stage, [worker], sent)


def jobs_of_an_outage(long_while):
    """Jobs of 30 s that heed nothing, one that asks at each checkpoint whether to stop, and lines of short ones."""
    def job(account, number, **args):
        return account, f"{account}/{number}", {"args": {"long_while": str(long_while), **args}}
    lines = [job(f"line-{line}", number, seconds=2) for number in range(12) for line in range(4)]
    return [*(job(f"deaf-{number}", 0, seconds=30) for number in range(4)), job("heeds", 0, seconds=30, saves_every=1), *lines]


def check_what_ran(stage, gone, away):
    """What `gone` and `away` enclose is the moment at which the broker died."""
    attempts = stage.trace.read().attempts.values()
    of = {account: [a for a in attempts if a.account.startswith(account)] for account in ("deaf", "heeds", "line")}
    over = away + LEASE_SECONDS + LATE_SECONDS
    assert not [a for a in attempts if a.last_seen > over], "something ran without a lease"
    assert len(of["deaf"]) == 4 and all(a.last_seen > gone + ASKED_SECONDS and not a.ended for a in of["deaf"]), of["deaf"]
    heeds = min(of["heeds"], key=lambda attempt: attempt.started)  # it may begin again while the lease lasts
    assert gone + ASKED_SECONDS - 2 <= heeds.last_seen <= away + ASKED_SECONDS + 1 + LATE_SECONDS, (gone, away, heeds)
    assert not heeds.ended
    assert len([a for a in of["line"] if a.ended and a.last_seen > away]) >= 4, "what runs finishes"


def check_what_was_recorded(stage, sent, away, back):
    """Each job once, and never by an attempt that ended while there was no broker."""
    assert stage.events() == {("succeeded", job.account, job.id): 1 for job in sent}
    for record in stage.records(".events"):
        event = json.loads(record.value)
        attempt = stage.trace.attempts[event["account"], event["token"]]
        assert attempt.last_seen <= away or attempt.started >= back, f"{event}: {attempt}, no broker from {away} to {back}"


def a_broker_that_is_away_for_longer_than_the_lease_ends_what_runs_and_records_nothing_of_it(stage):
    with local_kafka() as kafka:
        stage.kafka = kafka.address
        config = stage.config(events="terminal", types={"job": {"handler": stage.tracing(children=10), "timeout": "60s"}})
        stage.make_topics(config)
        worker = stage.worker("only", config=config).start().ready()
        long_while = stage.folder / "long"
        long_while.touch()
        sent = stage.enqueue(jobs_of_an_outage(long_while))
        until("all accounts have an attempt", lambda: len(stage.trace.running()) == 9)
        until("some have been recorded", lambda: sum(stage.events().values()) >= 4)
        gone = time.monotonic()
        kafka.kill()
        away = time.monotonic()
        until("it has been away for so long", lambda: time.monotonic() > away + AWAY_SECONDS)
        for partition in range(stage.partitions):
            given_up = worker.text().count(f"q/{partition}: given up")
            assert 1 <= given_up <= 2, worker.text()  # what it had, and that it cannot have it back; not each try
        check_what_ran(stage, gone, away)
        long_while.unlink()
        back = time.monotonic()
        kafka.start_node()
        assert_ready(worker)
        until("every end is told", lambda: len(stage.events()) >= len(sent), within=120)
        finished(stage, [worker], sent, unordered={"heeds"})  # which begins again, and again, while the lease lasts
        check_what_was_recorded(stage, sent, away, back)


if __name__ == "__main__":
    main([
        a_broker_killed_and_started_again_under_load_loses_nothing,
        a_broker_that_is_away_for_longer_than_the_lease_ends_what_runs_and_records_nothing_of_it,
        a_worker_without_broker_keeps_trying_and_begins_when_there_is_one,
        a_worker_without_broker_is_stopped_soon,
        while_the_broker_is_away_what_runs_finishes_and_nothing_is_lost,
    ], at_once=2, own_kafka=True)
