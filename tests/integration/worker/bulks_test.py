"""Bulks on a real Kafka: split, measured, counted, cancelled as a whole, and their last word."""

import json
import re
from pathlib import Path

from harness import until
from scenarios import main

HANDLER = Path(__file__).with_name("chunk_handler.py")


def configured(stage, **queue):
    handler = {"exec": ["/usr/bin/python3", "-E", "-S", str(HANDLER), str(stage.trace.folder)], "children": 4}
    config = stage.config(types={"chunk": {"handler": handler}, "report": {"handler": handler}}, **queue)
    stage.make_topics(config)
    return config


def chunks(stage, kind="chunk"):
    """What was handed over, a line an attempt."""
    found = []
    for path in stage.trace.folder.iterdir():
        text = path.read_bytes()
        found += [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()]
    return [line for line in found if line["type"] == kind]


def split(stage, config, bulk, items, chunk, *options):
    path = stage.folder / f"{bulk}.jsonl"
    path.write_text("".join(f"{item}\n" for item in items))
    sent = stage.penstock("enqueue", "--queue", stage.queue, "--type", "chunk", "--account", "acme", "--bulk", bulk,
                          "--chunk", str(chunk), "--from", str(path), *options, config=config)
    assert sent.returncode == 0, sent.stderr
    return sent


def address(worker):
    return re.search(r"HTTP at http://(\S+)", worker.says("HTTP at ").text())[1]


def bulk_of(worker, stage, bulk):
    status, body = worker.http(f"/v1/queues/{stage.queue}/bulks")
    assert status == 200, body
    return next((entry for entry in json.loads(body)["bulks"] if entry["id"] == bulk), None)


def every_item_once_and_the_last_word_too(stage):
    config = configured(stage)
    worker = stage.worker("worker", config=config).start().ready()
    split(stage, config, "spring", range(25), 10, "--on-done", json.dumps({"type": "report"}))
    until("the report has come", lambda: chunks(stage, "report"))
    assert sorted(item for chunk in chunks(stage) for item in chunk["items"]) == list(range(25))
    assert [len(chunk["items"]) for chunk in sorted(chunks(stage), key=lambda chunk: chunk["id"])] == [10, 10, 5]
    report = chunks(stage, "report")[0]["args"]["bulk"]
    assert report == {"id": "spring", "size": 3, "succeeded": 3, "dead": 0, "cancelled": 0, "expired": 0}, report
    assert worker.stop() == 0
    assert len(chunks(stage, "report")) == 1


def auto_makes_chunks_of_five_seconds_by_the_measured_time(stage):
    config = configured(stage)
    worker = stage.worker("worker", config=config).start().ready()
    http = address(worker)
    unknown = stage.penstock("enqueue", "--queue", stage.queue, "--type", "chunk", "--account", "acme", "--bulk", "b",
                             "--chunk", "auto", "--http", http, "--args", '{"items":[1]}', config=config)
    assert unknown.returncode == 1 and "has not measured yet" in unknown.stderr, unknown
    split(stage, config, "first", [0.05] * 20, 10)
    until("it is measured", lambda: len(chunks(stage)) == 2 and bulk_of(worker, stage, "first")["succeeded"] == 2)
    second = split(stage, config, "second", [0.05] * 300, "auto", "--http", http)
    until("it has begun", lambda: [chunk for chunk in chunks(stage) if chunk["id"] == "second/0"], within=90)
    items = [len(chunk["items"]) for chunk in chunks(stage) if chunk["id"] == "second/0"][0]
    assert 50 <= items <= 101, items
    said = int(re.search(r"use --chunk (\d+)\)", second.stderr)[1])
    assert said == items, second.stderr
    again = stage.penstock("enqueue", "--queue", stage.queue, "--type", "chunk", "--account", "acme", "--bulk", "second",
                           "--chunk", "auto", "--http", http, "--from", str(stage.folder / "second.jsonl"), config=config)
    assert again.returncode == 1 and f"in {-(-300 // said)} chunks" in again.stderr, again
    split(stage, config, "second", [0.05] * 300, said)
    until("what is sent again is dropped", lambda: worker.counted("duplicate") >= -(-300 // said))
    worker.kill()
    alone = stage.penstock("enqueue", "--queue", stage.queue, "--type", "chunk", "--account", "acme", "--bulk", "b",
                           "--chunk", "auto", "--http", http, "--args", '{"items":[1]}', config=config)
    assert alone.returncode == 1 and "no answer from a worker" in alone.stderr, alone


def a_cancel_reaches_what_has_not_been_read_yet(stage):
    config = configured(stage)
    worker = stage.worker("worker", config=config).start().ready()
    http = address(worker)
    # Its first chunk has been read; the others come when nobody reads.
    value = lambda index: json.dumps({"type": "chunk", "id": f"b/{index}", "args": {"items": [3.0] if index else []},
                                      "bulk": {"id": "b", "index": index, "size": 40, "on_done": {"type": "report"}}})
    stage.produce([("acme", value(0))])
    until("it is known", lambda: bulk_of(worker, stage, "b"))
    stage.produce([("acme", value(index)) for index in range(1, 40)])
    cancelled = stage.penstock("jobs", "cancel", "--queue", stage.queue, "--bulk", "b", "--http", http, config=config)
    assert cancelled.returncode == 0, cancelled.stderr
    until("the report has come", lambda: chunks(stage, "report"))
    report = chunks(stage, "report")[0]["args"]["bulk"]
    assert report["succeeded"] + report["cancelled"] == 40 and report["cancelled"] >= 38, report
    assert worker.stop() == 0


if __name__ == "__main__":
    main([
        every_item_once_and_the_last_word_too,
        auto_makes_chunks_of_five_seconds_by_the_measured_time,
        a_cancel_reaches_what_has_not_been_read_yet,
    ])
