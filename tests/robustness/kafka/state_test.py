"""The state directory deleted or damaged on disk: the worker says so and has everything again from Kafka."""

import shutil
import time
from pathlib import Path

import stage_path  # noqa: F401, before what lies there
from harness import alive, assert_done, until
from scenarios import main

JOBS, ACCOUNTS = 2_000, 50
FULL_BYTES = 12 << 20  # above what the journal takes, below what RocksDB writes at once


def half_done(stage):
    """A queue with ended jobs, waiting ones and a worker that was stopped in the middle; what was sent."""
    config = stage.config(events="terminal", types={"job": {"keep": {"succeeded": "1h"}}})
    stage.make_topics(config)
    jobs = [(f"account-{number % ACCOUNTS}", f"job-{number}", {"args": {"seconds": 0.005}}) for number in range(JOBS)]
    sent = stage.enqueue(jobs)
    worker = stage.worker("only", config=config).start().ready()
    until("half of the jobs have ended", lambda: stage.trace.ends() >= JOBS // 2)
    assert worker.stop() == 0
    assert stage.trace.ends() < JOBS
    return worker, sent, jobs


def finish(stage, worker, sent, jobs):
    """Sends every job once more, so that forgotten identities would show, and works the rest off."""
    stage.enqueue(jobs)

    def done():
        # A worker that has met what it cannot read ends and says so; the next start restores.
        if not worker.runs():
            worker.start()
        return stage.trace.ends() >= JOBS

    until("every job has ended", done)
    until("every record has its end", lambda: done() and sum(stage.events().values()) >= 2 * JOBS)
    assert worker.stop() == 0
    assert_done(stage, sent)
    assert stage.events() == {(event, job.account, job.id): 1 for job in sent for event in ("succeeded", "duplicate")}
    return worker.log.read_text()


def rows(worker, pattern):
    folder = worker.home / "state" / "rows"
    found = list(folder.glob(pattern))
    assert found, list(folder.iterdir())
    return found


def flip(path, places):
    content = bytearray(path.read_bytes())
    for place in places:
        content[place] ^= 0x10
    path.write_bytes(content)


def a_deleted_state_directory(stage):
    worker, sent, jobs = half_done(stage)
    shutil.rmtree(worker.home / "state")
    worker.start().ready()
    finish(stage, worker, sent, jobs)
    assert stage.trace.reruns() == 0


def an_older_copy_of_the_state_directory(stage):
    worker, sent, jobs = half_done(stage)
    shutil.copytree(worker.home / "state", worker.home / "copy")
    worker.start().ready()
    until("more jobs have ended", lambda: stage.trace.ends() >= JOBS * 3 // 4)
    assert worker.stop() == 0
    shutil.rmtree(worker.home / "state")
    (worker.home / "copy").rename(worker.home / "state")
    worker.start().ready()
    finish(stage, worker, sent, jobs)
    assert stage.trace.reruns() == 0


def damaged(damage, pattern):
    def scenario(stage):
        worker, sent, jobs = half_done(stage)
        for path in rows(worker, pattern):
            damage(path)
        worker.start()
        said = finish(stage, worker, sent, jobs)
        assert "restored from Kafka" in said, said
    scenario.__name__ = f"{damage.__name__}_{pattern.strip('*-.')}".lower()
    return scenario


def a_manifest_that_lost_its_end(stage):
    """As after a crash: an older state, and the log has what is missing."""
    worker, sent, jobs = half_done(stage)
    for path in rows(worker, "MANIFEST-*"):
        cut_short(path)
    worker.start()
    finish(stage, worker, sent, jobs)


def bits_flipped_in(path):
    flip(path, range(256, path.stat().st_size, 512))


def bits_of_rows_flipped_in(path):
    flip(path, range(40, path.stat().st_size * 3 // 4, 4096))


def cut_short(path):
    path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])


def emptied(path):
    path.write_bytes(b"")


def a_full_disk(stage):
    """The worker stops its attempts and ends with the reason; with room again it goes on from Kafka."""
    config = stage.config(types={"job": {"keep": {"succeeded": "1h"}}})
    stage.make_topics(config)
    worker = stage.worker("only", config=config).start(file_bytes=FULL_BYTES).ready()
    sent = stage.enqueue([("slow", "in-flight", {"args": {"seconds": 20}})])
    until("it runs", lambda: len(stage.trace.running()) == 1)
    child = worker.children()
    # More rows than RocksDB keeps in memory, none of them before the disk has room again.
    due = {"run_at": int((time.time() + 30) * 1000), "args": {"seconds": 0, "text": "x" * 10_000}}
    sent += stage.enqueue([(f"account-{number % ACCOUNTS}", f"job-{number}", due) for number in range(JOBS * 4)])
    assert worker.wait() == 1, worker.text()
    said = worker.text()
    assert "in RocksDB failed" in said and " error " in said, said
    until("its handlers have ended", lambda: not any(map(alive, child)))
    worker.start().ready()
    until("every job has ended", lambda: stage.trace.ends() >= len(sent), within=180)
    assert worker.stop() == 0
    assert_done(stage, sent)


if __name__ == "__main__":
    main([
        a_full_disk,
        a_deleted_state_directory,
        an_older_copy_of_the_state_directory,
        a_manifest_that_lost_its_end,
        damaged(bits_of_rows_flipped_in, "*.sst"),
        damaged(bits_flipped_in, "*.sst"),
        damaged(cut_short, "*.sst"),
        damaged(bits_flipped_in, "MANIFEST-*"),
        damaged(emptied, "CURRENT"),
    ])
