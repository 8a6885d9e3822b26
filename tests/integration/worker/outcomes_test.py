"""What becomes of jobs that fail, hang, wait or are told what to do, and of records that are no jobs."""

import json
import re
import time

from harness import Job, assert_done, until
from scenarios import main

LATE = 10.0  # seconds that a busy machine may need
RFC3339 = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def working(stage, **queue):
    config = stage.config(**queue)
    stage.make_topics(config)
    return stage.worker("only", config=config).start().ready()


def dead_records(stage, count):
    until(f"{count} dead records", lambda: len(stage.records(".dead")) >= count)
    return {record.key: record for record in stage.records(".dead")}


def assert_dead(record, reason, source, attempts, detail=b""):
    headers = dict(record.headers)
    assert headers["penstock-reason"] == reason, headers
    assert headers["penstock-source"] == source, headers
    assert headers["penstock-attempts"] == attempts, headers
    assert RFC3339.fullmatch(headers["penstock-at"]), headers
    assert headers["penstock-detail"] and b"\n" not in headers["penstock-detail"] and detail in headers["penstock-detail"], headers


def source(stage, place):
    return f"{stage.topic}/{place[0]}/{place[1]}".encode()


def a_failing_job_is_retried_with_backoff_until_it_is_dead(stage):
    retry = {"attempts": 4, "base": "200ms", "factor": 2, "jitter": 0}
    worker = working(stage, types={"job": {"retry": retry}, "later": {"retry": {"base": "1h"}}})
    value = b'{"type":"job", "id":"hopeless",\n "args":{"failures":99},"meta":{"\xc3\xa9":1}}'
    headers = [("traceparent", b"00-1-2-01"), ("raw", b"\x00\xff")]
    place, *_ = stage.produce([(b"acme", value, {"headers": headers})])
    sent = stage.enqueue([("other", "hopeful", {"args": {"failures": 2}}),
                          ("patient", "waits", {"type": "later", "args": {"failures": 1}}), ("patient", "next")])
    dead = dead_records(stage, 1)[b"acme"]
    assert_dead(dead, b"attempts_exhausted", source(stage, place), b"4", b"failure 4")
    assert dead.value == value and dead.headers[:2] == headers
    until("the hopeful one has ended", lambda: [a.number for a in stage.trace.of("hopeful")] == [1, 2, 3])
    for job, waits in (("hopeless", [0.2, 0.4, 0.8]), ("hopeful", [0.2, 0.4])):
        attempts = stage.trace.of(job)
        assert [attempt.number for attempt in attempts] == list(range(1, len(waits) + 2)), attempts
        for earlier, later, wait in zip(attempts, attempts[1:], waits):
            assert wait <= later.started - earlier.last_seen < wait + LATE, attempts
    worker.says('attempt 2 of 4 of job "hopeful" (job, account "other") failed: failure 2; again at ')
    worker.says('attempt 4 of 4 of job "hopeless" (job, account "acme") failed: failure 4; the job is dead')
    until("a retry holds nothing back", lambda: ("patient", "next") in stage.trace.read().done)
    assert [attempt.number for attempt in stage.trace.of("waits")] == [1]
    assert worker.stop() == 0
    assert_done(stage, [*sent, Job("acme", "hopeless", 0, 0)], ordered=False)


def a_handler_that_hangs_dies_or_prints_rubbish_costs_an_attempt(stage):
    # A busy machine may need more than the timeout for an attempt that does nothing, so most have more than two.
    policy = {"timeout": "1s", "retry": {"attempts": 50, "base": "50ms", "factor": 1}}
    brief = {"timeout": "60s", "retry": {"attempts": 2, "base": "50ms"}}
    worker = working(stage, types={"job": policy, "brief": brief})
    stage.handlers_up(8)
    ways = ["hang", "die", "rubbish"]
    sent = stage.enqueue([(f"account-{way}", way, {"args": {"first_attempt": way}}) for way in ways])
    sent += stage.enqueue([("last", "discarded", {"type": "brief", "args": {"discard": "gone for good"}})])
    bad = stage.enqueue([("twice", "twice", {"type": "brief", "args": {"every_attempt": "die"}})])
    dead = dead_records(stage, 2)
    assert_dead(dead[b"twice"], b"attempts_exhausted", source(stage, bad[0][2:]), b"2")
    assert_dead(dead[b"last"], b"discarded", source(stage, sent[-1][2:]), b"1", b"gone for good")
    until("each is done by a later attempt", lambda: stage.trace.ends() >= len(sent))
    worker.says('of job "hang" (job, account "account-hang") failed: timed out after 1s')
    assert worker.stop() == 0
    assert_done(stage, sent, ordered=False)


