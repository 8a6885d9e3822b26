"""Replays on a real Kafka: what is copied, once, behind the live jobs, across deaths of workers."""

import collections
import datetime
import json
import random
import threading
import time

from confluent_kafka import Producer
from harness import replay, until
from replays import PATIENT, Recorded, ask, await_shown, ended, fenced, started, working
from scenarios import main


def a_range_is_copied_once_and_a_second_start_changes_nothing(stage):
    _, config = working(stage)
    jobs = [(f"account-{n % 7}", f"job-{n}") for n in range(200)]
    stage.enqueue(jobs)
    stage.enqueue([jobs[3], jobs[4]])  # repeats
    until("they have ended", lambda: stage.trace.ends() == 200)
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "first")
    assert shown["state"] == "finished" and shown["admitted"] == 200, shown
    assert shown["scanned"] == 202 and shown["left_out"] == {"repeat": 2}, shown
    assert shown["ended"] == {"succeeded": 200} and shown["waiting"] == 0, shown
    again = replay(stage, config, "start", "--queue", stage.queue, "--id", "first")
    assert again["admitted"] == 200
    refused = replay(stage, config, "start", "--queue", stage.queue, "--id", "first", "--type", "job", expect=1)
    assert "types" in refused, refused
    copies = {attempt.id for attempt in stage.trace.read().attempts.values() if attempt.id.startswith("replay/")}
    assert copies == {f"replay/first/{job}" for _, job in jobs}
    assert stage.trace.reruns() == 0
    # A copy of the same range keeps the order of each account.
    for attempts in stage.trace.by_account().values():
        order = [attempt.id.rsplit("-", 1)[1] for attempt in attempts if attempt.id.startswith("replay/")]
        assert order == sorted(order, key=int), order
    assert [line["id"] for line in [replay(stage, config, "list")]] == ["first"]
    replay(stage, config, "delete", "first", "--queue", stage.queue)
    replay(stage, config, "show", "first", "--queue", stage.queue, expect=3)


def filters_and_a_dry_run_count_the_same(stage):
    _, config = working(stage, types={"job": {}, "other": {}})
    stage.enqueue([("acme", f"a{n}", {"args": {"segment": n % 3}}) for n in range(30)])
    stage.enqueue([("beta", f"b{n}", {"type": "other", "args": {"segment": n % 3}}) for n in range(30)])
    until("they have ended", lambda: stage.trace.ends() == 60)
    choice = ["--queue", stage.queue, "--account", "beta", "--type", "other", "--where", "/segment=2"]
    counted = replay(stage, config, "start", *choice, "--dry-run")
    assert counted["matched"] == 10 and counted["types"] == {"other": 10}, counted
    assert counted["accounts"] == {"beta": 10} and len(counted["samples"]) == 10, counted
    assert stage.trace.ends() == 60
    shown = replay(stage, config, "start", *choice, "--id", "some")
    assert shown["admitted"] == 10 and shown["matched"] == 10, shown
    ids = stage.folder / "ids"
    ids.write_text("a1\nb2\nnone\n")
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "two", "--ids", str(ids))
    assert shown["admitted"] == 2, shown
    assert {"replay/two/a1", "replay/two/b2"} <= {attempt.id for attempt in stage.trace.read().attempts.values()}


def a_replay_is_paused_resumed_and_cancelled(stage):
    [worker], config = working(stage, types={"job": dict(PATIENT), "fence": {}})
    accounts, gate = [f"account-{n}" for n in range(3)], stage.gate()
    gate.touch()
    stage.enqueue([(accounts[n % 3], f"job-{n}", {"args": {"waits_for": str(gate)}}) for n in range(90)])
    until("they have ended", lambda: stage.trace.ends() == 90)
    gate.unlink()

    def run(count, waiting, state):
        def reached(shown):
            return shown["state"] == state and (shown["running"], shown["waiting"]) == (count, waiting)
        return await_shown(stage, config, "r", reached, f"is {state}, {count} of its copies run and {waiting} wait")
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--detach")
    run(3, 87, "running")
    with fenced(stage, worker, "pause"):
        paused = replay(stage, config, "pause", "r", "--queue", stage.queue)
        assert paused["state"] == "paused", paused
    gate.touch()
    stage.enqueue([(account, "live") for account in accounts])
    until("live jobs run meanwhile", lambda: {(account, "live") for account in accounts} <= stage.trace.read().done)
    run(0, 87, "paused")
    assert len(started(stage)) == 3, "copies start while the replay is paused"
    gate.unlink()
    replay(stage, config, "resume", "r", "--queue", stage.queue)
    run(3, 84, "running")
    with fenced(stage, worker, "cancel"):
        replay(stage, config, "cancel", "r", "--queue", stage.queue)
    gate.touch()
    shown = run(0, 0, "cancelled")
    assert shown["admitted"] == 90 and shown["ended"] == {"succeeded": 6, "cancelled": 84}, shown
    assert len(started(stage)) == 6, started(stage)
    replay(stage, config, "resume", "r", "--queue", stage.queue, expect=1)


