"""Uniqueness by arguments, on a real Kafka and across deaths of the worker."""

import json

from harness import until
from scenarios import main


def unique(scope, on_conflict=None):
    policy = {"by": ["/segment"], "scope": scope}
    if on_conflict:
        policy["on_conflict"] = on_conflict
    return {"job": {"unique": policy, "retry": {"attempts": 3, "base": "100ms"}}, "note": {}}


def working(stage, types):
    config = stage.config(events="terminal", account_concurrency=10, types=types)
    stage.make_topics(config)
    return stage.worker("first", config=config).start().ready(), config


def args(segment, version, seconds=0.0):
    """The job that runs with these arguments leaves a note of its version."""
    note = {"type": "note", "id": f"note-{version}", "account": "notes"}
    return {"args": {"segment": segment, "seconds": seconds, "enqueue": [note]}}


def ended(stage, event):
    return {job for kind, _, job in stage.events() if kind == event}


def reasons(stage):
    events = [json.loads(record.value) for record in stage.records(".events")]
    return {event["id"]: event.get("reason") for event in events if event["event"] == "duplicate"}


def starts(stage, job):
    return len(stage.trace.of(job))


def one_is_queued_or_running_whatever_dies(stage):
    worker, config = working(stage, unique("until_done"))
    stage.enqueue([("acme", "holder", args(1, "holder", 2.0)), ("other", "elsewhere", args(1, "elsewhere"))])
    until("the holder runs", lambda: starts(stage, "holder") == 1)
    stage.enqueue([("acme", f"early-{number}", args(1, f"early-{number}")) for number in range(20)])
    until("they are folded", lambda: len(ended(stage, "duplicate")) == 20)
    worker.kill()
    stage.enqueue([("acme", "late", args(1, "late")), ("acme", "free", args(2, "free"))])
    second = stage.worker("second", config=config).start().ready()
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
    stage.enqueue([("acme", "holder", args(1, "holder", 3.0))])
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


def address(worker):
    worker.says("HTTP at ")
    return worker.text().split("HTTP at ")[1].split()[0].removeprefix("http://")


if __name__ == "__main__":
    main([
        one_is_queued_or_running_whatever_dies,
        the_newest_arguments_are_kept_for_the_one_that_waits,
        two_of_a_key_never_run_at_once,
    ])