def a_job_whose_heart_beats_outlasts_its_timeout_and_one_that_falls_silent_does_not(stage):
    timeout, attempts = 3.0, 3
    policy = {"timeout": f"{timeout:.0f}s", "retry": {"attempts": attempts, "backoff": "fixed", "base": "50ms"}}
    worker = working(stage, types={"job": policy})
    enough, silence = stage.gate("enough"), stage.gate("silence")
    sent = stage.enqueue([("acme", "beats", {"args": {"beats_until": str(enough)}})])
    silent = stage.enqueue([("bolt", "stops", {"args": {"every_attempt": "fall_silent", "beats_until": str(silence)}})])
    until("both run", lambda: stage.trace.of("beats") and stage.trace.of("stops"))
    silent_from = time.monotonic()
    silence.touch()
    dead = dead_records(stage, 1)[b"bolt"]
    assert_dead(dead, b"attempts_exhausted", source(stage, silent[0][2:]), b"3", b"timed out after 3s")
    one_by_one = stage.trace.of("stops")
    assert [attempt.number for attempt in one_by_one] == [1, 2, 3], one_by_one
    assert one_by_one[-1].last_seen - silent_from > (attempts - 1) * timeout, "each had its time, and the other ran for all of it"
    assert [attempt.number for attempt in stage.trace.running() if attempt.id == "beats"] == [1]
    enough.touch()
    until("it is done", lambda: ("acme", "beats") in stage.trace.read().done)
    assert worker.stop() == 0
    assert [attempt.number for attempt in stage.trace.of("beats")] == [1]
    assert_done(stage, sent, ordered=False)


def bad_records_are_dead_unchanged_and_hold_nobody_up(stage):
    worker = working(stage)
    headers = [("raw", b"\x00\xff"), ("penstock-reason", b"a lie")]
    long_value = b'{"type":"job","args":"' + b"x" * (1 << 20) + b'"}'
    bad = [
        (b"k1", b"{broken", b"bad_json"), (b"k2", b'{"type":"job","run_att":1}', b"bad_field"),
        (b"k3", None, b"bad_json"), (b"k4", b"[1]", b"bad_json"), (b"k5", b'{"type":"job","type":"job"}', b"bad_json"),
        (b"k6", b'{"type":"a b"}', b"bad_field"), (b"k7", long_value, b"too_large"),
        (b"\xff\xfe", b'{"type":"job"}', b"bad_key"), (b"k" * 256, b'{"type":"job"}', b"bad_key"),
        (None, b'{"type":"job"}', b"bad_key"), (b"k8", b'{"type":"job","op":"cancel"}', b"bad_field"),
    ]
    places = stage.produce([(key, value, {"headers": headers}) for key, value, _ in bad])
    sent = stage.enqueue([(f"k{number}", f"after-{number}") for number in range(1, 9)])
    dead = dead_records(stage, len(bad))
    assert len(stage.records(".dead")) == len(bad)
    for (key, value, reason), place in zip(bad, places):
        record = dead[key]
        assert record.value == value and record.headers[0] == headers[0], record
        assert [name for name, _ in record.headers].count("penstock-reason") == 1, record.headers
        assert_dead(record, reason, source(stage, place), b"0")
    until("the good ones have ended", lambda: stage.trace.ends() >= len(sent))
    assert worker.stop() == 0
    assert f"{len(bad)} bad records" in worker.text(), worker.text()
    assert_done(stage, sent)


