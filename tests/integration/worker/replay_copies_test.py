"""What a copy is on a real Kafka, and when it runs: its record, its bulk, its follow-up jobs, and the live jobs first."""

import datetime
import json
import time

from endpoint import Answering, Endpoint
from groups import partitions
from harness import replay, until
from limited import max_at_once
from replays import PATIENT, Recorded, await_finished, await_shown, started, working, write_ids
from scenarios import main
from trace import check_account

HOUR_MS = 3_600_000


def live_jobs_start_before_copies(stage, order, copied=0, live_priority=0):
    """The priorities are those of the copied and of the live jobs."""
    _, config = working(stage, events="all", order=order, account_concurrency=1, types={"job": dict(PATIENT)})
    gate = stage.gate()
    gate.touch()
    stage.enqueue([("acme", f"job-{n}", {"args": {"waits_for": str(gate)}, "priority": copied}) for n in range(5)])
    until("the originals have ended", lambda: stage.trace.ends() == 5)
    gate.unlink()
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--detach")
    until("the first copy runs", lambda: stage.trace.of("replay/r/job-0"))
    await_shown(stage, config, "r", lambda shown: shown["waiting"] == 4, "has 4 copies that wait")
    live = [f"live-{n}" for n in range(5)]
    stage.enqueue([("acme", job, {"priority": live_priority}) for job in live])
    until("the live jobs are admitted", lambda: all(stage.events()["admitted", "acme", job] for job in live))
    gate.touch()
    until("all have ended", lambda: stage.trace.ends() == 15)
    attempts = stage.trace.by_account()["acme"]
    assert [attempt.id for attempt in attempts] == [
        *(f"job-{n}" for n in range(5)), "replay/r/job-0", *live, *(f"replay/r/job-{n}" for n in range(1, 5))], attempts
    assert not list(check_account(attempts)), list(check_account(attempts))


def live_jobs_of_an_account_start_before_its_copies_in_the_order_created(stage):
    live_jobs_start_before_copies(stage, "created")


def live_jobs_of_an_account_start_before_its_copies_in_the_order_strict(stage):
    live_jobs_start_before_copies(stage, "strict")


def live_jobs_of_an_account_start_before_its_copies_in_the_order_ready(stage):
    live_jobs_start_before_copies(stage, "ready")


def live_jobs_of_an_account_start_before_its_copies_of_a_higher_priority_in_the_order_fair(stage):
    live_jobs_start_before_copies(stage, "fair", copied=-1000, live_priority=1000)


def own_headers(record):
    return [(name, value) for name, value in record.headers if not name.startswith("penstock-")]


