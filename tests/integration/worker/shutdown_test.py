"""What SIGTERM does: what runs is finished, nothing new starts, and the exit status tells (docs/operations.md)."""

import signal
import time

from harness import alive, assert_done, until
from scenarios import main


def long_jobs(count, **args):
    return [(f"account-{number}", f"job-{number}", {"args": args}) for number in range(count)]


def started_with(stage, jobs, *options):
    """A worker in the middle of its first attempts, and what was sent."""
    stage.make_topics()
    sent = stage.enqueue(jobs)
    worker = stage.worker("first", *options).start().ready()
    until("every child has an attempt", lambda: len(stage.trace.running()) >= 4)
    return worker, sent


def finish_with_another(stage, sent, within=90):
    worker = stage.worker("second").start()
    until("every job has ended", lambda: stage.trace.ends() >= len(sent), within)
    assert worker.stop() == 0
    assert_done(stage, sent)


def one_signal_finishes_what_runs_and_starts_nothing_new(stage):
    worker, sent = started_with(stage, long_jobs(40, seconds=1.0))
    asked = time.monotonic()
    assert worker.stop() == 0
    assert stage.trace.running() == []
    assert not [attempt for attempt in stage.trace.attempts.values() if attempt.started > asked + 0.2]
    assert stage.trace.ends() < len(sent)
    started = time.monotonic()
    finish_with_another(stage, sent)
    assert stage.trace.reruns() == 0
    first = min(attempt.started for attempt in stage.trace.attempts.values() if attempt.started > started)
    assert first - started < 12, "a clean hand-over leaves nothing to wait for"


def a_second_signal_leaves_at_once(stage):
    worker, _ = started_with(stage, long_jobs(8, seconds=20.0))
    children = worker.children()

    def signal_until_ended():
        # Signals that are pending at the same time are one.
        return not worker.runs() or not worker.signal(signal.SIGTERM)

    until("it leaves", signal_until_ended, within=5)
    assert worker.wait() == 1
    until("the children are gone", lambda: not any(map(alive, children)), within=5)
    assert stage.trace.ends() == 0


def attempts_that_outlast_the_grace_are_cut_off_and_run_again(stage):
    gate = stage.gate()
    worker, sent = started_with(stage, long_jobs(6, waits_for=str(gate)), "--grace", "500ms")
    children = worker.children()
    asked = time.monotonic()
    assert worker.stop() == 1
    assert time.monotonic() - asked < 15, "it is not the grace of 25 s that it waits for"
    gate.touch()
    until("the children are gone", lambda: not any(map(alive, children)), within=5)
    finish_with_another(stage, sent)
    assert stage.trace.reruns() > 0


def an_interrupt_finishes_what_runs_too(stage):
    worker, sent = started_with(stage, long_jobs(4, seconds=4.0))
    worker.signal(signal.SIGINT)
    assert worker.wait(30) == 0
    assert stage.trace.ends() == len(sent)


def a_terminal_that_closes_lets_what_runs_finish(stage):
    worker, sent = started_with(stage, long_jobs(4, seconds=4.0))
    for _ in range(3):
        worker.signal(signal.SIGHUP)
    assert worker.wait(30) == 0
    assert stage.trace.ends() == len(sent)


if __name__ == "__main__":
    main([
        one_signal_finishes_what_runs_and_starts_nothing_new,
        a_second_signal_leaves_at_once,
        attempts_that_outlast_the_grace_are_cut_off_and_run_again,
        an_interrupt_finishes_what_runs_too,
        a_terminal_that_closes_lets_what_runs_finish,
    ])
