"""Jobs that are handed over together: what is in a batch, what comes of each item, and what a death leaves."""

import collections
import json
import time
from pathlib import Path

from endpoint import Answering, Endpoint
from harness import until
from scenarios import main

HANDLER = Path(__file__).with_name("batch_handler.py")
Batch = collections.namedtuple("Batch", "account token items started ended cursor")


def working(stage, batch, handler=None, **policy):
    handler = handler or {"exec": ["/usr/bin/python3", "-E", "-S", str(HANDLER), str(stage.trace.folder)], "children": 4}
    policy = {"handler": handler, "batch": batch, "retry": {"attempts": 4, "base": "100ms", "jitter": 0},
              "keep": {"succeeded": "1h"}, **policy}
    config = stage.config(types={"job": policy}, events="terminal")
    stage.make_topics(config)
    return stage.worker("one", config=config).start().ready(), config


def noted(stage):
    lines = []
    for path in stage.trace.folder.iterdir():
        text = path.read_text()
        lines += [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]
    return sorted(lines, key=lambda line: line["at"])


def batches(stage):
    """What the handlers were handed, by their starts."""
    lines = noted(stage)
    ends = {(line["account"], line["token"]): line["at"] for line in lines if line["what"] == "end"}
    return [Batch(line["account"], line["token"], line["items"], line["at"], ends.get((line["account"], line["token"])),
                  line["cursor"]) for line in lines if line["what"] == "start"]


def ids(batch):
    return [job for job, _ in batch.items]


def ended(stage, count):
    until(f"{count} jobs have ended", lambda: sum(stage.events().values()) >= count)
    return stage.events()


def items_are_handed_over_in_order_and_answered_one_by_one(stage):
    worker, _ = working(stage, {"max": 20, "delay": "500ms"})
    jobs = [("acme", f"{number:03}", {"args": {}}) for number in range(50)]
    jobs[7] = ("acme", "007", {"args": {"failures": 2}})
    jobs[30] = ("acme", "030", {"args": {"discard": "not this one"}})
    stage.enqueue(jobs)
    events = ended(stage, 50)
    assert events == {("dead" if job == "030" else "succeeded", "acme", job): 1 for _, job, _ in jobs}, events
    handed = batches(stage)
    assert all(len(batch.items) <= 20 for batch in handed), handed
    first = [job for batch in handed for job, attempt in batch.items if attempt == 1]
    assert first == sorted(first) and len(first) == 50, first
    assert len(handed) <= 8, "they are collected, not handed over one by one"
    assert [attempt for batch in handed for job, attempt in batch.items if job == "007"] == [1, 2, 3]
    assert worker.stop() == 0


def equal_arguments_are_handed_over_once_after_a_pause(stage):
    worker, _ = working(stage, {"collect": "set", "delay": "1s"})
    producer = stage.producer()  # one for all: the first record of each may take as long as the delay
    sent = []
    for number in range(10):
        sent.append(time.monotonic())
        stage.enqueue([("acme", f"a{number}", {"args": {"object": 1}}), ("acme", f"b{number}", {"args": {"object": 2}})],
                      producer)
        time.sleep(0.1)
    events = ended(stage, 20)
    assert set(events) == {("succeeded", "acme", f"{kind}{number}") for kind in "ab" for number in range(10)}, events
    # One batch; a machine that stands still for a second while they come makes two of it.
    handed = batches(stage)
    firsts = [int(batch.items[0][0][1:]) for batch in handed]
    assert firsts[0] == 0 and len(handed) <= 3, handed
    assert [sorted(ids(batch)) for batch in handed] == [[f"a{first}", f"b{first}"] for first in firsts], handed
    lasts = [first - 1 for first in firsts[1:]] + [9]
    for batch, last in zip(handed, lasts):
        assert batch.started >= sent[last] + 0.95, "it waits for the last arrival"
    stood = max(first for first in firsts if first <= 7)
    _, text = worker.http(f"/v1/queues/{stage.queue}/jobs/a7?account=acme")
    if stood != 7:
        assert json.loads(text)["reason"] == f'"a{stood}" stood for it', text
    assert worker.stop() == 0


