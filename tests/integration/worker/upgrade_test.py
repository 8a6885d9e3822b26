"""`penstock upgrade finish`: what it sends, and that workers go on, before it and after it."""

import json

from harness import until
from limited import operate
from scenarios import main


def finished_formats(stage):
    """What operators have said, by queue."""
    records = stage.records_of(f"{stage.prefix}.control", 1)
    return {record.key.decode().removeprefix("format/"): json.loads(record.value)
            for record in records if record.key.startswith(b"format/")}


def run_a_job(stage, name, job, ends):
    worker = stage.worker(name).start().ready()
    stage.enqueue([("acme", job)])
    until(f"{job} has ended", lambda: stage.trace.ends() == ends)
    return worker


def a_finished_upgrade_is_recorded_for_the_queue_and_the_shared_limits(stage):
    stage.make_topics()
    worker = run_a_job(stage, "before", "first", 1)
    said = stage.penstock("--json", "upgrade", "finish")
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout) == {"op": "upgrade finish", "queue": stage.queue, "format": 1}, said.stdout
    formats = finished_formats(stage)
    assert formats.pop(stage.queue) == {"format": 1}, formats
    assert list(formats.values()) == [{"format": 1}], formats
    assert worker.stop() == 0
    worker = run_a_job(stage, "after", "second", 2)
    assert worker.stop() == 0


def one_queue_alone_can_be_finished(stage):
    stage.make_topics()
    operate(stage, stage.config(), "upgrade", "finish", stage.queue)
    assert finished_formats(stage) == {stage.queue: {"format": 1}}, finished_formats(stage)
    wrong = stage.penstock("upgrade", "finish", "other")
    assert wrong.returncode == 3 and "other" in wrong.stderr, wrong.stderr


if __name__ == "__main__":
    main([a_finished_upgrade_is_recorded_for_the_queue_and_the_shared_limits, one_queue_alone_can_be_finished])
