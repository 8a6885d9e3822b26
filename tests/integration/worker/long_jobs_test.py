"""Long jobs on a real Kafka: stopped at a checkpoint and gone on from there, killed, made to wait, and what they keep."""

import json
import os
import time
from pathlib import Path

from endpoint import Answering, Endpoint
from harness import Worker, until
from scenarios import main

HANDLER = Path(__file__).with_name("long_handler.py")
CPP_WORKER = os.environ.get("PENSTOCK_LONG_WORKER")
ROW_SECONDS = 0.1  # longer than a busy machine needs from a checkpoint to a stop


def configured(stage, **types):
    queue = types.pop("queue", {})
    for policy in types.values():
        policy["handler"] = {"exec": ["/usr/bin/python3", "-E", "-S", str(HANDLER), str(stage.trace.folder)], "children": 4}
    config = stage.config(types=types, **queue)
    stage.make_topics(config)
    return config


def job(account, name, rows, each="checkpoint", seconds=ROW_SECONDS, kind="rows"):
    return account, name, {"type": kind, "args": {"rows": rows, "each": each, "seconds": seconds}}


def notes(stage, what=None, name=None):
    found = []
    for path in sorted(stage.trace.folder.iterdir()):
        text = path.read_bytes()
        found += [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()]
    chosen = [note for note in found if what in (None, note["what"]) and name in (None, note["id"])]
    return sorted(chosen, key=lambda note: note.get("at", 0))


def rows_of(stage, name):
    return [note["row"] for note in notes(stage, "row", name)]


def ended(stage, names):
    return set(names) <= {note["id"] for note in notes(stage, "end")}


def assert_went_on(stage, name, rows, repeated):
    """Every row was done, in order but for a step back of at most so many rows at each start; attempt 1 throughout."""
    done = rows_of(stage, name)
    assert sorted(set(done)) == list(range(rows)), done
    for earlier, later in zip(done, done[1:]):
        assert earlier + 1 - repeated <= later <= earlier + 1, (earlier, later)
    assert {note["attempt"] for note in notes(stage, name=name)} == {1}


def sigterm_ends_it_at_a_checkpoint_and_another_goes_on_from_there(stage):
    config = configured(stage, rows={"timeout": "60s"})
    first = stage.worker("first", config=config).start().ready()
    stage.enqueue([job("acme", "a", 200)])
    until("it is on its way", lambda: len(rows_of(stage, "a")) >= 10)
    asked = time.monotonic()
    assert first.stop() == 0
    assert time.monotonic() - asked < 10, "it did not wait for the job"
    rows = rows_of(stage, "a")
    assert rows[-1] < 190
    stage.worker("second", config=config).start().ready()
    until("it goes on", lambda: len(notes(stage, "start", "a")) == 2)
    begins = notes(stage, "start", "a")[1]
    # The handler may have begun the next row when it was told to stop.
    assert rows[-1] <= begins["row"] <= rows[-1] + 1, (begins, rows[-1])
    until("it is done", lambda: ended(stage, ["a"]))
    assert_went_on(stage, "a", 200, 1)


def a_rebalance_hands_it_over_at_a_checkpoint(stage):
    config = configured(stage, rows={"timeout": "60s"})
    stage.worker("first", config=config).start().ready()
    names = [f"job-{i}" for i in range(4)]
    sent = stage.enqueue([job(f"account-{i}", name, 300) for i, name in enumerate(names)])
    assert len({place.partition for place in sent}) > 1
    until("all are on their way", lambda: all(rows_of(stage, name) for name in names))
    stage.worker("second", config=config).start().ready()
    until("one has moved", lambda: any(len(notes(stage, "start", name)) > 1 for name in names), within=90)
    until("all are done", lambda: ended(stage, names), within=120)
    for name in names:
        assert_went_on(stage, name, 300, 1)


def kill_9_goes_back_to_the_last_committed_cursor(stage):
    config = configured(stage, rows={"timeout": "60s"})
    first = stage.worker("first", config=config).start().ready()
    stage.enqueue([job("acme", "a", 100)])
    until("it is on its way", lambda: len(rows_of(stage, "a")) >= 30)
    first.kill()
    stage.worker("second", config=config).start()
    until("it is done", lambda: ended(stage, ["a"]), within=120)
    second = notes(stage, "start", "a")[1]
    assert second["row"] > 10, "the cursor was committed on the way"
    assert_went_on(stage, "a", 100, 20)


class CppWorker(Worker):
    def command(self, config):
        return [CPP_WORKER, config, self.stage.trace.folder / self.name]


def cpp_workers(stage):
    """One that has begun with job "a" of so many rows and one that has not started."""
    config = stage.config(types={"rows": {"timeout": "60s"}, "page": {}})
    stage.make_topics(config)
    stage.workers = [CppWorker(stage, name, (), config) for name in ("first", "second")]
    stage.workers[0].start()
    stage.enqueue([("acme", "a", {"type": "rows", "args": {"rows": 200}})])
    until("it is on its way", lambda: len(rows_of(stage, "a")) >= 50)
    return stage.workers


