"""The whole in one scene: jobs with repeats from Python, three workers killed with -9 in turn every 3 s, and what
the handlers' trace, the queue's topic and its dead topic say of it.

PENSTOCK_DONE_WHEN_JOBS is the number of records (20,000; the figure that the project promises is 100,000).
"""

import os
import time

import stage_path  # noqa: F401, before what lies there
from harness import assert_done, until
from scenarios import main

RECORDS = int(os.environ.get("PENSTOCK_DONE_WHEN_JOBS", "20000"))
ACCOUNTS, WORKERS, PARTITIONS = 1_000, 3, 12
KILLS, EVERY_SECONDS = 10, 3.0
# Standing still after a death takes 16 s; a job of this machine far less than 10 ms.
WITHIN_SECONDS = 180 + RECORDS / 100


def jobs_with_repeats():
    """Jobs of all accounts in turn; every tenth repeats the identity of one that came before."""
    jobs = []
    for number in range(RECORDS):
        repeated = number % 10 == 9
        jobs.append(jobs[number // 2] if repeated else (f"account-{number % ACCOUNTS}", f"job-{number}"))
    return jobs


def kill_in_turn(stage, workers, count):
    """Kills until all is done, at least each worker once and at most KILLS times; how many."""
    for kills in range(KILLS):
        again = time.monotonic() + EVERY_SECONDS
        until("the time has come", lambda: time.monotonic() >= again)
        if kills >= WORKERS and stage.trace.ends() >= count:
            return kills
        workers[kills % WORKERS].kill()
        workers[kills % WORKERS].start()
    return KILLS


def every_job_is_done_in_order_though_workers_are_killed(stage):
    stage.partitions = PARTITIONS
    stage.make_topics()
    sent = stage.enqueue(jobs_with_repeats())
    identities = {(job.account, job.id) for job in sent}
    began = time.monotonic()
    workers = [stage.worker(f"worker-{number}").start() for number in range(WORKERS)]
    kills = kill_in_turn(stage, workers, len(identities))
    at_the_last_kill = stage.trace.ends()
    until("every job is done", lambda: stage.trace.ends() >= len(identities), within=WITHIN_SECONDS)
    seconds = time.monotonic() - began
    assert [worker.stop() for worker in workers] == [0] * WORKERS
    assert_done(stage, sent)
    assert stage.records(".dead") == []
    print(f"{len(sent)} records, {len(identities)} jobs done in {seconds:.0f} s, {at_the_last_kill} of them before the "
          f"last of {kills} kills; {stage.trace.reruns()} attempts were repeated", flush=True)


if __name__ == "__main__":
    main([every_job_is_done_in_order_though_workers_are_killed])