def a_failed_batch_is_tried_again_whole_and_with_no_others(stage):
    worker, _ = working(stage, {"max": 100, "delay": "300ms"})
    # More than one step of the worker brings back.
    stage.enqueue([("acme", f"{number:03}", {"args": {"fails_all": 2, "text": "x" * 9000}}) for number in range(100)])
    until("all have been tried", lambda: len({job for batch in batches(stage) for job in ids(batch)}) == 100)
    stage.enqueue([("acme", f"later-{number}", {"args": {}}) for number in range(3)])
    events = ended(stage, 103)
    assert {state for state, _, _ in events} == {"succeeded"} and len(events) == 103, events
    tries = collections.defaultdict(list)
    for batch in batches(stage):
        attempt, = {attempt for _, attempt in batch.items}
        tries[tuple(ids(batch))].append(attempt)
    failed = {jobs: attempts for jobs, attempts in tries.items() if not jobs[0].startswith("later")}
    assert all(attempts == [1, 2, 3] for attempts in failed.values()), tries
    assert sum(map(len, failed)) == 100 and not any(job.startswith("later") for jobs in failed for job in jobs), tries
    assert worker.stop() == 0


def a_poison_item_is_isolated_by_halves(stage):
    worker, _ = working(stage, {"max": 16, "delay": "300ms", "on_error": "split"})
    jobs = [("acme", f"{number:02}", {"args": {"poison": number == 5}}) for number in range(16)]
    stage.enqueue(jobs)
    events = ended(stage, 16)
    assert events == {("dead" if job == "05" else "succeeded", "acme", job): 1 for _, job, _ in jobs}, events
    attempts = [attempt for batch in batches(stage) for job, attempt in batch.items if job == "05" and len(batch.items) == 1]
    assert attempts == [1, 2, 3, 4], attempts
    assert worker.stop() == 0


def a_worker_that_dies_loses_no_item_and_overlaps_with_nobody(stage):
    worker, config = working(stage, {"max": 10}, timeout="60s")
    other = stage.worker("two", config=config).start().ready()
    jobs = [(f"account-{number % 6}", f"{number:03}", {"args": {"seconds": 0.3}}) for number in range(240)]
    stage.enqueue(jobs)
    until("some batches have ended", lambda: sum(batch.ended is not None for batch in batches(stage)) >= 4)
    worker.kill()
    events = ended(stage, 240)
    assert events == {("succeeded", account, job): 1 for account, job, _ in jobs}, events
    handed = batches(stage)
    for account in {batch.account for batch in handed}:
        of_account = [batch for batch in handed if batch.account == account]
        for earlier, later in zip(of_account, of_account[1:]):
            assert earlier.ended is None or earlier.ended <= later.started, (earlier, later)
            assert earlier.token < later.token, (earlier, later)
        done = [job for batch in of_account if batch.ended for job in ids(batch)]
        assert list(dict.fromkeys(done)) == sorted(set(done)), done
    assert other.stop() == 0


def progress(worker, stage, job):
    status, text = worker.http(f"/v1/queues/{stage.queue}/jobs/{job}?account=acme")
    return status == 200 and json.loads(text).get("progress")


