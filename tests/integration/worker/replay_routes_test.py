"""Ways of copies on a real Kafka: into another queue across deaths of workers, through a program, and over HTTP."""

import collections
import json

from harness import replay, until
from replays import PATIENT, Recorded, ask, await_finished, await_shown, ended, fenced, started, working
from scenarios import main

PARTITIONS_OF_SHADOW = 3


def own_headers(record):
    return [(name, value) for name, value in record.headers if not name.startswith("penstock-")]


def with_shadow(stage, types, shadow_types):
    config = stage.config(events="terminal", types=types)
    config["queues"]["shadow"] = {"partitions": PARTITIONS_OF_SHADOW, "events": "terminal", "types": shadow_types}
    stage.make_topics(config)
    return config


def shadow_records(stage, suffix=""):
    return stage.records_of(f"{stage.prefix}.shadow{suffix}", PARTITIONS_OF_SHADOW)


def shadow_ends(stage):
    """The terminal events of the shadow queue as (event, id); one that a crash repeated is there once."""
    told = {}
    for record in shadow_records(stage, ".events"):
        told[record.partition, dict(record.headers)["penstock-message"]] = json.loads(record.value)
    return [(event["event"], event["id"]) for event in told.values()]


def every_copy_arrives_in_another_queue_exactly_once_while_workers_die(stage):
    """What sends is killed, what receives is not: an id that arrived twice would run twice."""
    types = {"job": {"handler": stage.tracing()}}
    config = with_shadow(stage, types, types)
    senders = [stage.worker(name, "--queue", stage.queue, config=config).start() for name in ("a", "b")]
    stage.worker("shadow", "--queue", "shadow", config=config).start().ready()
    for worker in senders:
        worker.ready()
    until("both send", lambda: stage.all_run(senders))
    jobs = 600
    originals = {f"job-{n}": (f"account-{n % 12}", {"type": "job", "id": f"job-{n}", "args": {"n": n}, "priority": n % 5,
                                                   "meta": {"m": n}}, [("trace", b"t-%d" % n), ("raw", b"\xff\x00")])
                 for n in range(jobs)}
    stage.produce([(account, json.dumps(value), {"headers": headers}) for account, value, headers in originals.values()])
    until("the originals have ended", lambda: stage.trace.ends() == jobs, 120)
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--to-queue", "shadow", "--rate", "50/s", "--detach")
    for number, sent in enumerate((100, 200, 300)):
        shown = await_shown(stage, config, "r", lambda shown, least=sent: shown["sent"] >= least, f"has sent {sent}")
        assert shown["sent"] < jobs, "all was sent before a sender could be killed"
        senders[number % 2].kill()
        if number < 2:
            senders[number % 2].start()
    shown = await_finished(stage, config, "r")
    assert shown["sent"] == shown["matched"] == jobs and shown["admitted"] == 0 and shown["left_out"] == {}, shown
    until("the copies have ended", lambda: len(shadow_ends(stage)) >= jobs)
    wanted = {f"replay/r/{job}" for job in originals}
    assert collections.Counter(shadow_ends(stage)) == collections.Counter(("succeeded", job) for job in wanted)
    assert collections.Counter(attempt.id for attempt in started(stage)) == collections.Counter(wanted)
    names = {}
    for record in shadow_records(stage):
        value = json.loads(record.value)
        account, original, headers = originals[value["id"].removeprefix("replay/r/")]
        assert record.key == account.encode() and own_headers(record) == headers, record
        assert value == {key: item for key, item in {**original, "id": value["id"]}.items() if (key, item) != ("priority", 0)}
        name = names.setdefault(value["id"], dict(record.headers)["penstock-message"])
        # Only what a receiver knows to be the same message may be there a second time.
        assert name == dict(record.headers)["penstock-message"], record
    assert set(names) == wanted and len(set(names.values())) == jobs


