"""One process with two queues: their starts go by weight or strictly in order, and each within a bound of its own."""

import json

from harness import until
from scenarios import main

SECONDS = 0.05


def two_queues(stage):
    """The queues `a` and `b`; a job's id begins with its queue's name."""
    config = stage.config()
    policy = {"partitions": stage.partitions, "types": {"job": {"handler": stage.tracing(children=8)}}}
    config["queues"] = {"a": policy, "b": policy}
    stage.make_topics(config)
    return config


def send(stage, queue, ids, **args):
    topic, stage.topic = stage.topic, f"{stage.prefix}.{queue}"
    stage.produce([(job, json.dumps({"type": "job", "id": job, "args": {"seconds": SECONDS, **args}})) for job in ids])
    stage.topic = topic


def jobs(worker, queue):
    return json.loads(worker.http(f"/v1/queues/{queue}")[1])["jobs"]


def starts(stage):
    """The queues' names in the order of their starts."""
    attempts = sorted(stage.trace.read().attempts.values(), key=lambda attempt: attempt.started)
    return "".join(attempt.id[0] for attempt in attempts)


def max_at_once(stage, queue):
    changes = []
    for attempt in stage.trace.read().attempts.values():
        if attempt.id[0] == queue:
            changes += [(attempt.started, 1), (attempt.last_seen, -1)]
    running = most = 0
    for _, change in sorted(changes):
        running += change
        most = max(most, running)
    return most


def work(stage, count, concurrency, *options):
    """The order of the starts of `count` jobs a queue that all wait already when the first of them may start."""
    config = two_queues(stage)
    worker = stage.worker("worker", *options, config=config).start().ready()
    gate = stage.gate()
    send(stage, "a", [f"first{i}" for i in range(concurrency)], waits_for=str(gate))
    until("every place is taken", lambda: len(stage.trace.running()) == concurrency)
    for queue in "ab":
        send(stage, queue, [f"{queue}{i}" for i in range(count)])
    until("the others wait", lambda: jobs(worker, "a") == concurrency + count and jobs(worker, "b") == count)
    gate.touch()
    until("all have ended", lambda: stage.trace.ends() == concurrency + 2 * count, within=120)
    assert worker.stop() == 0
    return starts(stage).removeprefix("f" * concurrency)


def starts_go_by_the_weights(stage):
    order = work(stage, 300, 4, "--queue", "a:3,b:1", "--concurrency", "4")
    both_wait = order[:order.rindex("a") - 8]
    share = both_wait.count("a") / len(both_wait)
    assert 0.70 < share < 0.80, (share, order)


def strictly_the_first_queue_is_served_first(stage):
    order = work(stage, 200, 4, "--queue", "a", "--queue", "b", "--strict", "--concurrency", "4")
    # Processes of the handler that are given their jobs one after the other may note them the other way round.
    assert "b" not in order[:200 - 8], order


def a_queue_has_a_bound_of_its_own(stage):
    work(stage, 150, 6, "--queue", "a,b", "--concurrency", "6", "--concurrency", "b=2")
    assert max_at_once(stage, "b") == 2
    assert max_at_once(stage, "a") >= 4


if __name__ == "__main__":
    main([
        starts_go_by_the_weights,
        strictly_the_first_queue_is_served_first,
        a_queue_has_a_bound_of_its_own,
    ])
