"""Uniqueness by arguments, on a real Kafka and across deaths of the worker."""

import json
import time

from harness import until
from scenarios import main

TTL = 6.0


def unique(scope, on_conflict=None):
    policy = {"by": ["/segment"], "scope": scope}
    if on_conflict:
        policy["on_conflict"] = on_conflict
    return {"job": {"unique": policy, "retry": {"attempts": 3, "base": "100ms"}}, "note": {}}


def working(stage, types):
    config = stage.config(events="terminal", account_concurrency=10, types=types)
    stage.make_topics(config)
    return stage.worker("first", config=config).start().ready(), config


def args(segment, version, seconds=0.0, gate=None):
    """The job that runs with these arguments leaves a note of its version; it waits for the gate."""
    note = {"type": "note", "id": f"note-{version}", "account": "notes"}
    wait = {"waits_for": str(gate)} if gate else {}
    return {"args": {"segment": segment, "seconds": seconds, "enqueue": [note], **wait}}


def ended(stage, event):
    return {job for kind, _, job in stage.events() if kind == event}


def reasons(stage):
    events = [json.loads(record.value) for record in stage.records(".events")]
    return {event["id"]: event.get("reason") for event in events if event["event"] == "duplicate"}


def starts(stage, job):
    return len(stage.trace.of(job))


def one_is_queued_or_running_whatever_dies(stage):
    worker, config = working(stage, unique("until_done"))
    gate = stage.gate()
    stage.enqueue([("acme", "holder", args(1, "holder", gate=gate)), ("other", "elsewhere", args(1, "elsewhere"))])
    until("the holder runs", lambda: starts(stage, "holder") == 1)
    stage.enqueue([("acme", f"early-{number}", args(1, f"early-{number}")) for number in range(20)])
    until("they are folded", lambda: len(ended(stage, "duplicate")) == 20)
    worker.kill()
    stage.enqueue([("acme", "late", args(1, "late")), ("acme", "free", args(2, "free"))])
    second = stage.worker("second", config=config).start().ready()
    gate.touch()
    until("the holder has ended", lambda: "holder" in ended(stage, "succeeded"))
    until("the late one is folded", lambda: "late" in ended(stage, "duplicate"))
    stage.enqueue([("acme", "next", args(1, "next"))])
    until("the next one has ended", lambda: "next" in ended(stage, "succeeded"))
    assert second.stop() == 0
    assert {"holder", "elsewhere", "free", "next"} <= ended(stage, "succeeded")
    folded = reasons(stage)
    assert len(folded) == 21 and set(folded.values()) == {'folded into "holder"'}, folded
    assert not any(starts(stage, job) for job in folded)


def the_newest_arguments_are_kept_for_the_one_that_waits(stage):
    worker, config = working(stage, unique("queued_and_running", "keep_latest"))
    gate = stage.gate()
    stage.enqueue([("acme", "holder", args(1, "holder", gate=gate))])
    until("the holder runs", lambda: starts(stage, "holder") == 1)
    stage.enqueue([("acme", f"job-{number}", args(1, f"version-{number}")) for number in range(10)])
    until("nine are folded", lambda: len(ended(stage, "duplicate")) == 9)
    shown = stage.penstock("jobs", "show", "job-0", "--queue", stage.queue, "--account", "acme", "--json",
                           "--http", address(worker), config=config)
    assert shown.returncode == 0, shown.stderr
    why = json.loads(shown.stdout)["why"]
    assert why == 'waits for the lock of its unique key {"by":{"/segment":1}}: "holder" holds it while it runs', why
    worker.kill()
    second = stage.worker("second", config=config).start().ready()
    gate.touch()
    until("the waiting one has ended", lambda: "job-0" in ended(stage, "succeeded"))
    until("its note has ended", lambda: "note-version-9" in ended(stage, "succeeded"))
    assert second.stop() == 0
    assert set(reasons(stage)) == {f"job-{number}" for number in range(1, 10)}
    notes = {job for job in ended(stage, "succeeded") if job.startswith("note-")}
    assert notes == {"note-holder", "note-version-9"}, notes


def two_of_a_key_never_run_at_once(stage):
    worker, _ = working(stage, unique("running"))
    jobs = [("acme", f"job-{number}", args(number % 2, number, 0.2)) for number in range(12)]
    stage.enqueue(jobs)
    until("all have ended", lambda: len(ended(stage, "succeeded")) == 2 * len(jobs))
    assert worker.stop() == 0
    for segment in range(2):
        attempts = [stage.trace.of(f"job-{number}")[0] for number in range(segment, 12, 2)]
        attempts.sort(key=lambda attempt: attempt.started)
        for earlier, later in zip(attempts, attempts[1:]):
            assert earlier.last_seen <= later.started, (earlier, later)
    assert not reasons(stage)