def a_stop_leaves_a_batch_at_its_checkpoint_and_another_worker_goes_on_with_the_same_items(stage):
    gate = stage.gate()
    # Full at six, and not before: what comes later is in a batch of its own.
    first, config = working(stage, {"max": 6, "delay": "10m"}, timeout="60s", retry={"attempts": 1})
    args = [{"saves": True} for _ in range(6)]
    args[2]["waits_for"] = str(gate)
    jobs = [("acme", f"{number}", {"args": arg}) for number, arg in enumerate(args)]
    later = [("acme", f"later-{number}", {"args": {}}) for number in range(6)]
    stage.enqueue(jobs)
    until("the worker has heard that two are done", lambda: (progress(first, stage, "0") or {}).get("n") == 2)
    assert first.stop() == 0
    assert not stage.events()
    stage.enqueue(later)
    second = stage.worker("two", config=config).start().ready()
    until("it goes on", lambda: len(batches(stage)) == 2)
    gate.touch()
    events = ended(stage, 12)
    assert events == {("succeeded", "acme", job): 1 for _, job, _ in jobs + later}, events
    handed = batches(stage)
    assert [batch.cursor for batch in handed] == [None, ["0", "1"], None], handed
    assert [batch.items for batch in handed] == [[[job, 1] for _, job, _ in some] for some in (jobs, jobs, later)], handed
    assert handed[0].token < handed[1].token < handed[2].token, handed
    done = [line["items"][0][0] for line in noted(stage) if line["what"] == "item"]
    assert done == [job for _, job, _ in jobs], done
    assert second.stop() == 0


def a_hand_over_grows_until_it_lasts_as_long_as_the_target(stage):
    worker, _ = working(stage, {"max": 1000, "target": "1s"})
    stage.handlers_up(4)
    jobs = [("acme", f"{number:03}", {"args": {"each": 0.02}}) for number in range(400)]
    stage.enqueue(jobs)
    ended(stage, len(jobs))
    assert worker.stop() == 0
    handed = batches(stage)
    sizes = [len(batch.items) for batch in handed]
    print(f"sizes of the batches: {sizes}")
    assert sizes[0] == 1 and sum(sizes) == len(jobs), sizes
    for number, size in enumerate(sizes[1:], 1):
        assert size <= 2 * max(sizes[:number]), sizes
    # 50 of 20 ms are 1 s; a busy machine takes longer for each. The last one has what is left.
    grown = next(number for number, size in enumerate(sizes) if size >= 25)
    assert grown <= 10, sizes
    assert all(20 <= size <= 60 for size in sizes[grown:-1]) and len(sizes) >= grown + 4, sizes
    assert all(0.5 <= batch.ended - batch.started < 3 for batch in handed[grown:-1]), handed


class Items(Answering):
    requests = []

    def do_POST(self):
        request = self.request_body()
        self.requests.append(request)
        self.answer(200, {"items": [{"id": item["id"], "ok": True} for item in request["items"] if "silent" not in item["args"]]})


def an_http_handler_is_posted_the_items(stage):
    with Endpoint(Items) as server:
        worker, _ = working(stage, {"delay": "500ms"}, server.handler())
        stage.enqueue([("acme", "a", {"args": {"n": 1}}), ("acme", "b", {"args": {"silent": True}}), ("acme", "c")])
        events = ended(stage, 3)
        assert events == {("succeeded", "acme", "a"): 1, ("succeeded", "acme", "c"): 1, ("dead", "acme", "b"): 1}, events
        first = Items.requests[0]
        assert [item["id"] for item in first["items"]] == ["a", "b", "c"] and "args" not in first, first
        assert first["items"][0] == {"id": "a", "args": {"n": 1}, "attempt": 1, "headers": {}}, first
        assert worker.stop() == 0


if __name__ == "__main__":
    main([
        a_worker_that_dies_loses_no_item_and_overlaps_with_nobody,
        a_stop_leaves_a_batch_at_its_checkpoint_and_another_worker_goes_on_with_the_same_items,
        items_are_handed_over_in_order_and_answered_one_by_one,
        equal_arguments_are_handed_over_once_after_a_pause,
        a_hand_over_grows_until_it_lasts_as_long_as_the_target,
        a_failed_batch_is_tried_again_whole_and_with_no_others,
        a_poison_item_is_isolated_by_halves,
        an_http_handler_is_posted_the_items,
    ])
