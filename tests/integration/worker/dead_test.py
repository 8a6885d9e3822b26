"""Dead records on a real Kafka: listed with everything about them, and sent back so that each runs once."""

import json
import re
import urllib.request

import confluent_kafka
from harness import until
from scenarios import main

NOBODY = "127.0.0.1:1"  # nothing listens there
BAD = b'{"type":"job","argss":{"n":12345678901234567890}}'
REPAIR = """
import json, sys
for line in sys.stdin:
    entry = json.loads(line)
    print(entry["value"].replace("argss", "args") if "argss" in (entry["value"] or "") else "null", flush=True)
"""


def address(worker):
    worker.says("HTTP at ")
    return re.search(r"HTTP at http://(\S+)", worker.text())[1]


def once(stage, **members):
    """A queue whose jobs have one attempt, with a file as long as which they fail; a worker of it."""
    policy = {"retry": {"attempts": 1}, **members.pop("policy", {})}
    config = stage.config(types={"job": policy}, **members)
    stage.make_topics(config)
    flag = stage.gate("down")
    flag.touch()
    return config, flag, stage.worker("only", config=config)


def dead(stage, config, what, *options, worker=None, status=0):
    """What `penstock --json dead ...` prints."""
    http = ["--http", address(worker) if worker else NOBODY] if what == "resend" else []
    ran = stage.penstock("--json", "dead", what, "--queue", stage.queue, *http, *options, config=config)
    assert ran.returncode == status, (ran.returncode, ran.stdout, ran.stderr)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def counts(**some):
    return {"listed": 0, "sent": 0, "already": 0, "left_out": 0, "failed": {}, **some}


def resent(*arguments, **options):
    answer, = dead(*arguments, **options)
    return {name: answer[name] for name in counts()}


def attempts_of(stage, job):
    return len(stage.trace.of(job))


def a_dead_job_is_retried_where_it_is_kept_and_runs_once_however_often_it_is_sent_back(stage):
    config, flag, worker = once(stage)
    worker.start().ready()
    value = json.dumps({"type": "job", "id": "a", "args": {"fails_while": str(flag)}}).encode()
    (partition, offset), = stage.produce([(b"acme", value, {"headers": [("trace", b"\xff")]})])
    until("it is dead", lambda: stage.records(".dead"))
    entry, = dead(stage, config, "list")
    assert entry["reason"] == "attempts_exhausted" and entry["attempts"] == 1, entry
    assert entry["source"] == f"{stage.topic}/{partition}/{offset}", entry
    assert (entry["type"], entry["id"], entry["account"]) == ("job", "a", "acme"), entry
    assert entry["value"].encode() == value and entry["headers"] == [{"name": "trace", "value_hex": "ff"}], entry
    assert resent(stage, config, "resend", "--dry-run", worker=worker) == counts(listed=1, sent=1)
    assert attempts_of(stage, "a") == 1
    flag.unlink()
    assert resent(stage, config, "resend", worker=worker) == counts(listed=1, sent=1)
    until("it is done", lambda: ("acme", "a") in stage.trace.read().done)
    # The worker has forgotten all but its identity by now.
    until("it has ended", lambda: worker.counted("succeeded") == 1)
    assert resent(stage, config, "resend", worker=worker) == counts(listed=1, already=1)
    assert resent(stage, config, "resend")["listed"] == 1  # nobody is asked
    last = stage.enqueue([("acme", "last")])
    until("what came after is done", lambda: ("acme", "last") in stage.trace.read().done)
    assert attempts_of(stage, "a") == 2 and len(last) == 1
    assert worker.stop() == 0


def what_is_sent_back_while_no_worker_runs_is_run_when_one_does(stage):
    config, flag, worker = once(stage)
    worker.start().ready()
    without_id = json.dumps({"type": "job", "args": {"fails_while": str(flag)}}).encode()
    places = stage.produce([(b"acme", without_id), (b"bolt", without_id)])
    until("both are dead", lambda: len(stage.records(".dead")) == 2)
    assert worker.stop() == 0
    flag.unlink()
    for _ in range(2):
        assert resent(stage, config, "resend", "--account", "acme") == counts(listed=1, sent=1)
    worker.start().ready()
    name = f"{stage.topic}/{places[0][0]}/{places[0][1]}"
    until("it is done", lambda: ("acme", name) in stage.trace.read().done)
    until("the queue has taken everything", lambda: worker.counted("succeeded") == 1)
    sent = stage.enqueue([("acme", "last"), ("bolt", "last")])
    until("what came after is done", lambda: worker.counted("succeeded") == 3)
    assert [attempts_of(stage, f"{stage.topic}/{p}/{o}") for p, o in places] == [2, 1] and len(sent) == 2
    assert worker.stop() == 0