def a_copy_yields_to_a_live_holder_of_its_lock_in_the_queue_that_it_is_sent_to(stage):
    recorded = Recorded(stage)
    unique = {"by": ["/key"], "scope": "until_done", "on_conflict": "replace"}
    config = with_shadow(stage, {"one": {"handler": recorded.handler}},
                         {"one": {"handler": recorded.handler, "unique": unique, **PATIENT}})
    worker = stage.worker("worker", config=config).start().ready()
    gate = stage.gate()
    stage.enqueue([("acme", f"job-{key}", {"type": "one", "args": {"key": key, "from": "q"}}) for key in range(3)])
    recorded.await_ids("job-0", "job-1", "job-2")
    for key, more in ((0, {"waits_for": str(gate)}), (1, {})):
        done = stage.penstock("enqueue", "--queue", "shadow", "--type", "one", "--account", "acme", "--id", f"holder-{key}",
                              "--args", json.dumps({"key": key, "from": "shadow", **more}), config=config)
        assert done.returncode == 0, done.stderr
    recorded.await_ids("holder-0")  # one holder runs, and the other one waits behind it
    path = "/v1/queues/shadow/jobs/holder-1?account=acme"
    until("the other holder waits", lambda: worker.http(path)[0] == 200)
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--to-queue", "shadow")
    assert shown["sent"] == 3, shown
    duplicates = {("duplicate", "replay/r/job-0"), ("duplicate", "replay/r/job-1")}
    until("two copies have yielded", lambda: duplicates <= set(shadow_ends(stage)))
    gate.touch()
    recorded.await_ids("holder-1", "replay/r/job-2")
    until("all have ended", lambda: len(shadow_ends(stage)) == 5)
    assert {end for end, _ in set(shadow_ends(stage)) - duplicates} == {"succeeded"}, shadow_ends(stage)
    assert not recorded.of("replay/r/job-0") and not recorded.of("replay/r/job-1"), recorded.all()
    assert [request["args"] for request in recorded.of("holder-1")] == [{"key": 1, "from": "shadow"}], recorded.all()
    assert worker.stop() == 0


def elsewhere(stage):
    """An account of another partition than that of the account acme."""
    placed = stage.enqueue([(account, f"of-{account}") for account in ("acme", *(f"account-{n}" for n in range(20)))])
    return next(job.account for job in placed if job.partition != placed[0].partition)


def a_copy_that_died_in_another_queue_passes_on_the_id_of_the_first_original(stage):
    broken = stage.gate("broken")
    once = {"job": {"handler": stage.tracing(), "retry": {"attempts": 1}}}
    config = with_shadow(stage, once, once)
    worker = stage.worker("worker", config=config).start().ready()
    stage.enqueue([("acme", f"job-{n}", {"args": {"fails_while": str(broken)}}) for n in range(3)])
    until("the originals have ended", lambda: worker.counted("succeeded") == 3)
    broken.touch()
    replay(stage, config, "start", "--queue", stage.queue, "--id", "out", "--to-queue", "shadow")
    until("the copies are dead", lambda: len(shadow_records(stage, ".dead")) == 3)
    broken.unlink()
    left_out = replay(stage, config, "start", "--queue", "shadow", "--id", "none")
    assert left_out["left_out"] == {"copy": 3} and left_out["admitted"] == 0, left_out
    shown = replay(stage, config, "start", "--queue", "shadow", "--id", "again", "--dead")
    assert shown["ended"] == {"succeeded": 3} and shown["left_out"] == {}, shown
    assert {attempt.id for attempt in started(stage, "replay/again/")} == {f"replay/again/job-{n}" for n in range(3)}
    assert worker.stop() == 0


THROUGH = """import json, os, sys
for text in sys.stdin:
    seen = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(seen, text.encode())
    os.close(seen)
    record = json.loads(text)
    if record.get("id") == "drop":
        record = None
    elif record.get("id") == "change":
        record["args"]["n"] += 1
        record["priority"] = 9
    elif record.get("id") == "move":
        record["account"] = record["args"]["to"]
    elif record.get("id") == "retype":
        record["type"] = "other"
    elif record.get("id") == "spoil":
        record["prioritty"] = 1
    elif "prioritty" in record:
        record["priority"] = record.pop("prioritty")
    elif "value" in record:
        record = {"type": "job", "id": "made", "args": {"text": record["value"]}}
    print(json.dumps(record), flush=True)
"""


