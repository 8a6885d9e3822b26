"""A limit that all accounts share, over two workers and twelve partitions: never more, in use, set at run time."""

import dataclasses
import time

import groups
from harness import until
from limited import IN_FORCE, attempts, max_at_once, operate
from scenarios import main

LIMIT, ACCOUNTS, SECONDS, CHILDREN = 10, 48, 0.05, 12
IN_USE = 0.8
REPORTS, REPORTS_A_SECOND = 40, 8  # at most: slots change hands every 2 s
LEASE = 14.0  # seconds after a worker's death in which nobody may take for free what it held


def limited(stage, slots=LIMIT, **policy):
    stage.partitions = 12
    limits = [{"name": "crm/{type}", "slots": slots}]
    return stage.config(types={"job": {"handler": stage.tracing(CHILDREN), "limits": limits, **policy}})


def start_two(stage, config):
    stage.make_topics(config)
    workers = [stage.worker(name, config=config).start() for name in ("first", "second")]
    for worker in workers:
        worker.ready()
    until("every partition runs", lambda: stage.all_run(workers))
    stage.handlers_up(2 * CHILDREN)
    return workers


def send(stage, count, seconds=SECONDS):
    return stage.enqueue([(f"account-{i % ACCOUNTS}", f"job-{i}", {"args": {"seconds": seconds}}) for i in range(count)])


def set_limit(stage, config, *words):
    return operate(stage, config, "limits", *words)