def what_is_shown_adds_up_over_partitions_and_says_who_started_it(stage):
    _, config = working(stage, types={"job": {"retry": {"attempts": 1}}})
    broken = stage.folder / "broken"
    stage.enqueue([(f"account-{n % 9}", f"job-{n}", {"args": {"fails_while": str(broken)} if n % 5 == 0 else {}})
                   for n in range(60)])
    stage.enqueue([(f"account-{n % 9}", f"job-{n}") for n in range(12)])  # repeats
    stage.produce([(f"account-{n}", "{no record") for n in range(9)])
    stage.produce([(f"account-{n}", json.dumps({"op": "cancel", "id": "nobody"})) for n in range(9)])
    until("they have ended", lambda: stage.trace.ends() == 60)
    broken.touch()
    since = int(time.time() * 1000) - 3_600_000
    before = time.time()
    shown = replay(stage, config, "--queue", stage.queue, "--from", str(since))
    assert shown["id"].startswith("replay-") and shown["state"] == "finished" and shown["queue"] == stage.queue, shown
    assert set(shown["terms"]) == {"from"}, shown
    assert before - 1 <= datetime.datetime.fromisoformat(shown["started_at"].replace("Z", "+00:00")).timestamp() <= time.time()
    assert "@" in shown["started_by"] and shown["rate"] > 0 and shown["estimated_end"] is None, shown
    assert shown["records"] == shown["scanned"] == 90 and shown["matched"] == 72, shown
    assert shown["left_out"] == {"command": 9, "bad": 9, "repeat": 12}, shown
    assert shown["ended"] == {"succeeded": 48, "dead": 12} and shown["admitted"] == 60, shown
    parts = shown["partitions"]
    assert len([part for part in parts if part["admitted"]]) == stage.partitions, shown
    assert all(part["done"] and part["next"] >= part["to"] and part["from"] == 0 for part in parts), shown
    for name in ("scanned", "matched", "admitted", "sent", "waiting", "running"):
        assert sum(part[name] for part in parts) == shown[name], (name, shown)
    for name in ("left_out", "ended"):
        assert sum((collections.Counter(part[name]) for part in parts), collections.Counter()) == shown[name], (name, shown)
    assert replay(stage, config, "list", "--queue", stage.queue)["ended"] == shown["ended"]


def a_range_that_ends_with_the_markers_of_a_transaction_is_read_to_its_end(stage):
    """Markers have offsets, but are no records."""
    _, config = working(stage)
    producer = Producer(stage.client(partitioner="murmur2_random", transactional_id=f"{stage.prefix}-producer"))
    producer.init_transactions(30)
    for batch in range(3):
        producer.begin_transaction()
        for n in range(20):
            value = json.dumps({"type": "job", "id": f"job-{batch}-{n}"})
            producer.produce(stage.topic, value, f"account-{n}")
        producer.commit_transaction(30)
    until("they have ended", lambda: stage.trace.ends() == 60)
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r")
    assert shown["state"] == "finished" and shown["scanned"] == shown["admitted"] == 60, shown
    assert stage.trace.ends() == 120


def dead_jobs_are_replayed_and_pause_their_replay_when_they_die_again(stage):
    policy = {"retry": {"attempts": 1}}
    _, config = working(stage, types={"job": policy})
    broken = stage.folder / "broken"
    broken.touch()
    stage.enqueue([(f"account-{n % 5}", f"job-{n}", {"args": {"fails_while": str(broken)}}) for n in range(60)])
    stage.enqueue([("account-0", "discarded", {"args": {"discard": "no"}}), ("account-0", "fine")])
    until("60 are dead", lambda: len(stage.records(".dead")) >= 61)
    choice = ["--queue", stage.queue, "--dead", "--reason", "attempts_exhausted"]
    stopped = replay(stage, config, "start", *choice, "--id", "early", "--max-dead", "20%", expect=1)
    assert stopped["state"] == "paused" and "dead" in stopped["reason"], stopped
    broken.unlink()
    replay(stage, config, "resume", "early", "--queue", stage.queue)

    def finished():
        shown = replay(stage, config, "show", "early", "--queue", stage.queue)
        return shown if shown["state"] == "finished" else None
    shown = until("the replay is over", finished)
    assert shown["admitted"] == 60, shown
    again = replay(stage, config, "start", *choice, "--id", "late")
    died = shown["ended"]["dead"]
    # The copies that died are dead jobs themselves, and pass on their originals' ids.
    assert again["admitted"] == 60 and again["left_out"] == {"repeat": died}, again
    assert "replay/late/job-7" in {attempt.id for attempt in stage.trace.read().attempts.values()}