def through(stage):
    """The option with a program that changes what it gets, and what it has got so far."""
    program, seen = stage.folder / "through.py", stage.folder / "through"
    program.write_text(THROUGH)

    def got():
        return [json.loads(line) for line in seen.read_text().splitlines()] if seen.exists() else []
    return ["--through", f"exec:/usr/bin/python3 {program} {seen}"], got


def a_program_drops_changes_moves_and_repairs(stage):
    recorded = Recorded(stage)
    _, config = working(stage, types={name: {"handler": recorded.handler} for name in ("job", "other")})
    account = elsewhere(stage)
    ids = ["keep", "drop", "change", "move", "retype", "spoil"]
    values = [{"type": "job", "id": job, "args": {"n": 7, "to": account}, "meta": {"m": job}} for job in ids]
    values += [{"type": "job", "id": "bad", "args": {}, "prioritty": 4}, {"type": "job", "prioritty": 5}]
    places = stage.produce([*(("acme", json.dumps(value), {"headers": {"trace": b"t"}}) for value in values),
                            ("acme", "{no record", {"headers": {"trace": b"t"}}), ("acme", json.dumps({"op": "cancel", "id": "nobody"}))])
    sources = [f"{stage.topic}/{partition}/{offset}" for partition, offset in places]
    recorded.await_ids(*ids)
    until("the bad ones are dead", lambda: len(stage.records(".dead")) == 3)
    option, got = through(stage)
    offsets = ["--offsets", f"{places[0][0]}:{places[0][1]}-"]
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r", *offsets, *option)
    assert shown["state"] == "finished" and shown["scanned"] == 10, shown
    assert shown["left_out"] == {"refused": 2, "command": 1} and shown["admitted"] == shown["ended"]["succeeded"] == 7, shown
    # Every record that is selected, and every bad one, once and with its account.
    assert got() == [*({"account": "acme", **value} for value in values), {"account": "acme", "value": "{no record"}], got()
    copies = {request["id"]: request for request in recorded.all() if "replay" in request}
    names = ["keep", "change", "move", "retype", "bad", sources[7], "made"]
    assert set(copies) == {f"replay/r/{name}" for name in names}, copies
    for name, source in zip(names, [sources[n] for n in (0, 2, 3, 4, 6, 7, 8)]):
        copy = copies[f"replay/r/{name}"]
        assert copy["replay"] == {"id": "r", "of": name, "source": source} and copy["headers"] == {"trace": "t"}, copy
    assert copies["replay/r/change"]["args"] == {"n": 8, "to": account}, copies
    assert copies["replay/r/made"]["args"] == {"text": "{no record"}, copies
    assert {name: copies[f"replay/r/{name}"]["account"] for name in names} == {
        **dict.fromkeys(names, "acme"), "move": account}, copies
    assert {name: copies[f"replay/r/{name}"]["type"] for name in names} == {
        **dict.fromkeys(names, "job"), "retype": "other"}, copies
    assert all(len(recorded.of(job)) == 1 for job in copies), recorded.all()


def a_program_repairs_dead_records_of_a_reason(stage):
    recorded = Recorded(stage)
    _, config = working(stage, types={"job": {"handler": recorded.handler}})
    values = [json.dumps({"type": "job", "id": f"bad-{n}", "args": {"n": n}, "prioritty": n}) for n in range(6)]
    places = stage.produce([*((f"account-{n}", value, {"headers": {"trace": b"t-%d" % n}}) for n, value in enumerate(values)),
                            ("account-1", "{no record"), ("account-1", json.dumps({"type": "job", "id": "good"}))])
    recorded.await_ids("good")
    until("the bad ones are dead", lambda: len(stage.records(".dead")) == 7)
    option, got = through(stage)
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "d", "--dead", "--reason", "bad_field", *option)
    assert shown["state"] == "finished" and shown["left_out"] == {}, shown
    assert shown["admitted"] == shown["ended"]["succeeded"] == 6, shown
    assert sorted(got(), key=lambda record: record["id"]) == [
        {"account": f"account-{n}", **json.loads(value)} for n, value in enumerate(values)], got()
    for n in range(6):
        [copy] = recorded.of(f"replay/d/bad-{n}")
        partition, offset = places[n]
        assert copy["replay"] == {"id": "d", "of": f"bad-{n}", "source": f"{stage.topic}/{partition}/{offset}"}, copy
        assert copy["args"] == {"n": n} and copy["account"] == f"account-{n}", copy
        assert copy["headers"] == {"trace": f"t-{n}"}, copy