def a_record_in_the_wrong_partition_runs_once_where_it_belongs(stage):
    worker = working(stage, events="terminal")
    value = json.dumps({"type": "job"})
    records = [(f"account-{number % 5}", value, {"partition": number % stage.partitions}) for number in range(100)]
    places = stage.produce(records)
    until("every job has ended", lambda: stage.trace.ends() >= len(records))
    sent = [Job(record[0], source(stage, place).decode(), *place) for record, place in zip(records, places)]
    until("the events have come", lambda: len(stage.events()) >= len(records))
    assert worker.stop() == 0
    assert_done(stage, sent, ordered=False)
    assert stage.trace.reruns() == 0
    assert {key[1:] for key in stage.events()} == {(job.account, job.id) for job in sent}
    homes = {record.partition for record in stage.records(".events") if record.key == b"account-1"}
    assert len(homes) == 1, homes


def no_scheduled_job_starts_early_and_expired_ones_never(stage):
    worker = working(stage, events="terminal")
    due = time.time() + 3
    times = {f"due-{number}": due + number % 10 / 5 for number in range(200)}
    jobs = [(f"account-{job}", job, {"run_at": round(at * 1000)}) for job, at in times.items()]
    jobs.append(("acme", "now"))
    sent = stage.enqueue(jobs)
    sent += stage.enqueue([("acme", "later", {"run_at": round(due * 1000) + 3_600_000}), ("acme", "behind")])[1:]
    stage.enqueue([("late", "late", {"run_at": round(due * 1000) + 1000, "expires_at": round(due * 1000)})])
    offset = time.time() - time.monotonic()
    until("none is held up by one that is for later", lambda: ("acme", "behind") in stage.trace.read().done)
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    for job, at in times.items():
        started = stage.trace.of(job)[0].started + offset
        assert at - 0.002 <= started < at + LATE, (job, started - at)
    until("the late one has expired", lambda: stage.events()[("expired", "late", "late")] == 1)
    assert worker.stop() == 0
    assert_done(stage, sent)


def commands_cancel_retry_and_reschedule(stage):
    worker = working(stage, events="terminal", types={"job": {"retry": {"attempts": 1}}})
    gate = stage.gate()
    far = {"run_at": round(time.time() * 1000) + 3_600_000}
    stage.enqueue([("a", "unwanted", far), ("b", "sooner", far), ("c", "again", {"args": {"discard": "not yet"}}),
                   ("d", "stopped", {"args": {"waits_for": str(gate), "failures": 1}})])
    dead_records(stage, 1)
    until("the one to be stopped runs", lambda: stage.trace.of("stopped"))
    for account, job, op, members in (("a", "unwanted", "cancel", {}), ("b", "sooner", "reschedule", {"run_at": 0}),
                                      ("c", "again", "retry", {}), ("d", "stopped", "cancel", {}), ("e", "nobody", "cancel", {})):
        stage.produce([(account, json.dumps({"op": op, "id": job, **members}))])
    until("the unwanted one is cancelled", lambda: stage.events()[("cancelled", "a", "unwanted")] == 1)
    until("the sooner one is done", lambda: stage.events()[("succeeded", "b", "sooner")] == 1)
    until("the dead one ran and died again", lambda: stage.events()[("dead", "c", "again")] == 2)
    assert [attempt.number for attempt in stage.trace.of("again")] == [1, 1]
    gate.touch()
    until("the running one is cancelled", lambda: stage.events()[("cancelled", "d", "stopped")] == 1)
    assert worker.stop() == 0
    assert stage.trace.of("unwanted") == []


