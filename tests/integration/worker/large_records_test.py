"""Records that only compression has brought through the topic's limit, and a dead topic that is missing."""

import collections
import re

import confluent_kafka
from confluent_kafka.admin import AdminClient
from harness import until
from scenarios import main

MEBIBYTE = 1 << 20
LARGE = [3 * MEBIBYTE, 8 * MEBIBYTE, 24 * MEBIBYTE]


def produce_compressed(stage, values):
    """One batch each, far below the limit that it would exceed uncompressed."""
    producer = confluent_kafka.Producer(stage.client(compression_type="gzip", message_max_bytes=64 * MEBIBYTE,
                                                     queue_buffering_max_kbytes=128 << 10))
    errors = []
    for value in values:
        producer.produce(stage.topic, value, "acme", partition=0, on_delivery=lambda error, _: error and errors.append(error))
        assert producer.flush(60) == 0 and not errors, errors


def dead_by_length(stage):
    """How often each bad record has arrived, by the length that it had."""
    counts = collections.Counter()
    for record in stage.records(".dead"):
        headers = {name: value.decode() for name, value in record.headers}
        cut = headers.get("penstock-cut")
        assert cut is None or len(record.value) < int(cut), "what is cut says how long it was"
        counts[int(cut or len(record.value))] += 1
    return counts


def large_bad_records_arrive_once_and_hold_nothing_up(stage):
    stage.make_topics()
    small = [100 + number for number in range(20)]
    produce_compressed(stage, [b"x" * length for length in [*small[:5], *LARGE, *small[5:]]])
    worker = stage.worker("worker").start().ready()
    stage.enqueue([("acme", "good")])
    until("the job behind them has ended", lambda: stage.trace.ends() == 1)
    expected = collections.Counter([*LARGE, *small])
    until("all bad records are in the dead topic", lambda: sum(dead_by_length(stage).values()) >= len(expected))
    assert worker.stop() == 0
    again = stage.worker("again").start().ready()
    produce_compressed(stage, [b"x" * 300])
    expected[300] += 1
    until("the next one as well", lambda: dead_by_length(stage)[300] == 1)
    assert again.stop() == 0
    assert dead_by_length(stage) == expected, dead_by_length(stage) - expected
    for run in (worker, again):
        assert "given up" not in run.text(), run.text()


def a_dead_topic_that_an_operator_has_made_smaller(stage):
    stage.make_topics()
    worker = stage.worker("worker").start().ready()
    admin = AdminClient(stage.client())
    resource = confluent_kafka.admin.ConfigResource(confluent_kafka.admin.ConfigResource.Type.TOPIC, stage.topic + ".dead",
                                                    set_config={"max.message.bytes": "200000"})
    for altered in admin.alter_configs([resource]).values():
        altered.result(30)
    small = [100 + number for number in range(20)]
    produce_compressed(stage, [b"x" * length for length in [3 * MEBIBYTE, *small]])
    expected = collections.Counter([3 * MEBIBYTE, *small])
    until("all are in the dead topic", lambda: sum(dead_by_length(stage).values()) >= len(expected))
    assert worker.stop() == 0
    assert dead_by_length(stage) == expected, dead_by_length(stage) - expected


def a_missing_dead_topic_is_named(stage):
    stage.make_topics()
    worker = stage.worker("worker").start().ready()
    assert worker.http("/readyz")[0] == 200
    dead = stage.topic + ".dead"
    admin = AdminClient(stage.client())  # kept: what it was asked ends with it
    for deleted in admin.delete_topics([dead]).values():
        deleted.result(30)
    stage.produce([("acme", "not a job")])
    until("/readyz names the topic", lambda: worker.http("/readyz")[0] == 503 and dead in worker.http("/readyz")[1])
    metrics = worker.http("/metrics")[1]
    assert re.search(rf'penstock_outbox_undelivered{{[^}}]*topic="{re.escape(dead)}"}} 1', metrics), metrics
    worker.says(f"for the topic {dead} could not be delivered")
    stage.make_topics()
    until("it is delivered", lambda: len(stage.records(".dead")) >= 1)
    until("/readyz is content", lambda: worker.http("/readyz")[0] == 200)
    worker.says(f"messages for the topic {dead} are delivered again")
    assert worker.stop() == 0
    assert len(stage.records(".dead")) == 1


if __name__ == "__main__":
    main([
        large_bad_records_arrive_once_and_hold_nothing_up,
        a_dead_topic_that_an_operator_has_made_smaller,
        a_missing_dead_topic_is_named,
    ])