def a_replay_is_paused_resumed_cancelled_and_deleted_over_http(stage):
    [worker], _ = working(stage, types={"job": dict(PATIENT), "fence": {}})
    gate = stage.gate()
    gate.touch()
    stage.enqueue([("acme", f"job-{n}", {"args": {"waits_for": str(gate)}}) for n in range(4)])
    until("the originals have ended", lambda: stage.trace.ends() == 4)
    gate.unlink()
    path = f"/v1/queues/{stage.queue}/replays"
    one = f"{path}/r"

    def counts(running, waiting):
        def reached():
            shown = ask(worker, "GET", one)[1]
            return shown if (shown["running"], shown["waiting"]) == (running, waiting) else None
        return until(f"{running} copies run and {waiting} wait", reached)

    status, made = ask(worker, "POST", path + "?by=somebody", {"id": "r", "ids": [f"job-{n}" for n in range(4)]})
    assert status == 201 and made["state"] == "running" and made["started_by"] == "somebody", made
    counts(1, 3)
    assert ask(worker, "DELETE", one)[0] == 409
    assert ask(worker, "POST", f"{one}/halt")[0] == 404 and ask(worker, "GET", f"{one}/pause")[0] == 405
    with fenced(stage, worker, "pause"):
        for _ in range(2):
            status, shown = ask(worker, "POST", f"{one}/pause")
            assert status == 200 and shown["state"] == "paused", shown
    gate.touch()
    stage.enqueue([("acme", "live")])
    until("a live job has ended", lambda: stage.trace.of("live") and stage.trace.of("live")[0].ended)
    counts(0, 3)
    assert [attempt.id for attempt in started(stage)] == ["replay/r/job-0"], started(stage)
    gate.unlink()
    status, shown = ask(worker, "POST", f"{one}/resume")
    assert status == 200 and shown["state"] == "running", shown
    counts(1, 2)
    with fenced(stage, worker, "cancel"):
        status, shown = ask(worker, "POST", f"{one}/cancel")
        assert status == 200 and shown["state"] == "cancelled", shown
    gate.touch()
    shown = counts(0, 0)
    assert shown["state"] == "cancelled" and shown["ended"] == {"succeeded": 2, "cancelled": 2}, shown
    assert [attempt.id for attempt in started(stage)] == ["replay/r/job-0", "replay/r/job-1"], started(stage)
    assert ask(worker, "POST", f"{one}/resume")[0] == ask(worker, "POST", f"{one}/pause")[0] == 409
    assert ask(worker, "DELETE", one)[0] == 200
    assert ask(worker, "GET", one)[0] == ask(worker, "DELETE", one)[0] == ask(worker, "POST", f"{one}/pause")[0] == 404
    assert ask(worker, "GET", path)[1]["replays"] == []
    assert sorted(found["event"] for found in ended(stage, 4 + 32 + 1 + 4).values()) == ["cancelled"] * 2 + ["succeeded"] * 39
    assert worker.stop() == 0


if __name__ == "__main__":
    main([
        every_copy_arrives_in_another_queue_exactly_once_while_workers_die,
        a_copy_yields_to_a_live_holder_of_its_lock_in_the_queue_that_it_is_sent_to,
        a_copy_that_died_in_another_queue_passes_on_the_id_of_the_first_original,
        a_program_drops_changes_moves_and_repairs,
        a_program_repairs_dead_records_of_a_reason,
        a_replay_is_paused_resumed_cancelled_and_deleted_over_http,
    ])