def a_copy_has_the_members_and_headers_of_its_original_but_for_its_id_times_and_bulk(stage):
    """A copy is a row of the state; where it goes to another queue, its record can be read."""
    recorded = Recorded(stage)
    types = {"job": {"handler": recorded.handler}}
    config = stage.config(events="terminal", types=types)
    config["queues"]["shadow"] = {"partitions": 2, "types": types}
    stage.make_topics(config)
    stage.worker("worker", config=config).start().ready()
    now = int(time.time() * 1000)
    args = '{"a": [1, 1.50, -0.0, 12345678901234567890, 1E+300, "\\u00e9 \\/ é"], "": null, "n": {"m": {}}}'
    meta = '{"m": 1.0, "nested": {"x": [true]}}'
    plain = f'{{"type": "job", "id": "plain", "priority": 5, "weight": 3, "args": {args}, "meta": {meta}, "unique_key": "k"}}'
    headers = [("trace", b"t-1"), ("bytes", b"\x00\xff"), ("trace", b"t-2"), ("empty", b""), ("none", None)]
    members = {
        "past": {"run_at": now - 60_000, "expires_at": now + HOUR_MS},
        "later": {"run_at": now + HOUR_MS},
        "written": {"run_at": "2199-01-01T00:00:00.250Z"},
        "chunk": {"bulk": {"id": "b", "index": 0, "size": 1}, "priority": -7},
    }
    stage.produce([("acme", plain, {"headers": headers}),
                   *(("acme", json.dumps({"type": "job", "id": name, **more})) for name, more in members.items())])
    recorded.await_ids("plain", "past", "chunk")
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "out", "--to-queue", "shadow")
    assert shown["sent"] == 5 and shown["left_out"] == {}, shown
    ids = write_ids(stage, "past")
    replay(stage, config, "start", "--queue", stage.queue, "--id", "kept", "--to-queue", "shadow", "--ids", ids,
           "--keep-expiry")
    records = {json.loads(record.value)["id"]: record for record in stage.records_of(f"{stage.prefix}.shadow", 2)}
    assert len(records) == 6 and {record.key for record in records.values()} == {b"acme"}, records
    copy = records["replay/out/plain"]
    assert args.encode() in copy.value and meta.encode() in copy.value, copy.value
    exact = {"parse_float": str, "parse_int": str}
    assert json.loads(copy.value, **exact) == {**json.loads(plain, **exact), "id": "replay/out/plain"}, copy.value
    assert own_headers(copy) == headers, copy.headers
    values = {job_id: json.loads(record.value) for job_id, record in records.items()}
    bare = {"type": "job", "args": {}}
    assert values["replay/out/past"] == {**bare, "id": "replay/out/past"}, values
    assert values["replay/kept/past"] == {**bare, "id": "replay/kept/past", "expires_at": now + HOUR_MS}, values
    assert values["replay/out/later"] == {**bare, "id": "replay/out/later", "run_at": now + HOUR_MS}, values
    assert values["replay/out/written"] == {**bare, "id": "replay/out/written", "run_at": 7226582400250}, values
    assert values["replay/out/chunk"] == {**bare, "id": "replay/out/chunk", "priority": -7}, values
    # What their handlers get in the other queue.
    recorded.await_ids("replay/out/plain", "replay/out/past", "replay/out/chunk", "replay/kept/past")
    [before], [after] = recorded.of("plain"), recorded.of("replay/out/plain")
    for member in ("type", "args", "account", "headers", "attempt"):
        assert after[member] == before[member], (member, before, after)
    assert after["replay"]["id"] == "out" and after["replay"]["of"] == "plain" and "replay" not in before, (before, after)


def copies_of_chunks_count_towards_no_bulk_and_cause_no_second_on_done(stage):
    recorded = Recorded(stage)
    types = {name: {"handler": recorded.handler, **PATIENT} for name in ("chunk", "report")}
    [worker], config = working(stage, account_concurrency=6, types=types)
    gate = stage.gate()

    def chunk(bulk, index, size, **args):
        return "acme", json.dumps({"type": "chunk", "id": f"{bulk}-{index}", "args": args, "bulk": {
            "id": bulk, "index": index, "size": size, "on_done": {"type": "report", "id": f"{bulk}-report"}}})
    stage.produce([chunk("done", 0, 2), chunk("done", 1, 2), chunk("open", 0, 2), chunk("open", 1, 2, waits_for=str(gate))])
    recorded.await_ids("done-report", "open-0", "open-1")

    def bulks():
        status, body = worker.http(f"/v1/queues/{stage.queue}/bulks")
        assert status == 200, body
        return {bulk["id"]: bulk for bulk in json.loads(body)["bulks"]}

    def counted(bulk, **counts):
        return bulk and all(bulk[name] == count for name, count in counts.items())
    until("the bulks are counted", lambda: counted(bulks().get("done"), succeeded=2, running=0) and counted(
        bulks().get("open"), succeeded=1, running=1))
    before = bulks()
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--type", "chunk", "--ids",
                   write_ids(stage, "done-0", "done-1", "open-0"))
    assert shown["ended"] == {"succeeded": 3}, shown
    assert bulks() == before, (before, bulks())
    gate.touch()
    recorded.await_ids("open-report")
    until("the second bulk is done", lambda: counted(bulks()["open"], succeeded=2, running=0))
    again = replay(stage, config, "start", "--queue", stage.queue, "--id", "s", "--type", "chunk")
    assert again["ended"] == {"succeeded": 4}, again
    # A job of on_done is in the commit that ends the last chunk.
    reports = [json.loads(record.value) for record in stage.records() if b"report" in record.value]
    assert sorted(report["id"] for report in reports if report["type"] == "report") == ["done-report", "open-report"], reports
    assert len(recorded.of("done-report")) == len(recorded.of("open-report")) == 1
    [report] = recorded.of("done-report")
    assert report["args"]["bulk"] == {"id": "done", "size": 2, "succeeded": 2, "dead": 0, "cancelled": 0, "expired": 0}, report
    assert worker.stop() == 0