def each_row_of_what_a_copy_is_holds(stage):
    recorded = Recorded(stage)
    handler, requests, of = recorded.handler, recorded.all, recorded.of
    types = {name: {"handler": handler} for name in ("job", "one", "lasting", "chunk", "report")}
    types["one"]["unique"] = {"by": ["/key"], "scope": "queued_and_running", "on_conflict": "replace"}
    types["lasting"]["unique"] = {"by": ["/key"], "scope": "ttl", "ttl": "1h"}
    config = stage.config(events="terminal", account_concurrency=6, types=types)
    config["queues"]["shadow"] = {"partitions": 2, "types": {"job": {"handler": handler}}}
    stage.make_topics(config)
    worker = stage.worker("worker", config=config).start().ready()
    gate, later = stage.gate(), int((time.time() + 3600) * 1000)

    def record(job_id, kind="job", **members):
        return "acme", json.dumps({"type": kind, "id": job_id, **members})
    home = stage.produce([record("unique-1", "one", args={"key": 1})])[0][0]
    until("the first has ended", lambda: of("unique-1"))
    stage.produce([
        (*record("plain", args={"a": [1, "\u00e9"]}, meta={"m": 1}), {"headers": {"trace": b"t-1"}}),
        record("past", run_at=int((time.time() - 60) * 1000)),
        record("later", run_at=later),
        record("expired", expires_at=int((time.time() - 60) * 1000)),
        *(record(f"chunk-{index}", "chunk", bulk={"id": "b", "index": index, "size": 2, "on_done": {"type": "report"}})
          for index in range(2)),
        record("lasting-1", "lasting", args={"key": 1}),
        record("parent", args={"enqueue": [{"type": "job", "id": "child"}, {"type": "job"}]}),
        ("acme", json.dumps({"op": "cancel", "id": "nobody"})),
        ("acme", "{no record"),
        (*record("astray"), {"partition": (home + 1) % stage.partitions}),
        record("holder", "one", args={"key": 1, "waits_for": str(gate)}),
    ])
    until("what is to run at once runs", lambda: {"plain", "past", "chunk-0", "chunk-1", "lasting-1", "parent", "child",
                                                  "astray", "holder"} <= {request["id"] for request in requests()}
          and any(request["type"] == "report" for request in requests()))
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--detach")

    def copied():
        shown = replay(stage, config, "show", "r", "--queue", stage.queue)
        read = all(one["next"] >= one["to"] for one in shown["partitions"])
        return shown if read and (shown["running"], shown["waiting"]) == (0, 1) else None
    shown = until("all is copied, and all but one copy have ended", copied)
    assert not of("replay/r/later"), shown
    [first, second] = [ask(worker, "GET", f"/v1/queues/{stage.queue}/jobs/{job}?account=acme")[1]
                       for job in ("later", "replay%2Fr%2Flater")]
    assert first["run_at"] == second["run_at"] and second["state"] == "scheduled", (first, second)
    assert {reason: shown["left_out"].get(reason) for reason in ("command", "bad", "forwarded")} == {
        "command": 1, "bad": 1, "forwarded": 1}, shown
    [plain], [copy] = of("plain"), of("replay/r/plain")
    for member in ("type", "args", "meta", "headers", "account"):
        assert copy.get(member) == plain.get(member), (member, plain, copy)
    assert copy["replay"]["id"] == "r" and copy["replay"]["of"] == "plain" and "replay" not in plain
    assert copy["replay"]["source"].startswith(f"{stage.topic}/{home}/"), copy
    for once in ("past", "expired", "chunk-0", "chunk-1", "lasting-1", "parent", "child", "astray"):
        assert len(of(f"replay/r/{once}")) == 1, once
    assert all(not request.get("bulk") for request in requests() if request["id"].startswith("replay/r/chunk"))
    reports = [request for request in requests() if request["type"] == "report" and "replay" not in request]
    assert len(reports) == 1, reports
    # The live holder's lock: both copies yield, and replace nothing.
    assert shown["ended"]["duplicate"] >= 2 and not of("replay/r/unique-1") and not of("replay/r/holder"), shown
    # A follow-up job without an id has one that is derived from the copy's.
    assert [request for request in requests() if request["id"].startswith("replay/r/parent/")], "parent's second child"
    gate.touch()
    ids = stage.folder / "ids"
    ids.write_text("expired\n")
    kept = replay(stage, config, "start", "--queue", stage.queue, "--id", "kept", "--ids", str(ids), "--keep-expiry")
    assert kept["ended"] == {"expired": 1}, kept
    ids.write_text("plain\n")
    replay(stage, config, "start", "--queue", stage.queue, "--id", "out", "--ids", str(ids), "--to-queue", "shadow")
    until("it has run there", lambda: of("replay/out/plain"))
    again = replay(stage, config, "start", "--queue", "shadow", "--id", "again")
    assert again["left_out"] == {"copy": 1} and again["admitted"] == 0, again


