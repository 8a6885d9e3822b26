"""The only broker is killed under load, is away when a worker starts, and goes away while jobs run."""

import time

import stage_path  # noqa: F401, before what lies there
from harness import assert_done, until
from local_kafka import local_kafka
from scenarios import main

JOBS, ACCOUNTS = 4_000, 100  # of one kill
SOON_SECONDS = 15


def load(stage, first=0, seconds=0.01):
    return stage.enqueue([(f"account-{number % ACCOUNTS}", f"job-{number}", {"args": {"seconds": seconds}})
                          for number in range(first, first + JOBS)])


def finished(stage, workers, sent):
    until("every job has ended", lambda: stage.trace.ends() >= len(sent), within=150)
    assert [worker.stop() for worker in workers] == [0] * len(workers)
    assert_done(stage, sent)
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


if __name__ == "__main__":
    main([
        a_broker_killed_and_started_again_under_load_loses_nothing,
        a_worker_without_broker_keeps_trying_and_begins_when_there_is_one,
        a_worker_without_broker_is_stopped_soon,
        while_the_broker_is_away_what_runs_finishes_and_nothing_is_lost,
    ], at_once=2, own_kafka=True)
