"""Who has which partitions: a worker that is back under its name, and one that is several members of the group."""

import collections
import os
import re
import signal
import time

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from harness import assert_done, children_of, until
from limited import attempts, max_at_once
from scenarios import main

CLAIM = 1  # the second byte of a state record (state/log/log_entry.h)
BACK_SECONDS = 8  # a crash in place, on a machine that is busy; the lease is 15 s
SESSION_SECONDS = 60  # for which the group keeps the place of a member with a name


def held(worker):
    answer = worker.queue()
    return set(range(answer["partitions"])) - set(answer["partitions_not_here"])


def claims(stage):
    """How often each partition has been claimed."""
    return collections.Counter(record.partition for record in stage.records(".state") if record.value[1] == CLAIM)


def a_worker_that_is_back_under_its_name_has_its_partitions_and_no_other_claims_anything(stage):
    config = stage.config()
    config["kafka"]["session.timeout.ms"] = f"{SESSION_SECONDS * 1000}"
    stage.make_topics(config)
    named, other = workers = [stage.worker(name, "--instance", name, config=config).start() for name in ("first", "second")]
    until("every partition runs", lambda: stage.all_run(workers))
    of_named, of_other, before = held(named), held(other), claims(stage)
    assert named.stop() == 0
    left = time.monotonic()
    sent = stage.enqueue([(f"account-{number % 40}", f"job-{number}") for number in range(400)])
    of_the_other = {(job.account, job.id) for job in sent if job.partition in of_other}
    until("the other's jobs have ended", lambda: stage.trace.ends() >= len(of_the_other))
    named.start().ready()
    assert time.monotonic() - left < SESSION_SECONDS - 3, "this machine is too slow for what is tested here"
    assert min(attempt.started for attempt in attempts(stage)) > left
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    assert (held(named), held(other)) == (of_named, of_other)
    assert claims(stage) - before == collections.Counter(of_named)
    theirs = {(attempt.account, attempt.id) for attempt in attempts(stage) if attempt.pid in other.children()}
    assert theirs == of_the_other
    assert [worker.stop() for worker in workers] == [0, 0]
    assert_done(stage, sent)
    assert stage.trace.reruns() == 0


def a_supervised_worker_that_is_killed_is_back_well_within_its_lease(stage):
    stage.make_topics(stage.config())
    worker = stage.worker("only", "--supervise", "--instance", "only").start().ready()
    sent = stage.enqueue([(f"account-{number % 40}", f"job-{number}", {"args": {"seconds": 0.2}}) for number in range(300)])
    until("it works", lambda: stage.trace.ends() >= 40)
    killed, = children_of(worker.process.pid)
    before = set(worker.children())
    at = time.monotonic()
    os.kill(killed, signal.SIGKILL)
    after = lambda: [attempt.started for attempt in attempts(stage) if attempt.pid not in before]
    until("it works again", after)
    assert min(after()) - at < BACK_SECONDS, f"it took {min(after()) - at:.1f} s"
    worker.says("was ended by signal 9 (Killed) and is started again")
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    assert worker.stop() == 0
    assert_done(stage, sent)


def without_a_name_no_worker_is_supervised(stage):
    said = stage.penstock("work", "--supervise", config=stage.config())
    assert said.returncode == 2 and "--supervise: expected --instance NAME" in said.stderr, said


def members(stage):
    try:
        groups = AdminClient(stage.client()).list_groups(stage.topic, timeout=30)
    except KafkaException:  # the coordinator still loads
        return []
    return [member for group in groups for member in group.members]


def threads_are_members_of_their_own_and_share_the_places_of_one_worker(stage):
    stage.partitions = 6
    config = stage.config(types={"job": {"handler": stage.tracing(children=8)}})
    stage.make_topics(config)
    worker = stage.worker("only", "--threads", "3", "--concurrency", "4", config=config).start()
    until("each thread has partitions", lambda: len({member.assignment for member in members(stage)}) == 3)
    until("every partition runs", lambda: stage.all_run([worker]))
    assert {member.client_id for member in members(stage)} == {f"penstock-{stage.queue}-{number}" for number in range(3)}
    sent = stage.enqueue([(f"acme-{number % 12}", f"job-{number}", {"args": {"seconds": 1.0}}) for number in range(24)])
    assert len({job.partition for job in sent}) == stage.partitions, "every thread has jobs"
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    assert max_at_once(attempts(stage)) == 4, max_at_once(attempts(stage))
    assert worker.stop() == 0
    assert_done(stage, sent)
    assert stage.trace.reruns() == 0


def a_change_by_filters_reaches_what_the_asked_worker_holds_and_says_what_it_does_not(stage):
    config = stage.config()
    stage.make_topics(config)
    workers = [stage.worker(name, config=config).start() for name in ("first", "second")]
    until("every partition runs", lambda: stage.all_run(workers))
    address = {worker: re.search(r"HTTP at http://(\S+)", worker.says("HTTP at ").text())[1] for worker in workers}
    soon = int(time.time() * 1000) + 3_600_000
    sent = stage.enqueue([(f"account-{number}", f"job-{number}", {"run_at": soon}) for number in range(40)])
    until("all are known", lambda: sum(worker.queue()["jobs"] for worker in workers) == len(sent))
    on = lambda worker, *words: stage.penstock("jobs", *words, "--queue", stage.queue, "--http", address[worker], config=config)
    first, second = workers
    of_second = next(job for job in sent if job.partition in held(second))
    shown = on(first, "show", of_second.id, "--account", of_second.account)
    assert shown.returncode == 1 and f"does not own partition {of_second.partition} of" in shown.stderr, shown
    theirs = {worker: {job.id for job in sent if job.partition in held(worker)} for worker in workers}
    for worker, other in ((first, second), (second, first)):
        listed = on(worker, "list", "--state", "scheduled")
        assert listed.returncode == 0 and "This list is incomplete: " in listed.stderr, listed
        cancelled = on(worker, "cancel", "--type", "job")
        assert {line.split("\t")[1] for line in cancelled.stdout.splitlines()} == theirs[worker], cancelled
        names = ", ".join(str(partition) for partition in sorted(held(other)))
        assert cancelled.returncode == 1 and re.search(f"does not own partitions? {names} of", cancelled.stderr), cancelled
    until("all are cancelled", lambda: not any(worker.queue()["jobs"] for worker in workers))
    assert [worker.stop() for worker in workers] == [0, 0]


if __name__ == "__main__":
    main([
        a_worker_that_is_back_under_its_name_has_its_partitions_and_no_other_claims_anything,
        a_supervised_worker_that_is_killed_is_back_well_within_its_lease,
        without_a_name_no_worker_is_supervised,
        threads_are_members_of_their_own_and_share_the_places_of_one_worker,
        a_change_by_filters_reaches_what_the_asked_worker_holds_and_says_what_it_does_not,
    ])