def a_program_repairs_bad_records(stage):
    _, config = working(stage)
    stage.enqueue([("acme", "good"), ("acme", "unwanted")])
    stage.produce([("acme", json.dumps({"type": "job", "id": "bad", "prioritty": 5}))])
    until("they have ended", lambda: stage.trace.ends() == 2)
    program = stage.folder / "repair.py"
    program.write_text("import json, sys\nfor line in sys.stdin:\n"
                       "    record = json.loads(line)\n"
                       "    if record['id'] == 'unwanted':\n"
                       "        print('null', flush=True)\n        continue\n"
                       "    if 'prioritty' in record:\n        record['priority'] = record.pop('prioritty')\n"
                       "    print(json.dumps(record), flush=True)\n")
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r",
                   "--through", f"exec:/usr/bin/python3 {program}")
    assert shown["admitted"] == 2 and shown["left_out"] == {"refused": 1}, shown
    assert {"replay/r/good", "replay/r/bad"} <= {attempt.id for attempt in stage.trace.read().attempts.values()}
    failed = replay(stage, config, "start", "--queue", stage.queue, "--id", "f", "--through", "exec:/bin/false",
                    expect=1)
    assert failed["state"] == "paused" and "program" in failed["reason"], failed


def copies_go_to_a_shadow_queue_exactly_once(stage):
    config = stage.config(events="terminal")
    config["queues"]["shadow"] = {"partitions": 3, "types": {"job": {"handler": stage.tracing()}}}
    stage.make_topics(config)
    stage.worker("worker", config=config).start().ready()
    stage.enqueue([(f"account-{n % 5}", f"job-{n}") for n in range(100)])
    until("they have ended", lambda: stage.trace.ends() == 100)
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--to-queue", "shadow")
    assert shown["sent"] == 100 and shown["admitted"] == 0 and shown["state"] == "finished", shown
    until("the copies have ended", lambda: stage.trace.ends() == 200)
    records = stage.records_of(f"{stage.prefix}.shadow", 3)
    assert len(records) == 100, len(records)
    assert {json.loads(record.value)["id"] for record in records} == {f"replay/r/job-{n}" for n in range(100)}


def what_is_offered_over_http(stage):
    [worker], config = working(stage)
    stage.enqueue([("acme", f"job-{n}") for n in range(20)])
    until("they have ended", lambda: stage.trace.ends() == 20)
    path = f"/v1/queues/{stage.queue}/replays"
    assert ask(worker, "POST", path + "?dry_run=true", {"types": ["job"]})[1]["matched"] == 20
    status, made = ask(worker, "POST", path, {"id": "r", "types": ["job"]})
    assert status == 201 and made["id"] == "r", made
    assert ask(worker, "POST", path, {"id": "r", "types": ["job"]})[0] == 200
    assert ask(worker, "POST", path, {"id": "r"})[0] == 409
    status, wrong = ask(worker, "POST", path, {"id": "x", "rate": "often"})
    assert status == 422 and wrong["member"] == "/rate", wrong
    assert ask(worker, "POST", path, {"id": "x", "through": ["/bin/cat"]})[0] == 422
    until("it is over", lambda: ask(worker, "GET", f"{path}/r")[1]["state"] == "finished")
    assert [one["id"] for one in ask(worker, "GET", path)[1]["replays"]] == ["r"]
    assert ask(worker, "POST", f"{path}/r/pause")[0] == 409
    assert ask(worker, "DELETE", f"{path}/r")[0] == 200
    assert ask(worker, "GET", f"{path}/r")[0] == 404