def job(kind, number, at=None, gate=None):
    """The job `kind-number` of this type, for a Unix time, which leaves the note `note-kind-number`."""
    members = {"type": kind, **args(kind, f"{kind}-{number}", gate=gate)}
    if at:
        members["run_at"] = round(at * 1000)
    return "acme", f"{kind}-{number}", members


def succeeded(stage, *jobs):
    until(f"{jobs} have succeeded", lambda: set(jobs) <= ended(stage, "succeeded"))


def started_at(stage, job):
    return stage.trace.of(job)[0].started + time.time() - time.monotonic()


def the_newcomer_is_dead_and_the_next_of_a_started_one_runs_beside_it(stage):
    gate = stage.gate()
    stage.enqueue([job("dead", 0, gate=gate), job("queued", 0, gate=gate)])
    until("both run", lambda: starts(stage, "dead-0") and starts(stage, "queued-0"))
    stage.enqueue([job("queued", 1), job("dead", 1)])
    succeeded(stage, "queued-1")
    dead = until("the newcomer is dead", lambda: stage.records(".dead"))
    assert stage.trace.running(), "the first of them still runs"
    gate.touch()
    succeeded(stage, "queued-0", "dead-0")
    assert [record.value for record in dead] == [record.value for record in stage.records() if b'"dead-1"' in record.value]
    headers = dict(dead[0].headers)
    assert (headers["penstock-reason"], headers["penstock-attempts"]) == (b"conflict", b"0"), headers
    assert headers["penstock-detail"] == b'"dead-0" holds the lock of its unique key', headers


def whoever_comes_within_the_ttl_is_a_duplicate(stage, first_at):
    """Although the holder has ended long ago; the first of them came with it. Returns how many they were."""
    succeeded(stage, "ttl-0")
    number = 1
    until("it has ended", lambda: "ttl-1" in ended(stage, "succeeded") | ended(stage, "duplicate"))
    while f"ttl-{number}" in ended(stage, "duplicate"):
        number += 1
        assert time.time() < first_at + TTL + 20, "its lock is never free"
        stage.enqueue([job("ttl", number)])
        until("it has ended", lambda: f"ttl-{number}" in ended(stage, "succeeded") | ended(stage, "duplicate"))
    assert started_at(stage, f"ttl-{number}") >= first_at + TTL
    return number - 1


def each_conflict_and_scope_does_as_its_type_says(stage):
    policies = {
        "replace": {"scope": "until_done", "on_conflict": "replace"},
        "debounce": {"scope": "queued", "on_conflict": "debounce"},
        "dead": {"scope": "queued_and_running", "on_conflict": "dead"},
        "ttl": {"scope": "ttl", "ttl": f"{TTL:.0f}s"},
        "queued": {"scope": "queued"},
    }
    worker, _ = working(stage, {"note": {}, **{kind: {"unique": {"by": ["/segment"], **policy}}
                                               for kind, policy in policies.items()}})
    ttl_from = time.time()
    kept, moved = ttl_from + 4, ttl_from + 5
    stage.enqueue([job("ttl", 0), job("ttl", 1), job("replace", 0, kept), job("replace", 1),
                   job("debounce", 0, ttl_from + 3), job("debounce", 1, moved)])
    the_newcomer_is_dead_and_the_next_of_a_started_one_runs_beside_it(stage)
    stage.enqueue([job("queued", 2, time.time() + 3), job("queued", 3)])
    duplicates = whoever_comes_within_the_ttl_is_a_duplicate(stage, ttl_from)
    ran = ["replace-1", "debounce-1", "dead-0", "queued-0", "queued-1", "queued-2", "ttl-0", f"ttl-{duplicates + 1}"]
    succeeded(stage, *(f"note-{version}" for version in ran))
    for name, at in (("replace-0", kept), ("debounce-0", moved)):
        assert at - 0.002 <= started_at(stage, name), (name, at, started_at(stage, name))
    assert worker.stop() == 0
    folded = reasons(stage)
    assert folded.pop("replace-1") == 'folded into "replace-0"' and folded.pop("debounce-1") == 'folded into "debounce-0"'
    assert folded.pop("queued-3") == 'folded into "queued-2"'
    assert duplicates > 0 and list(folded.values()) == ['folded into "ttl-0"'] * duplicates, folded
    notes = {job for job in ended(stage, "succeeded") if job.startswith("note-")}
    assert notes == {f"note-{version}" for version in ran}, notes


def address(worker):
    worker.says("HTTP at ")
    return worker.text().split("HTTP at ")[1].split()[0].removeprefix("http://")


if __name__ == "__main__":
    main([
        one_is_queued_or_running_whatever_dies,
        the_newest_arguments_are_kept_for_the_one_that_waits,
        two_of_a_key_never_run_at_once,
        each_conflict_and_scope_does_as_its_type_says,
    ])