def what_a_copy_enqueues_has_ids_of_its_own_and_is_no_copy(stage):
    recorded = Recorded(stage)
    _, config = working(stage, types={"job": {"handler": recorded.handler}})
    enqueued = [{"type": "job", "id": "child", "args": {"n": 1}}, {"type": "job", "args": {"n": 2}}]
    stage.produce([("acme", json.dumps({"type": "job", "id": "parent", "args": {"enqueue": enqueued}}))])
    recorded.await_ids("parent", "child", "parent/1")
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "p", "--ids", write_ids(stage, "parent"))
    assert shown["admitted"] == 1 and shown["ended"] == {"succeeded": 1}, shown
    recorded.await_ids("replay/p/child", "replay/p/parent/1")
    [parent], [child], [derived] = map(recorded.of, ("replay/p/parent", "replay/p/child", "replay/p/parent/1"))
    assert parent["replay"]["of"] == "parent" and "replay" not in child and "replay" not in derived, recorded.all()
    assert child["args"] == {"n": 1} and derived["args"] == {"n": 2}, recorded.all()
    assert len(recorded.all()) == 6 and len(recorded.ids()) == 6, recorded.all()


def a_copy_yields_to_the_live_holder_of_its_lock_whatever_its_policy_does_on_a_conflict(stage):
    recorded = Recorded(stage, children=12)
    conflicts = ["drop", "replace", "debounce", "keep_latest", "dead"]
    policy = {"handler": recorded.handler, **PATIENT}
    types = {conflict: {**policy, "unique": {"by": ["/key"], "scope": "queued_and_running", "on_conflict": conflict}}
             for conflict in conflicts}
    types["waiting"] = {**policy, "unique": {"by": ["/key"], "scope": "queued", "on_conflict": "replace"}}
    types["job"] = policy
    [worker], config = working(stage, types=types)
    gate = stage.gate()
    stage.enqueue([(kind, f"old-{kind}", {"type": kind, "args": {"key": 1, "of": "copy"}}) for kind in (*conflicts, "waiting")])
    until("the originals have ended", lambda: worker.counted("succeeded") == 6)
    held = {"key": 1, "of": "holder", "waits_for": str(gate)}
    stage.enqueue([*((kind, f"holder-{kind}", {"type": kind, "args": held}) for kind in conflicts),
                   ("waiting", "runs", {"args": held}), ("waiting", "holder-waiting", {"type": "waiting", "args": held})])
    recorded.await_ids("runs", *(f"holder-{kind}" for kind in conflicts))
    path = f"/v1/queues/{stage.queue}/jobs/holder-waiting?account=waiting"
    until("the last holder waits", lambda: worker.http(path)[0] == 200)
    ids = write_ids(stage, *(f"old-{kind}" for kind in (*conflicts, "waiting")))
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--ids", ids)
    assert shown["admitted"] == 6 and shown["ended"] == {"duplicate": 6}, shown
    gate.touch()
    recorded.await_ids("holder-waiting")
    until("all have ended", lambda: worker.counted("succeeded") == 13)
    assert not [job for job in recorded.ids() if job.startswith("replay/")], recorded.ids()
    assert all(recorded.of(f"holder-{kind}")[0]["args"] == held for kind in (*conflicts, "waiting")), recorded.all()
    assert len(recorded.all()) == 13 and stage.records(".dead") == []


