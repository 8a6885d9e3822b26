"""Runs a file's scenarios side by side, each on a stage of its own: most of them wait for a lease to end.

    python3 FILE_test.py PROGRAM [SCENARIO...]
"""

import concurrent.futures
import contextlib
import sys
import time
import traceback

from harness import Stage, kafka

AT_ONCE = 4


def run_one(scenario, program, address, cluster):
    started = time.monotonic()
    stage = Stage(scenario.__name__, program, address)
    stage.cluster = cluster
    try:
        scenario(stage)
        error = None
    except Exception:  # reported below, with what the workers said
        error = traceback.format_exc() + stage.logs()
    took = time.monotonic() - started
    stage.close()
    if address and not error:
        try:
            stage.delete_topics()
        except Exception as trouble:  # they go with their Kafka
            print(f"the topics of {scenario.__name__} are left: {trouble}", flush=True)
    return took, error


def run_all(scenarios, at_once, program, address, cluster):
    """How many failed."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        runs = {pool.submit(run_one, scenario, program, address, cluster): scenario for scenario in scenarios}
        for run in concurrent.futures.as_completed(runs):
            seconds, error = run.result()
            failed += error is not None
            print(f"{'FAILED' if error else 'ok    '} {seconds:6.1f} s  {runs[run].__name__}", flush=True)
            if error:
                print(error, flush=True)
    return failed


def main(scenarios, at_once=AT_ONCE, own_kafka=False, cluster=None):
    """With `own_kafka` the scenarios bring a Kafka each; a `cluster` is their common one, whose nodes they may kill."""
    program, *chosen = sys.argv[1:]
    scenarios = [scenario for scenario in scenarios if not chosen or scenario.__name__ in chosen]
    with cluster or contextlib.nullcontext() as shared:
        address = shared.address if shared else None if own_kafka else kafka()
        failed = run_all(scenarios, at_once, program, address, shared)
    sys.exit(1 if failed or not scenarios else 0)
