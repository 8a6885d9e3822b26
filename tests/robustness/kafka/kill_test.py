"""Workers that are killed, frozen or killed by a job: nothing is lost, nothing overlaps, nothing counts twice."""

import os
import signal
import time

import stage_path  # noqa: F401, before what lies there
from harness import alive, assert_done, until
from kills import Kills
from scenarios import main

JOBS, ACCOUNTS, CHILDREN = 10_000, 200, 6
LONG_EVERY, LONG_SECONDS = 51, 1.0
WAKING_SECONDS = 0.5  # a watchdog's turn, a kill and an exit, each behind the others that want to run
TURN_SECONDS = 0.005


def with_repeats():
    """Jobs of all accounts in turn, some of them long; every tenth has an identity that came before, just now or long ago."""
    jobs = []
    for number in range(JOBS):
        if number % 10 == 9:
            jobs.append(jobs[number - 1 if number % 20 == 9 else number // 2])
        else:
            seconds = LONG_SECONDS if number % LONG_EVERY == 0 else 0.002
            jobs.append((f"account-{number % ACCOUNTS}", f"job-{number}", {"args": {"seconds": seconds}}))
    return jobs


def kill_all_in_turn(kills, workers):
    for worker in workers:
        kills.kill(worker)
        again = time.monotonic() + 2
        until("two seconds of work, or what there is", lambda: time.monotonic() >= again)


def kills_of_workers_in_turn_under_load(stage):
    stage.partitions = 6
    config = stage.config(events="terminal", types={"job": {"handler": stage.tracing(CHILDREN)}})
    # The group gives a dead worker's partitions away long before its lease is over: whoever gets them has to wait.
    config["kafka"]["session.timeout.ms"] = "6000"
    stage.make_topics(config)
    workers = [stage.worker(name, "--concurrency", str(CHILDREN), config=config).start()
               for name in ("first", "second", "third")]
    until("every partition runs", lambda: stage.all_run(workers))
    sent = stage.enqueue(with_repeats())
    identities = {(job.account, job.id) for job in sent}
    kills = Kills(stage.trace)
    for _ in range(2):
        before = stage.trace.ends()
        until("the jobs go on", lambda: stage.trace.ends() > before + JOBS // 10, within=120)
        assert stage.trace.ends() < len(identities), "there is load at the kills"
        kill_all_in_turn(kills, workers)
    until("every job has ended", lambda: stage.trace.ends() >= len(identities), within=180)
    until("every end is recorded", lambda: sum(stage.events().values()) >= JOBS)
    kills.look(workers)
    assert [worker.stop() for worker in workers] == [0, 0, 0]
    assert_done(stage, sent, unordered=kills.of_two_deaths())
    kills.assert_nothing_else_is_repeated(CHILDREN)
    print(f"the kills cut off {kills} attempts; {stage.trace.reruns()} were repeated", flush=True)
    assert all(kills.cut_off(kill) for kill in kills.kills[:3])
    events = stage.events()
    assert {key[1:]: count for key, count in events.items() if key[0] == "succeeded"} == {who: 1 for who in identities}
    assert sum(count for key, count in events.items() if key[0] == "duplicate") == JOBS - len(identities)
    assert stage.records(".dead") == []


def watch_the_waking(since, pids):
    """By how much this machine, meanwhile, lets a thread wait that wants to run; and when each process was gone."""
    latest, before, gone = 0.0, since, {}
    while before < since + 2 * WAKING_SECONDS:
        time.sleep(TURN_SECONDS)
        now = time.monotonic()
        latest, before = max(latest, now - before - TURN_SECONDS), now
        gone.update({pid: now for pid in pids if pid not in gone and not alive(pid)})
    return latest, gone


def check_the_moment_of_waking(trace, frozen, epochs, woken, over):
    """What was frozen may run on, or begin what it had been handed, for a moment, with tokens that have been overtaken."""
    stale = [key for key, attempt in trace.attempts.items() if attempt.pid in frozen and attempt.epoch in epochs]
    successors = [attempt for key, attempt in trace.attempts.items() if key not in stale]
    for account, token in stale:
        attempt = trace.attempts[account, token]
        assert all(token < later.token for later in successors if later.account == account), attempt
        if attempt.last_seen >= woken:
            assert attempt.last_seen <= over, f"{attempt} ran on for {attempt.last_seen - over:.3f} s too long"
            del trace.attempts[account, token]


def a_frozen_worker_changes_nothing_when_it_wakes(stage):
    config = stage.config(events="terminal", types={"job": {"handler": stage.tracing(children=2)}})
    stage.make_topics(config)
    jobs = [(f"account-{number % 8}", f"job-{number}", {"args": {"seconds": 1.0}}) for number in range(48)]
    sent = stage.enqueue(jobs)
    zombie = stage.worker("zombie", config=config).start().ready()
    until("it works", lambda: stage.trace.ends() >= 4)
    frozen = [zombie.process.pid, *zombie.children()]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    interrupted = [attempt for attempt in stage.trace.running() if attempt.pid in frozen]
    assert interrupted
    epochs = {attempt.epoch for attempt in stage.trace.attempts.values() if attempt.pid in frozen}
    other = stage.worker("other", config=config).start()
    before = {attempt.token for attempt in stage.trace.attempts.values()}
    until("another has taken over", lambda: len(stage.trace.ends() and set(
        attempt.token for attempt in stage.trace.attempts.values()) - before) > 6, within=90)
    woken = time.monotonic()
    for pid in reversed(frozen):
        os.kill(pid, signal.SIGCONT)
    late, gone = watch_the_waking(woken, [attempt.pid for attempt in interrupted])
    over = woken + WAKING_SECONDS + late
    stage.trace.read()
    for attempt in interrupted:  # its child is killed, unless it was through with the attempt at that moment
        assert attempt.ended or gone.get(attempt.pid, woken + 3600) <= over, f"{attempt} was not ended: {gone}, woken at {woken}"
    until("every job has ended", lambda: stage.trace.ends() >= len(sent), within=120)
    check_the_moment_of_waking(stage.trace, frozen, epochs, woken, over)
    until("every end is recorded", lambda: sum(stage.events().values()) >= len(sent))
    assert zombie.stop() == 0 and other.stop() == 0
    assert_done(stage, sent)
    assert stage.events() == {("succeeded", job.account, job.id): 1 for job in sent}


def a_job_that_kills_its_worker_is_dead_after_three_deaths(stage):
    config = stage.config(types={"job": {"handler": stage.tracing(children=2)}})
    stage.make_topics(config)
    worker = stage.worker("only", config=config)
    neighbours = [(f"neighbour-{number}", f"slow-{number}", {"args": {"seconds": 0.5}}) for number in range(6)]
    sent = stage.enqueue([("good", "before"), *neighbours[:3], ("poison", "pill", {"args": {"every_attempt": "kill_worker"}}),
                          ("poison", "behind"), *neighbours[3:], ("good", "after")])

    def dies_or_buries():
        if not worker.runs():
            worker.start()
        return stage.records(".dead")

    pill, = until("the pill is dead", dies_or_buries, within=150)
    headers = dict(pill.headers)
    assert headers["penstock-reason"] == b"crashed", headers
    assert pill.key == b"poison" and b'"pill"' in pill.value
    until("its neighbours have ended", lambda: stage.trace.ends() >= len(sent) - 1, within=90)
    assert worker.stop() == 0
    assert len(stage.records(".dead")) == 1, "its neighbours, in flight at the same deaths, are not blamed"
    assert len(stage.trace.of("pill")) == 3, stage.trace.of("pill")
    assert_done(stage, [job for job in sent if job.id != "pill"], ordered=False)


if __name__ == "__main__":
    main([
        a_job_that_kills_its_worker_is_dead_after_three_deaths,
        kills_of_workers_in_turn_under_load,
        a_frozen_worker_changes_nothing_when_it_wakes,
    ])
