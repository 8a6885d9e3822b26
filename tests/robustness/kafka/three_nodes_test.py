"""Three brokers, replication 3, min.insync.replicas 2: losing one at a time costs no worker its lease."""

import contextlib
import json
import time

import stage_path  # noqa: F401, before what lies there
from confluent_kafka.admin import AdminClient, NewTopic
from harness import assert_done, until
from local_kafka import local_kafka
from raw_appends import RawAppends
from scenarios import main

JOBS, ACCOUNTS = 6_000, 100  # of one fault
PAUSE_SECONDS = 10
# A worker waits 14 s for an acknowledgement. Kafka holds them back until it has taken a node for dead and 3 s more; on
# a machine that is busy with other things it may be longer, and then no worker can keep its lease. What a plain producer measures may differ
# by the second that a client waits at most between two tries.
MOST_SECONDS = 12.9
TRIES = 3


def killed(kafka):
    kafka.kill(1)
    kafka.start_node(1)


def paused(kafka):
    kafka.pause(2)
    over = time.monotonic() + PAUSE_SECONDS
    until("the pause is over", lambda: time.monotonic() >= over)
    kafka.resume(2)


def rolled(kafka):
    for node in (1, 2, 3):
        kafka.stop_node(node)
        kafka.start_node(node)


def load(stage, count):
    first = len(stage.sent)
    return stage.enqueue([(f"account-{number % ACCOUNTS}", f"job-{number}", {"args": {"seconds": 0.01}})
                          for number in range(first, first + count)])


def tenures_lost(stage, workers, raw, fault, kafka):
    """How many tenures the workers gave up because of the fault, and for how long Kafka held acknowledgements back."""
    raw.take_longest()
    said = {worker: len(worker.text()) for worker in workers}
    stage.sent += load(stage, JOBS)
    fault(kafka)
    stage.sent += load(stage, ACCOUNTS)
    until(f"the jobs go on after a broker was {fault.__name__}", lambda: stage.trace.ends() >= len(stage.sent), within=120)
    return sum(worker.text()[said[worker]:].count("given up") for worker in workers), raw.take_longest()


def leases_hold(stage, workers, raw, fault, kafka):
    """Whether the workers kept their leases; None when Kafka itself was away for longer than a lease can bear."""
    lost, longest = tenures_lost(stage, workers, raw, fault, kafka)
    print(f"{fault.__name__}: Kafka held acknowledgements back for {longest:.1f} s", flush=True)
    if lost == 0:
        return True
    return None if longest > MOST_SECONDS else False


def give_three_replicas(stage):
    plan = stage.folder / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": [
        {"topic": stage.topic, "partition": partition, "replicas": [1, 2, 3]} for partition in range(stage.partitions)]}))
    stage.cluster.tool("reassign.ReassignPartitionsCommand", "--reassignment-json-file", plan, "--execute")


def a_queue_topic_of_one_replica_is_refused_until_it_has_three(stage):
    admin = AdminClient(stage.client())
    for made in admin.create_topics([NewTopic(stage.topic, stage.partitions, 1)]).values():
        made.result(60)
    wrong = f"{stage.topic} has replication 1, expected 3: jobs are lost with a broker"
    mend = f"kafka-reassign-partitions.sh --execute with a plan that gives each partition of {stage.topic} 3 replicas"
    worker = stage.worker("only").start()
    assert worker.wait(30) == 1
    assert wrong in worker.text() and mend in worker.text(), worker.text()
    create = stage.penstock("topics", "create")
    assert create.returncode == 1
    assert wrong in create.stderr and mend in create.stderr and "Nothing was changed" in create.stderr, create.stderr
    give_three_replicas(stage)
    until("the topics can be made", lambda: stage.penstock("topics", "create").returncode == 0)
    sent = stage.enqueue([(f"account-{number}", f"job-{number}") for number in range(4)])
    worker.start().ready()
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    assert worker.stop() == 0


def one_broker_killed_paused_and_rolled_costs_no_lease(stage):
    kafka = stage.cluster
    with contextlib.ExitStack() as stack:
        config = stage.config(types={"job": {"handler": stage.tracing(children=2)}})
        stage.make_topics(config)
        raw = RawAppends(kafka.address, f"{stage.prefix}.raw", 6)
        stack.callback(raw.close)
        stage.sent = []
        workers = [stage.worker(name, config=config).start().ready() for name in ("first", "second")]
        for fault in (killed, paused, rolled):
            # A claim that a fault interrupts is no lease that is lost.
            until("every partition runs", lambda: stage.all_run(workers))
            tries = (leases_hold(stage, workers, raw, fault, kafka) for _ in range(TRIES))
            held = next((held for held in tries if held is not None), None)
            assert held is not None, f"{fault.__name__}: Kafka was away for too long {TRIES} times: the machine is too busy"
            assert held, f"{fault.__name__}:\n{stage.logs()}"
        assert [worker.stop() for worker in workers] == [0, 0]
        assert_done(stage, stage.sent)


if __name__ == "__main__":
    main([
        a_queue_topic_of_one_replica_is_refused_until_it_has_three,
        one_broker_killed_paused_and_rolled_costs_no_lease,
    ], at_once=1, cluster=local_kafka(nodes=3, broker_session_timeout_ms=6000))
