"""What each lease survives: one of three brokers killed, stopped for ten seconds, and all rolled. Not a test: it prints
the table of docs/operations.md.

    python3 tests/robustness/kafka/lease_table.py PROGRAM [LEASE...]

A cell is the number of tenures that were given up, and for how long Kafka held acknowledgements back.
"""

import contextlib
import sys

import stage_path  # noqa: F401, before what lies there
from harness import Stage, until
from local_kafka import local_kafka
from raw_appends import RawAppends
from three_nodes_test import killed, paused, rolled, tenures_lost

LEASES = ["3s", "6s", "10s", "15s", "30s"]


def row(program, kafka, lease):
    stage = Stage(f"lease_{lease}", program, kafka.address)
    stage.cluster = kafka
    with contextlib.ExitStack() as stack:
        stack.callback(stage.close)
        config = stage.config(lease=lease, types={"job": {"handler": stage.tracing(children=2)}})
        stage.make_topics(config)
        raw = RawAppends(kafka.address, f"{stage.prefix}.raw", 6)
        stack.callback(raw.close)
        stage.sent = []
        workers = [stage.worker(name, config=config).start().ready() for name in ("first", "second")]
        cells = []
        for fault in (killed, paused, rolled):
            until("every partition runs", lambda: stage.all_run(workers))
            lost, held = tenures_lost(stage, workers, raw, fault, kafka)
            cells.append(f"{lost}, {held:.1f} s")
        print(f"| {lease} | " + " | ".join(cells) + " |", flush=True)
        for worker in workers:
            worker.stop()


def main(program, *leases):
    print("| lease | killed | stopped for 10 s | rolled |\n|---|---|---|---|", flush=True)
    with local_kafka(nodes=3, broker_session_timeout_ms=6000) as kafka:
        for lease in leases or LEASES:
            row(program, kafka, lease)


if __name__ == "__main__":
    main(*sys.argv[1:])