def assert_a_page_each(stage, rows):
    """Each row has led to one job, and all of these have run."""
    until("all pages are done", lambda: {note["row"] for note in notes(stage, "page")} == set(range(rows)))
    produced = {}
    for record in stage.records():
        job = json.loads(record.value)
        if job["type"] == "page":
            produced.setdefault(job["id"], set()).add(job["args"]["row"])
    assert sorted(row for of_id in produced.values() for row in of_id) == list(range(rows)), produced
    assert set(produced) == {f"a/{n}" for n in range(1, rows + 1)}


def a_cpp_handler_goes_on_from_its_checkpoint_with_each_follow_up_once(stage):
    first, second = cpp_workers(stage)
    assert first.stop() == 0
    assert len(notes(stage, "end", "a")) == 0, "it stopped on the way"
    second.start()
    until("it is done", lambda: ended(stage, ["a"]))
    assert rows_of(stage, "a") == list(range(200)), "a stop repeats nothing"
    assert_a_page_each(stage, 200)
    assert len(notes(stage, "page")) == 200


def and_so_it_does_over_kill_9(stage):
    first, second = cpp_workers(stage)
    first.kill()
    second.start()
    until("it is done", lambda: ended(stage, ["a"]), within=120)
    assert notes(stage, "start", "a")[1]["row"] > 0, "the cursor was committed on the way"
    assert_a_page_each(stage, 200)


class Pages(Answering):
    """Answers each cursor with the next one and a follow-up job."""

    def do_POST(self):
        request = self.request_body()
        answer = {"ok": True}
        if request["type"] == "rows":
            time.sleep(0.05)
            row = request["cursor"] or 0
            self.server.rows.append(row)
            answer = {"next": row + 1} if row + 1 < self.server.last else {"ok": True}
            answer["enqueue"] = [{"type": "page", "args": {"row": row}}]
        else:
            self.server.pages.append(request["args"]["row"])
        self.answer(200, answer)


def an_http_handler_goes_on_from_its_cursor_after_a_stop(stage):
    with Endpoint(Pages) as server:
        server.rows, server.pages, server.last = [], [], 60
        handler = {"handler": server.handler()}
        config = stage.config(types={"rows": handler, "page": handler})
        stage.make_topics(config)
        first = stage.worker("first", config=config).start()
        stage.enqueue([("acme", "a", {"type": "rows"})])
        until("it is on its way", lambda: len(server.rows) >= 10)
        assert first.stop() == 0
        assert len(server.rows) < server.last
        stage.worker("second", config=config).start()
        until("all is done", lambda: len(server.pages) >= server.last)
        assert server.rows == list(range(server.last)), server.rows
        assert sorted(server.pages) == server.rows, server.pages


def one_that_has_run_for_its_max_runtime_goes_behind_the_others(stage):
    config = configured(stage, rows={"max_runtime": "1s"}, quick={})
    stage.worker("first", config=config).start().ready()
    quick = [job("acme", f"q{i}", 1, kind="quick") for i in range(4)]
    stage.enqueue([job("acme", "long", 40, "next", 0.1), *quick])
    until("all are done", lambda: ended(stage, ["long", *(name for _, name, _ in quick)]))
    assert rows_of(stage, "long") == list(range(40))
    starts = [note["id"] for note in notes(stage, "start")]
    given_up = starts.index("q0")
    assert given_up <= 12, starts
    ran = [note["at"] for note in notes(stage, "next", "long")][given_up - 1] - notes(stage, "start", "long")[0]["at"]
    assert ran > 0.9, (ran, starts)
    assert starts[given_up:given_up + 4] == ["q0", "q1", "q2", "q3"], starts
    assert set(starts[given_up + 4:]) == {"long"}
    assert {note["attempt"] for note in notes(stage, name="long")} == {1}


def slots_between(stage, between):
    """When the other job, which needs the long one's slot, started; and when the long one ended."""
    limits = [{"name": "desk/{account}", "slots": 1}]
    config = configured(stage, queue={"account_concurrency": 2}, quick={"limits": limits},
                        rows={"limits": limits, "between_iterations": between})
    stage.worker("first", config=config).start().ready()
    stage.enqueue([job("acme", "long", 20, "next", 0.1), job("acme", "other", 1, kind="quick")])
    until("both are done", lambda: ended(stage, ["long", "other"]))
    return notes(stage, "start", "other")[0]["at"], notes(stage, "end", "long")[0]["at"]


def its_slot_is_kept_between_iterations(stage):
    other, long = slots_between(stage, "keep")
    assert other > long


def or_given_up(stage):
    other, long = slots_between(stage, "release")
    assert other < long


if __name__ == "__main__":
    main([
        sigterm_ends_it_at_a_checkpoint_and_another_goes_on_from_there,
        a_rebalance_hands_it_over_at_a_checkpoint,
        kill_9_goes_back_to_the_last_committed_cursor,
        a_cpp_handler_goes_on_from_its_checkpoint_with_each_follow_up_once,
        and_so_it_does_over_kill_9,
        an_http_handler_goes_on_from_its_cursor_after_a_stop,
        one_that_has_run_for_its_max_runtime_goes_behind_the_others,
        its_slot_is_kept_between_iterations,
        or_given_up,
    ])