def ten_slots_are_in_use_and_never_eleven(stage):
    config = limited(stage)
    first, second = start_two(stage, config)
    began = time.monotonic()
    sent = send(stage, 400, 0.3)
    until("every job has ended", lambda: stage.trace.ends() >= len(sent), within=120)
    ended = time.monotonic()
    ran = attempts(stage)
    assert max_at_once(ran) == LIMIT, max_at_once(ran)
    for worker in (first, second):
        assert {attempt.pid for attempt in ran} & set(worker.children()), f"the {worker.name} worker has run none"
    # Between the first tenth and the last, when every partition has work.
    starts = sorted(attempt.started for attempt in ran)
    begin, end = starts[len(starts) // 10], starts[len(starts) * 8 // 10]
    in_use = sum(max(0.0, min(a.last_seen, end) - max(a.started, begin)) for a in ran) / (LIMIT * (end - begin))
    reports = len(stage.records_of(f"{stage.prefix}.slots", 12))
    print(f"slots in use: {in_use:.3f}; reports: {reports} for {len(sent)} jobs")
    assert in_use >= IN_USE, in_use
    assert reports < REPORTS + REPORTS_A_SECOND * (ended - began), reports
    assert first.stop() == 0 and second.stop() == 0


def what_is_set_is_in_force_within_a_second(stage):
    config = limited(stage)
    first, second = start_two(stage, config)
    send(stage, 3000, 0.1)
    until("ten run", lambda: max_at_once(attempts(stage)) == LIMIT)
    set_at = set_limit(stage, config, "set", "crm/job", "3")
    until("jobs go on", lambda: any(a.started > set_at + 3 for a in attempts(stage)))
    most = max_at_once(attempts(stage), set_at + IN_FORCE)
    assert 0 < most <= 3, most
    set_at = set_limit(stage, config, "set", "crm/{type}", "0")
    set_at = set_limit(stage, config, "reset", "crm/job")
    time.sleep(3)
    late = [a for a in attempts(stage) if a.started > set_at + IN_FORCE]
    assert not late, late
    reset_at = set_limit(stage, config, "reset", "crm/{type}")
    until("jobs start", lambda: any(a.started > reset_at for a in attempts(stage)))
    begun = min(a.started for a in attempts(stage) if a.started > reset_at)
    assert begun < reset_at + IN_FORCE, begun - reset_at
    until("ten run", lambda: max_at_once(attempts(stage), reset_at) == LIMIT)
    assert max_at_once(attempts(stage)) == LIMIT
    for worker in (first, second):
        worker.stop()


def running_of(stage, pids):
    return [attempt for attempt in stage.trace.running() if attempt.pid in pids]


def more_than(most, since, some):
    """When, since then, an attempt was the first to start beside so many; None: none has."""
    late = [attempt for attempt in some if attempt.last_seen >= since]
    return min((attempt.started for attempt in late if attempt.started > since
                and sum(a.started <= attempt.started < a.last_seen for a in late if a is not attempt) >= most), default=None)


def slots_of_a_worker_that_dies_come_back_with_its_lease_and_not_before(stage):
    config = limited(stage, slots=4)
    first, second = start_two(stage, config)
    sent = send(stage, 300, 0.3)
    until("both run", lambda: stage.trace.ends() >= 40)
    until("one has just begun", lambda: any(a.last_seen - a.started < 0.1 for a in running_of(stage, first.children())))
    of_first = first.children()
    first.kill()
    killed = time.monotonic()
    held = len(running_of(stage, of_first))
    assert 0 < held <= 4, held
    back = until("it is in use again", lambda: more_than(4 - held, killed, [a for a in attempts(stage) if a.pid not in of_first]))
    print(f"{held} of 4 slots were held at the kill; one of them was in use again after {back - killed:.1f} s")
    assert back - killed >= LEASE, (held, back - killed)
    until("all are", lambda: max_at_once(attempts(stage), back) == 4)
    until("every job has ended", lambda: stage.trace.ends() >= len(sent), within=180)
    assert max_at_once(attempts(stage)) <= 4, max_at_once(attempts(stage))
    assert second.stop() == 0


def free(stage, name):
    """A job of each of so many accounts, of a type without the limit; where they were sent."""
    return stage.enqueue([(f"{name}-{i}", f"free-{name}-{i}", {"type": "free"}) for i in range(ACCOUNTS)])


def done(stage, jobs):
    return {(job.account, job.id) for job in jobs} <= stage.trace.read().done


def holders_and_waiters(stage, workers, held, waiting):
    """Jobs of two accounts of the limit's owner and of two of other workers have the four slots, all others wait.

    The owner, and all that was sent; the files let the two kinds end.
    """
    places = free(stage, "account")
    sent = stage.enqueue([("opens", "opens")])
    until("the owner has heard of the limit", lambda: done(stage, places + sent))
    home, = {record.partition for record in stage.records_of(f"{stage.prefix}.slots", 12)}
    slots, queue = (groups.partitions(stage, f"{stage.prefix}.{name}", workers) for name in ("slots", stage.queue))
    owner, = (worker for worker in workers if home in slots[worker.name])
    own = [job.account for job in places if job.partition in queue[owner.name]]
    others = [job.account for job in places if job.partition not in queue[owner.name]]
    sent += stage.enqueue([(account, f"held-{account}", {"args": {"waits_for": str(held)}}) for account in own[:2] + others[:2]])
    until("four hold a slot", lambda: len(stage.trace.running()) == 4)
    sent += stage.enqueue([(account, f"waits-{account}", {"args": {"waits_for": str(waiting)}}) for account in own + others])
    until("the others wait", lambda: sum(worker.queue()["jobs"] for worker in workers) == 4 + ACCOUNTS)
    return owner, sent


def limited_attempts(stage, lost, killed):
    """With their ends: now, of those that run; when their worker was killed, of those that were lost with it."""
    ends = {True: killed, False: time.monotonic()}
    return [attempt if attempt.ended else dataclasses.replace(attempt, last_seen=ends[attempt.pid in lost])
            for attempt in attempts(stage) if not attempt.id.startswith("free")]


def a_limits_owner_dies_while_others_hold_its_slots(stage):
    config = limited(stage, slots=4, handler=stage.tracing(children=6))
    config["queues"][stage.queue]["types"]["free"] = {"handler": stage.tracing(children=2)}
    stage.make_topics(config)
    workers = [stage.worker(name, "--instance", name, config=config).start() for name in ("first", "second", "third")]
    until("each has partitions", lambda: stage.all_run([worker.ready() for worker in workers]))
    held, waiting = stage.gate("held"), stage.gate("waiting")
    owner, sent = holders_and_waiters(stage, workers, held, waiting)
    others, lost = [worker for worker in workers if worker is not owner], owner.children()
    assert len(running_of(stage, lost)) == 2 and len(stage.trace.running()) == 4
    killed = time.monotonic()
    owner.kill()
    held.touch()

    def of_others():
        return running_of(stage, [pid for worker in others for pid in worker.children()])

    until("all slots are in use again", lambda: [a.id[:5] for a in of_others()] == ["waits"] * 4, within=120)
    ran = limited_attempts(stage, lost, killed)
    third = more_than(2, killed, [attempt for attempt in ran if attempt.pid not in lost])
    print(f"beside the two slots of the others a third was in use {third - killed:.1f} s after the owner's death")
    assert third - killed >= LEASE, "two slots are the dead one's until its lease is over"
    groups.partitions(stage, f"{stage.prefix}.slots", others)
    until("the others have all partitions", lambda: stage.all_run(others))
    new = free(stage, "new")
    until("what needs no slot goes on", lambda: done(stage, new))
    assert len(of_others()) == 4, of_others()
    waiting.touch()
    until("every job has ended", lambda: done(stage, sent), within=120)
    ran = limited_attempts(stage, lost, killed)
    assert max_at_once(ran) == 4, max_at_once(ran)
    assert all(worker.stop() == 0 for worker in others)


def a_hung_attempt_gives_its_slot_back_by_its_timeout(stage):
    config = limited(stage, slots=1, timeout="3s", retry={"attempts": 1})
    first, second = start_two(stage, config)
    stage.enqueue([("stuck", "hangs", {"args": {"every_attempt": "hang"}})])
    until("it hangs", lambda: stage.trace.of("hangs"))
    # Of all partitions and both workers; each of them needs the one slot.
    sent = send(stage, ACCOUNTS, 0.0)
    until("the others have ended", lambda: stage.trace.ends() == len(sent))
    hung = stage.trace.of("hangs")
    others = sorted(attempt.started for attempt in attempts(stage) if attempt.id != "hangs")
    assert len(hung) == 1 and hung[0].last_seen <= others[0], (hung, others[0])
    assert others[0] < hung[0].started + LEASE, "it was the time-out that gave it back"
    assert any("timed out after 3s" in worker.text() for worker in (first, second))
    assert [record.key for record in stage.records(".dead")] == [b"stuck"]
    assert first.stop() == 0 and second.stop() == 0


if __name__ == "__main__":
    main([
        ten_slots_are_in_use_and_never_eleven,
        what_is_set_is_in_force_within_a_second,
        slots_of_a_worker_that_dies_come_back_with_its_lease_and_not_before,
        a_limits_owner_dies_while_others_hold_its_slots,
        a_hung_attempt_gives_its_slot_back_by_its_timeout,
    ])
