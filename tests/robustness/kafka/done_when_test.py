"""The whole in one scene: jobs with repeats from Python, three workers killed with -9 in turn every 3 s, and what
the handlers' trace, the queue's topic and its dead topic say of it.

PENSTOCK_DONE_WHEN_JOBS is the number of records (20,000; the figure that the project promises is 100,000).
"""

import os
import time

import stage_path  # noqa: F401, before what lies there
from harness import assert_done, until
from kills import Kills
from scenarios import main

RECORDS = int(os.environ.get("PENSTOCK_DONE_WHEN_JOBS", "20000"))
ACCOUNTS, WORKERS, PARTITIONS, CHILDREN = 1_000, 3, 12, 8
# So that a kill finds attempts under way; no divisor of ACCOUNTS, so that all of them have such jobs.
LONG_EVERY, LONG_SECONDS = 51, 1.0
KILLS, EVERY_SECONDS = 10, 3.0
# A worker that is back in place goes on within a few seconds; a job of this machine takes far less than 10 ms.
WITHIN_SECONDS = 180 + RECORDS / 100


def jobs_with_repeats():
    """Jobs of all accounts in turn; every tenth repeats the identity of one that came long before."""
    jobs = []
    for number in range(RECORDS):
        if number % 10 == 9:
            jobs.append(jobs[number // 2])
        else:
            args = {"seconds": LONG_SECONDS} if number % LONG_EVERY == 0 else {}
            jobs.append((f"account-{number % ACCOUNTS}", f"job-{number}", {"args": args}))
    return jobs


def kill_in_turn(stage, workers, count):
    """Kills until all is done, at least each worker once, under load, and at most KILLS times."""
    kills = Kills(stage.trace)
    for number in range(KILLS):
        again = time.monotonic() + EVERY_SECONDS
        until("the time has come", lambda: time.monotonic() >= again)
        if number < WORKERS:
            assert stage.trace.ends() < count, f"nothing is left to do at kill {number + 1}"
        elif stage.trace.ends() >= count:
            break
        kills.kill(workers[number % WORKERS])
        if number < WORKERS:
            assert kills.cut_off(kills.kills[-1]), f"kill {number + 1} cut no attempt off"
    return kills


def every_job_is_done_in_order_though_workers_are_killed(stage):
    stage.partitions = PARTITIONS
    config = stage.config(types={"job": {"handler": stage.tracing(CHILDREN)}})
    stage.make_topics(config)
    workers = [stage.worker(f"worker-{number}", "--instance", f"worker-{number}", "--concurrency", str(CHILDREN),
                            config=config).start()
               for number in range(WORKERS)]
    until("every partition runs", lambda: stage.all_run(workers))
    began = time.monotonic()
    sent = stage.enqueue(jobs_with_repeats())
    identities = {(job.account, job.id) for job in sent}
    kills = kill_in_turn(stage, workers, len(identities))
    at_the_last_kill = stage.trace.ends()
    until("every job is done", lambda: stage.trace.ends() >= len(identities), within=WITHIN_SECONDS)
    seconds = time.monotonic() - began
    kills.look(workers)
    back = kills.assert_back_in_place()
    assert [worker.stop() for worker in workers] == [0] * WORKERS
    assert_done(stage, sent, unordered=kills.of_two_deaths())
    kills.assert_nothing_else_is_repeated(CHILDREN)
    assert stage.records(".dead") == []
    print(f"{len(sent)} records, {len(identities)} jobs done in {seconds:.0f} s, {at_the_last_kill} of them before the "
          f"last of {len(kills.kills)} kills, which cut off {kills} attempts; {stage.trace.reruns()} were repeated; a worker "
          f"was back within {max(back):.1f} s", flush=True)


if __name__ == "__main__":
    main([every_job_is_done_in_order_though_workers_are_killed])