def a_copy_is_not_blocked_by_the_lock_that_its_original_holds_for_a_time_but_by_that_of_another(stage):
    recorded = Recorded(stage)
    unique = {"by": ["/key"], "scope": "ttl", "ttl": "1h", "on_conflict": "drop"}
    [worker], config = working(stage, types={"job": {"handler": recorded.handler, "unique": unique}})
    stage.enqueue([("acme", "holder", {"args": {"key": 1}}), ("acme", "dropped", {"args": {"key": 1}}),
                   ("acme", "other", {"args": {"key": 2}})])
    until("all have ended", lambda: (worker.counted("succeeded"), worker.counted("duplicate")) == (2, 1))
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "r")
    assert shown["ended"] == {"succeeded": 2, "duplicate": 1}, shown
    assert {job for job in recorded.ids() if job.startswith("replay/")} == {"replay/r/holder", "replay/r/other"}


def an_http_handler_is_told_what_a_copy_is_of(stage):
    requests = []

    class Keeping(Answering):
        def do_POST(self):
            requests.append(self.request_body())
            self.answer(200)

    with Endpoint(Keeping) as endpoint:
        [worker], config = working(stage, types={"job": {"handler": endpoint.handler()}})
        [(_, _, partition, offset)] = stage.enqueue([("acme", "one", {"args": {"n": 1}})])
        until("it has run", lambda: requests)
        replay(stage, config, "start", "--queue", stage.queue, "--id", "r")
        [original, copy] = requests
        assert "replay" not in original and copy["id"] == "replay/r/one" and copy["args"] == {"n": 1}, requests
        assert copy["replay"] == {"id": "r", "of": "one", "source": f"{stage.topic}/{partition}/{offset}"}, copy
        assert worker.stop() == 0


def topics(stage):
    """What the topics of jobs and of dead jobs hold."""
    return [sorted(stage.records(suffix), key=lambda record: (record.partition, record.offset)) for suffix in ("", ".dead")]


def no_topic_receives_a_copy_of_a_record(stage):
    policy = {"retry": {"attempts": 1}}
    _, config = working(stage, events="all", types={"job": policy})
    broken = stage.folder / "broken"
    broken.touch()
    stage.enqueue([(f"account-{n % 7}", f"job-{n}") for n in range(100)])
    stage.enqueue([(f"account-{n % 7}", f"dead-{n}", {"args": {"fails_while": str(broken)}}) for n in range(10)])
    until("they are dead", lambda: len(stage.records(".dead")) == 10)
    until("they have ended", lambda: stage.trace.ends() == 110)
    broken.unlink()
    before = topics(stage)
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "all")
    assert shown["ended"] == {"succeeded": 110}, shown
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "dead", "--dead")
    assert shown["ended"] == {"succeeded": 10}, shown
    assert len(started(stage)) == 120
    assert topics(stage) == before


