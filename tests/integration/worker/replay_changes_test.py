"""What becomes of copies when their replay is paused, cancelled, deleted, limited, or let down by its program."""

import json

from harness import replay, until
from limited import max_at_once
from replays import PATIENT, Recorded, await_finished, await_shown, fenced, started, working
from scenarios import main


def copied_up_to_the_gate(stage, jobs, *options, name="r"):
    """One account's jobs have run and are copied; the first copy runs until the gate is touched, the others wait."""
    [worker], config = working(stage, types={"job": dict(PATIENT), "fence": {}})
    gate = stage.gate()
    gate.touch()
    stage.enqueue([("acme", f"job-{n}", {"args": {"waits_for": str(gate)}}) for n in range(jobs)])
    until("the originals have ended", lambda: stage.trace.ends() == jobs)
    gate.unlink()
    replay(stage, config, "start", "--queue", stage.queue, "--id", name, "--account", "acme", *options, "--detach")
    await_shown(stage, config, name, lambda shown: (shown["running"], shown["waiting"]) == (1, jobs - 1), "runs one copy")
    return worker, config, gate


def copies_that_wait_are_cancelled_at_once_while_another_one_of_their_account_runs(stage):
    _, config, gate = copied_up_to_the_gate(stage, 4)
    replay(stage, config, "cancel", "r", "--queue", stage.queue)
    shown = await_shown(stage, config, "r", lambda shown: shown["waiting"] == 0, "has cancelled what waits", 20)
    assert shown["running"] == 1 and shown["ended"] == {"cancelled": 3}, shown
    refused = replay(stage, config, "delete", "r", "--queue", stage.queue, expect=1)
    assert "1 run" in refused, refused
    gate.touch()
    shown = await_shown(stage, config, "r", lambda shown: shown["running"] == 0, "is over")
    assert shown["ended"] == {"cancelled": 3, "succeeded": 1}, shown
    replay(stage, config, "delete", "r", "--queue", stage.queue)


def copies_of_a_replay_that_was_cancelled_while_no_worker_ran_never_run(stage):
    worker, config, gate = copied_up_to_the_gate(stage, 4)
    worker.kill()
    assert replay(stage, config, "cancel", "r", "--queue", stage.queue)["state"] == "cancelled"
    refused = replay(stage, config, "delete", "r", "--queue", stage.queue, expect=1)
    assert "not all of its copies have ended" in refused, refused
    gate.touch()
    worker.start().ready()

    def ends():
        told = {event["id"]: event["event"] for event in stage.told() if event["id"].startswith("replay/")}
        return told if len(told) == 4 else None
    found = until("every copy has ended", ends)
    # The one that ran when its worker died may end either way.
    found.pop("replay/r/job-0")
    assert found == {f"replay/r/job-{n}": "cancelled" for n in (1, 2, 3)}, found
    replay(stage, config, "delete", "r", "--queue", stage.queue)


def a_replay_that_is_paused_holds_no_other_replay_up(stage):
    worker, config, gate = copied_up_to_the_gate(stage, 5, name="paused")
    with fenced(stage, worker, "pause"):
        replay(stage, config, "pause", "paused", "--queue", stage.queue)
    gate.touch()
    await_shown(stage, config, "paused", lambda shown: (shown["running"], shown["waiting"]) == (0, 4), "is paused")
    replay(stage, config, "start", "--queue", stage.queue, "--id", "other", "--account", "acme", "--type", "job", "--detach")
    shown = await_finished(stage, config, "other", 30)
    assert shown["ended"] == {"succeeded": 5}, shown


def a_concurrency_holds_where_no_type_of_the_config_has_a_shared_limit(stage):
    [_], config = working(stage, types={"job": dict(PATIENT)})
    gate = stage.gate()
    gate.touch()
    stage.enqueue([(f"account-{n}", f"job-{n}", {"args": {"waits_for": str(gate)}}) for n in range(6)])
    until("the originals have ended", lambda: stage.trace.ends() == 6)
    gate.unlink()
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--concurrency", "2", "--detach")
    await_shown(stage, config, "r", lambda shown: (shown["running"], shown["waiting"]) == (2, 4), "runs 2 of 6 copies")
    gate.touch()
    shown = await_finished(stage, config, "r")
    assert shown["ended"] == {"succeeded": 6}, shown
    assert max_at_once(started(stage)) == 2, started(stage)


PROGRAM = """
import json, os, sys
for line in sys.stdin:
    record = json.loads(line)
    if record["args"]["n"] == 3 and not os.path.exists(sys.argv[1]):
        sys.exit("cannot do this one")
    record["args"]["changed"] = True
    print(json.dumps(record), flush=True)
"""


def a_program_that_failed_is_asked_again_after_a_resume_for_everything_that_was_not_copied(stage):
    recorded = Recorded(stage)
    _, config = working(stage, types={"job": {"handler": recorded.handler}})
    stage.enqueue([("acme", f"job-{n}", {"args": {"n": n}}) for n in range(8)])
    recorded.await_ids(*(f"job-{n}" for n in range(8)))
    program, mended = stage.folder / "failing.py", stage.folder / "mended"
    program.write_text(PROGRAM)
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--through",
           f"exec:/usr/bin/python3 {program} {mended}", "--detach")
    shown = await_shown(stage, config, "r", lambda shown: shown["state"] == "paused", "pauses itself")
    assert "program failed" in shown["reason"], shown
    mended.touch()
    replay(stage, config, "resume", "r", "--queue", stage.queue)
    shown = await_finished(stage, config, "r")
    assert shown["ended"] == {"succeeded": 8} and shown["left_out"] == {}, shown
    copies = [request for request in recorded.all() if "replay" in request]
    assert sorted(copy["id"] for copy in copies) == [f"replay/r/job-{n}" for n in range(8)], copies
    assert all(copy["args"].get("changed") for copy in copies), json.dumps(copies)


if __name__ == "__main__":
    main([
        copies_that_wait_are_cancelled_at_once_while_another_one_of_their_account_runs,
        copies_of_a_replay_that_was_cancelled_while_no_worker_ran_never_run,
        a_replay_that_is_paused_holds_no_other_replay_up,
        a_concurrency_holds_where_no_type_of_the_config_has_a_shared_limit,
        a_program_that_failed_is_asked_again_after_a_resume_for_everything_that_was_not_copied,
    ])
