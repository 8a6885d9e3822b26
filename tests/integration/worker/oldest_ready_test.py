"""The age of the oldest job that could start, as the metrics have it: what autoscaling is decided by."""

import re
import time

from harness import until
from scenarios import main


def oldest(worker):
    status, body = worker.http("/metrics")
    assert status == 200, body
    found = re.search(r'penstock_oldest_ready_seconds{queue="q"} (\S+)', body)
    assert found, body
    assert worker.queue()["oldest_ready_ms"] >= 0
    return float(found[1])


def it_grows_while_a_job_waits_for_its_turn_and_not_while_none_could_start(stage):
    config = stage.config()
    stage.make_topics(config)
    worker = stage.worker("first", config=config).start().ready()
    until("all run", lambda: stage.all_run([worker]))
    assert oldest(worker) == 0
    gate = stage.gate()
    stage.enqueue([("acme", "long", {"args": {"waits_for": str(gate)}})])
    until("it runs", lambda: worker.queue()["running"] == 1)
    in_an_hour = int((time.time() + 3600) * 1000)
    stage.enqueue([("bolt", "later", {"run_at": in_an_hour})])
    time.sleep(2)
    assert oldest(worker) == 0, "one runs, and the other is scheduled"
    sent = time.time()
    stage.enqueue([("acme", "next", {})])
    until("it has waited", lambda: oldest(worker) > 3)
    assert oldest(worker) < time.time() - sent + 1

    # A new owner knows from the rows since when it waits.
    worker.kill()
    second = stage.worker("second", config=config).start().ready()
    until("all run", lambda: stage.all_run([second]))
    gate.touch()
    until("both have run", lambda: stage.trace.ends() >= 2)
    until("nothing waits", lambda: oldest(second) == 0)
    assert second.stop() == 0


def a_new_owner_goes_on_counting(stage):
    config = stage.config()
    stage.make_topics(config)
    sent = time.time()
    stage.enqueue([("acme", f"job-{i}", {"args": {"waits_for": str(stage.gate())}}) for i in range(2)])
    worker = stage.worker("first", config=config).start().ready()
    until("one runs", lambda: worker.queue()["running"] == 1)
    until("it has waited", lambda: oldest(worker) > 2)
    admitted = time.time() - oldest(worker)
    worker.kill()
    second = stage.worker("second", config=config).start().ready()
    until("one runs", lambda: second.queue()["running"] == 1)
    assert abs(oldest(second) - (time.time() - admitted)) < 2, (oldest(second), time.time() - admitted, sent)
    stage.gate().touch()
    until("both have run", lambda: second.counted("succeeded") >= 2)
    assert second.stop() == 0


if __name__ == "__main__":
    main([
        it_grows_while_a_job_waits_for_its_turn_and_not_while_none_could_start,
        a_new_owner_goes_on_counting,
    ])