def what_is_sent_back_has_the_key_value_and_headers_of_its_record_byte_for_byte(stage):
    config, flag, worker = once(stage, unknown_types="dead")
    worker.start().ready()
    headers = [("trace", b"t-1"), ("raw", b"\x00\xff\n"), ("trace", b"t-2"), ("empty", b""), ("none", None)]
    odd = ('\t{ "id" :"%s", "args": {"n":1.50, "big": 12345678901234567890, "text": "\\u00e9 \\/ \u00e9", "flag": "%s"},\n'
           ' "type": "%s", "meta": {"": -0.0}, "priority":3 } ')
    account = "acm\u00e9 \u2603"
    # A job that has failed, and one whose type nobody knew: `flag` is an argument that only the first one's handler reads.
    values = [odd.replace('"flag"', '"fails_while"') % ("a", flag, "job"), odd % ("b", flag, "unheard.of")]
    places = stage.produce([(account.encode(), value.encode(), {"headers": headers}) for value in values])
    until("both are dead", lambda: len(stage.records(".dead")) == 2)
    assert worker.stop() == 0
    flag.unlink()
    assert resent(stage, config, "resend") == counts(listed=2, sent=2)
    records = {(record.partition, record.offset): record for record in stage.records()}
    for value, place in zip(values, places):
        original = records.pop(place)
        assert (original.value, original.headers) == (value.encode(), headers), original
        [sent] = [record for record in records.values() if record.value == original.value]
        assert (sent.key, sent.headers, sent.partition) == (original.key, headers, original.partition), sent
        records.pop((sent.partition, sent.offset))
    # Besides, only commands that ask for the jobs to run again, for a worker that remembers them.
    assert {json.loads(record.value)["op"] for record in records.values()} == {"retry"}, records
    worker.start().ready()
    until("the failed one is done", lambda: (account, "a") in stage.trace.read().done)
    until("it has ended", lambda: worker.counted("succeeded") == 1)
    assert attempts_of(stage, "a") == 2 and worker.stop() == 0


def a_job_whose_identity_is_forgotten_is_sent_as_its_record(stage):
    config, flag, worker = once(stage, dedup_window="1s", policy={"keep": {"dead": "0s"}})
    worker.start().ready()
    stage.enqueue([("acme", "a", {"args": {"fails_while": str(flag)}})])
    until("it is dead", lambda: stage.records(".dead"))
    flag.unlink()

    def runs():
        resent(stage, config, "resend", "--type", "job", "--reason", "attempts_exhausted", worker=worker)
        return ("acme", "a") in stage.trace.read().done

    until("it is done", runs)
    assert worker.stop() == 0


def a_bad_record_is_repaired_by_a_program_and_runs_once(stage):
    config, _, worker = once(stage, policy={"keep": {"succeeded": "1h"}})
    worker.start().ready()
    (partition, offset), _ = stage.produce([(b"acme", BAD), (b"acme", b"{")])
    until("both are dead", lambda: len(stage.records(".dead")) == 2)
    assert resent(stage, config, "resend", worker=worker, status=1) == counts(listed=2, failed={"bad_field": 1, "bad_json": 1})
    program = stage.folder / "repair.py"
    program.write_text(REPAIR)
    through = ["--through", f"exec:/usr/bin/python3 {program}"]
    assert resent(stage, config, "resend", *through, worker=worker) == counts(listed=2, sent=1, left_out=1)
    name = f"{stage.topic}/{partition}/{offset}"
    until("it is done", lambda: ("acme", name) in stage.trace.read().done)
    until("it is kept", lambda: worker.counted("succeeded") == 1)
    assert resent(stage, config, "resend", *through, worker=worker) == counts(listed=2, already=1, left_out=1)
    record, = [record for record in stage.records() if record.value and name.encode() in record.value]
    assert b"12345678901234567890" in record.value, "numbers stay as they are written"
    assert worker.stop() == 0


def copies_count_once_and_times_of_death_select(stage):
    config, _, _ = once(stage)
    producer = confluent_kafka.Producer(stage.client())
    for name, at in (("m#1", "2026-03-01T12:00:00.000Z"), ("m#2", "2026-03-02T12:00:00.000Z"),
                     ("m#1", "2026-03-01T12:00:00.000Z")):
        producer.produce(stage.topic + ".dead", b'{"type":"job","id":"%s"}' % name.encode(), b"acme", partition=1, headers={
            "penstock-reason": "crashed", "penstock-detail": "d", "penstock-source": "s/0/1", "penstock-attempts": "3",
            "penstock-at": at, "penstock-message": name})
    assert producer.flush(30) == 0
    assert [entry["id"] for entry in dead(stage, config, "list")] == ["m#1", "m#2"]
    assert [entry["id"] for entry in dead(stage, config, "list", "--from", "2026-03-02T00:00:00Z")] == ["m#2"]
    assert [entry["id"] for entry in dead(stage, config, "list", "--to", "2026-03-02T00:00:00Z")] == ["m#1"]
    assert resent(stage, config, "resend") == counts(listed=2, sent=2)


def http_lists_and_sends_back(stage):
    config, flag, worker = once(stage)
    worker.start().ready()
    stage.enqueue([("acme", "a", {"args": {"fails_while": str(flag)}})])
    until("it is dead", lambda: stage.records(".dead"))
    path = f"/v1/queues/{stage.queue}/dead"
    status, body = worker.http(path + "?reason=attempts_exhausted&limit=5")
    assert status == 200 and [entry["id"] for entry in json.loads(body)["dead"]] == ["a"], body
    flag.unlink()
    request = urllib.request.Request(f"http://{address(worker)}{path}/resend", b'{"account":"acme"}',
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 202
        body = json.loads(answer.read())
    assert body == {**counts(listed=1, sent=1), "errors": [], "after": None, "dry_run": False}, body
    until("it is done", lambda: ("acme", "a") in stage.trace.read().done)
    assert worker.stop() == 0


if __name__ == "__main__":
    main([a_dead_job_is_retried_where_it_is_kept_and_runs_once_however_often_it_is_sent_back,
          what_is_sent_back_while_no_worker_runs_is_run_when_one_does,
          what_is_sent_back_has_the_key_value_and_headers_of_its_record_byte_for_byte,
          a_job_whose_identity_is_forgotten_is_sent_as_its_record,
          a_bad_record_is_repaired_by_a_program_and_runs_once,
          copies_count_once_and_times_of_death_select,
          http_lists_and_sends_back])