def a_replay_is_found_by_its_name_and_shown_as_text(stage):
    config = stage.config(events="terminal")
    config["queues"]["other"] = {"partitions": 2, "types": {"job": {"handler": stage.tracing()}}}
    stage.make_topics(config)
    stage.worker("worker", config=config).start().ready()
    stage.enqueue([("acme", f"job-{n}") for n in range(10)])
    until("they have ended", lambda: stage.trace.ends() == 10)
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--job", "job-3", "--job", "job-5")
    assert shown["admitted"] == 2 and shown["terms"] == {"ids": ["job-3", "job-5"]}, shown
    assert replay(stage, config, "show", "r")["queue"] == stage.queue
    assert "no queue has a replay" in replay(stage, config, "show", "s", expect=3)
    text = stage.penstock("replay", "show", "r", config=config).stdout
    for line in ("state         finished", "scanned       10", "matched       2", "ended         2 succeeded"):
        assert f"\n{line}\n" in text, text
    rows = text.split("\n\n", 1)[1].splitlines()
    assert len(rows) == 1 + stage.partitions and rows[0].startswith("PARTITION\t"), text
    replay(stage, config, "start", "--queue", "other", "--id", "r")
    assert "--queue" in replay(stage, config, "delete", "r", expect=2)
    replay(stage, config, "delete", "r", "--queue", "other")
    replay(stage, config, "delete", "r")
    replay(stage, config, "delete", "r", expect=3)


def each_is_copied_once_and_in_order_while_workers_die_and_live_jobs_run(stage):
    """A replay of the middle of what was produced, with live traffic and deaths; paused, resumed, finished, again."""
    jobs, accounts, live = 3000, 40, 400
    workers, config = working(stage, workers=2, types={"job": {"retry": {"attempts": 1}}, "later": {}})
    chance = random.Random(7)
    middle = range(jobs // 4, 3 * jobs // 4)
    made = [(f"account-{n % accounts}", f"job-{n}", {"args": {"discard": "no"}} if n % 50 == 0 else {})
            for n in range(jobs)]
    bounds = {}
    for first in (0, middle.start, middle.stop):
        last = {0: middle.start, middle.start: middle.stop, middle.stop: jobs}[first]
        bounds[first] = time.time()
        stage.enqueue(made[first:last])
        time.sleep(0.05)
    until("they have ended", lambda: stage.trace.ends() == jobs, 180)
    since, to = (str(int(bounds[at] * 1000)) for at in (middle.start, middle.stop))
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--from", since, "--to", to,
           "--rate", "300/s", "--detach")
    stopped = threading.Event()

    def produce_live():
        for number in range(live):
            stage.enqueue([(f"account-{number % accounts}", f"live-{number}")])
            if stopped.wait(0.01):
                return
    producing = threading.Thread(target=produce_live)
    producing.start()
    try:
        for round_number in range(3):
            time.sleep(chance.uniform(0.5, 2))
            workers[round_number % 2].kill()
            workers[round_number % 2].start()
            if round_number == 0:
                replay(stage, config, "pause", "r", "--queue", stage.queue)
                time.sleep(1)
                replay(stage, config, "resume", "r", "--queue", stage.queue)
        producing.join()

        def finished():
            shown = replay(stage, config, "show", "r", "--queue", stage.queue)
            return shown if shown["state"] == "finished" else None
        shown = until("the replay is over", finished, 180)
    finally:
        stopped.set()
        producing.join()
    again = replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--from", since, "--to", to,
                   "--rate", "300/s")
    assert again["admitted"] == len(middle) == shown["admitted"], (again, len(middle))
    found = ended(stage, jobs + live + len(middle), 120)
    copies = {job for job in found if job.startswith("replay/r/")}
    assert copies == {f"replay/r/job-{n}" for n in middle}, len(copies)
    # First starts, in the order of the originals. After a death an attempt may start again.
    for account, attempts in stage.trace.by_account().items():
        first = list(dict.fromkeys(int(attempt.id.rsplit("-", 1)[1]) for attempt in attempts
                                   if attempt.id.startswith("replay/")))
        assert first == sorted(first), (account, first)


main([
    each_row_of_what_a_copy_is_holds,
    a_range_is_copied_once_and_a_second_start_changes_nothing,
    filters_and_a_dry_run_count_the_same,
    a_replay_is_paused_resumed_and_cancelled,
    what_is_shown_adds_up_over_partitions_and_says_who_started_it,
    a_range_that_ends_with_the_markers_of_a_transaction_is_read_to_its_end,
    dead_jobs_are_replayed_and_pause_their_replay_when_they_die_again,
    a_program_repairs_bad_records,
    copies_go_to_a_shadow_queue_exactly_once,
    what_is_offered_over_http,
    a_replay_is_found_by_its_name_and_shown_as_text,
    each_is_copied_once_and_in_order_while_workers_die_and_live_jobs_run,
])