def a_deleted_job_is_gone_and_its_id_is_still_known(stage):
    types = {"job": {"retry": {"attempts": 1}, "keep": {"succeeded": "1h", "dead": "1h"}}}
    worker = working(stage, events="terminal", types=types)
    gate = stage.gate()
    far = {"run_at": round(time.time() * 1000) + 3_600_000}
    stage.enqueue([("a", "unwanted", far), ("b", "kept", {}), ("c", "buried", {"args": {"discard": "no"}}),
                   ("d", "stopped", {"args": {"waits_for": str(gate)}})])
    dead_records(stage, 1)
    until("the kept one is done", lambda: stage.events()[("succeeded", "b", "kept")] == 1)
    until("the one to be stopped runs", lambda: stage.trace.of("stopped"))
    names = [("a", "unwanted"), ("b", "kept"), ("c", "buried"), ("d", "stopped")]
    for account, job in names:
        deleted = stage.penstock("jobs", "delete", job, "--queue", stage.queue, "--account", account)
        assert deleted.returncode == 0, deleted.stderr
    until("the unwanted one is cancelled", lambda: stage.events()[("cancelled", "a", "unwanted")] == 1)
    gate.touch()
    until("the running one ended", lambda: ("d", "stopped") in stage.trace.read().done)
    until("nothing is listed", lambda: json.loads(worker.http(f"/v1/queues/{stage.queue}/jobs")[1])["jobs"] == [])
    stage.produce([(account, json.dumps({"type": "job", "id": job})) for account, job in names])
    for account, job in names:
        until(f"{job} is a duplicate", lambda of=("duplicate", account, job): stage.events()[of] == 1)
    assert worker.stop() == 0
    assert stage.trace.of("unwanted") == []
    assert all(len(stage.trace.of(job)) == 1 for account, job in names[1:])


def a_follow_up_is_produced_once_and_only_with_the_outcome(stage):
    worker = working(stage, events="terminal", types={"job": {"retry": {"attempts": 3, "base": "50ms"}}})
    follow_ups = [{"type": "job", "account": f"other-{number}"} for number in range(3)] + [{"type": "job"}]
    jobs = [(f"account-{number % 10}", f"job-{number}", {"args": {"enqueue": follow_ups, "failures": number % 2}})
            for number in range(100)]
    sent = stage.enqueue(jobs)
    wanted = list(sent)
    for job in sent:
        accounts = ["other-0", "other-1", "other-2", job.account]
        wanted += [Job(account, f"{job.id}/{number}", 0, 0) for number, account in enumerate(accounts, 1)]
    until("every job has ended", lambda: sum(stage.events().values()) >= len(wanted))
    assert worker.stop() == 0
    assert_done(stage, wanted, ordered=False)
    assert stage.trace.reruns() == 50, "only the attempts that failed are repeated"
    assert stage.events() == {("succeeded", job.account, job.id): 1 for job in wanted}


def a_dead_record_that_is_sent_back_with_its_headers_is_an_ordinary_record(stage):
    worker = working(stage)
    stage.produce([(b"acme", b'{"type":"job","oops":1}')])
    dead = dead_records(stage, 1)[b"acme"]
    assert dict(dead.headers)["penstock-message"], "it left through the outbox"
    back = (dead.key, dead.value, {"headers": dead.headers})
    places = stage.produce([back, back])
    until("each of the two dies again", lambda: len(stage.records(".dead")) >= 3)
    sources = {dict(record.headers)["penstock-source"] for record in stage.records(".dead")}
    assert {source(stage, place) for place in places} < sources, sources
    # The partition's first message to itself has the number that the dead record had.
    sent = stage.enqueue([("acme", "asks", {"args": {"enqueue": [{"type": "job"}]}})])
    until("the follow-up has run", lambda: stage.trace.ends() >= 2)
    assert worker.stop() == 0
    assert_done(stage, [*sent, Job("acme", "asks/1", 0, 0)], ordered=False)


if __name__ == "__main__":
    main([
        no_scheduled_job_starts_early_and_expired_ones_never,
        a_failing_job_is_retried_with_backoff_until_it_is_dead,
        a_handler_that_hangs_dies_or_prints_rubbish_costs_an_attempt,
        a_job_whose_heart_beats_outlasts_its_timeout_and_one_that_falls_silent_does_not,
        bad_records_are_dead_unchanged_and_hold_nobody_up,
        a_record_in_the_wrong_partition_runs_once_where_it_belongs,
        commands_cancel_retry_and_reschedule,
        a_deleted_job_is_gone_and_its_id_is_still_known,
        a_follow_up_is_produced_once_and_only_with_the_outcome,
        a_dead_record_that_is_sent_back_with_its_headers_is_an_ordinary_record,
    ])