def at_most_so_many_copies_run_at_once_in_the_group(stage):
    shared = {"limits": [{"name": "another", "slots": 5}]}
    config = stage.config(events="terminal", types={"job": dict(PATIENT), "limited": shared})
    stage.make_topics(config)
    found = [stage.worker(name, "--instance", name, config=config).start() for name in ("a", "b")]
    for worker in found:
        worker.ready()
    partitions(stage, f"{stage.prefix}.{stage.queue}", found)
    until("both work", lambda: stage.all_run(found))
    gate = stage.gate()
    gate.touch()
    placed = stage.enqueue([(f"account-{n}", f"job-{n}", {"args": {"waits_for": str(gate)}}) for n in range(6)])
    assert len({job.partition for job in placed}) > len(found), placed
    until("the originals have ended", lambda: stage.trace.ends() == 6)
    gate.unlink()
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--concurrency", "2", "--detach")
    await_shown(stage, config, "r", lambda shown: shown["running"] == 2 and shown["waiting"] == 4, "runs 2 of 6 copies")
    # Whatever else could start has started by the time that a live job of each partition has ended.
    fences = stage.enqueue([(f"fence-{n}", f"fence-{n}") for n in range(20)])
    assert {job.partition for job in fences} == set(range(stage.partitions)), fences
    until("the live jobs have ended", lambda: stage.trace.ends() == 26)
    running = {attempt.id for attempt in started(stage)}
    assert len(running) == 2, running

    def why(number):
        job = f"replay%2Fr%2Fjob-{number}"
        answers = [worker.http(f"/v1/queues/{stage.queue}/jobs/{job}?account=account-{number}") for worker in found]
        bodies = [body for status, body in answers if status == 200]
        assert bodies, answers
        return json.loads(bodies[0])["why"] or ""
    waiting = [number for number in range(6) if f"replay/r/job-{number}" not in running]
    until("those that wait name the limit", lambda: all(f"replay/{stage.queue}/r" in why(number) for number in waiting))
    gate.touch()
    shown = await_finished(stage, config, "r")
    assert shown["ended"] == {"succeeded": 6}, shown
    copies = started(stage)
    assert len(copies) == 6 and max_at_once(copies) == 2, copies


def milliseconds(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def copies_are_made_at_most_at_the_rate_in_any_window(stage):
    """Every `admitted` has the time that the rate was asked at. The bound is that of a burst in each partition."""
    rate, jobs = 40, 240
    workers, config = working(stage, workers=2, events="all")
    until("both work", lambda: stage.all_run(workers))
    placed = stage.enqueue([(f"account-{n % 24}", f"job-{n}") for n in range(jobs)])
    partitions_used = {job.partition for job in placed}
    assert len(partitions_used) == stage.partitions
    until("the originals have ended", lambda: stage.trace.ends() == jobs, 120)
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--rate", f"{rate}/s", "--detach")
    shown = await_finished(stage, config, "r")
    assert shown["admitted"] == jobs, shown
    told = [event for event in stage.told() if event["event"] == "admitted" and event["id"].startswith("replay/r/")]
    assert len(told) == jobs, len(told)
    times = sorted(milliseconds(event["at"]) for event in told)
    # A tenth of a second at the rate is divided among the partitions, each of which has one copy at least.
    burst = sum(max(1, int(rate / 10 * len([job for job in placed if job.partition == partition]) / jobs))
                for partition in partitions_used)
    for first, since in enumerate(times):
        for last in range(first, jobs):
            most = burst + rate * (times[last] - since) / 1000
            assert last - first + 1 <= most, f"{last - first + 1} copies in {times[last] - since} ms, at most {most}"


if __name__ == "__main__":
    main([
        live_jobs_of_an_account_start_before_its_copies_in_the_order_created,
        live_jobs_of_an_account_start_before_its_copies_in_the_order_strict,
        live_jobs_of_an_account_start_before_its_copies_in_the_order_ready,
        live_jobs_of_an_account_start_before_its_copies_of_a_higher_priority_in_the_order_fair,
        a_copy_has_the_members_and_headers_of_its_original_but_for_its_id_times_and_bulk,
        copies_of_chunks_count_towards_no_bulk_and_cause_no_second_on_done,
        what_a_copy_enqueues_has_ids_of_its_own_and_is_no_copy,
        a_copy_yields_to_the_live_holder_of_its_lock_whatever_its_policy_does_on_a_conflict,
        a_copy_is_not_blocked_by_the_lock_that_its_original_holds_for_a_time_but_by_that_of_another,
        an_http_handler_is_told_what_a_copy_is_of,
        no_topic_receives_a_copy_of_a_record,
        at_most_so_many_copies_run_at_once_in_the_group,
        copies_are_made_at_most_at_the_rate_in_any_window,
    ])
