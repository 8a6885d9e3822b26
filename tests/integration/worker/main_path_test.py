"""From a record of a producer that is not ours to a job done, once, in its account's order."""

import re

from harness import assert_done, until
from scenarios import main

RECORDS, ACCOUNTS = 20_000, 200


def with_repeats(records, accounts):
    """Jobs of many accounts in turn; every tenth has an identity that came before, just now or long ago."""
    jobs = []
    for number in range(records):
        if number % 10 == 9:
            back = 1 if number < records // 2 else 1 + records // 4
            jobs.append(jobs[number - back])
        else:
            jobs.append((f"account-{number % accounts}", f"job-{number}"))
    return jobs


def assert_counted(worker, **counts):
    for name, count in counts.items():
        assert re.search(rf"\b{count} {name}\b", worker.text()), f"not {count} {name}:\n{worker.text()}"


def every_identity_succeeds_once_with_a_built_in_handler(stage):
    config = stage.config(events="terminal", types={"job": {}})
    del config["queues"][stage.queue]["types"]["job"]["handler"]
    stage.make_topics(config)
    sent = stage.enqueue(with_repeats(RECORDS, ACCOUNTS))
    worker = stage.worker("only", "--handler", "job=noop", config=config).start().ready()
    identities = {(job.account, job.id) for job in sent}
    until("an event of every record", lambda: sum(stage.events().values()) >= RECORDS)
    assert worker.stop() == 0
    assert_counted(worker, admitted=len(identities), succeeded=len(identities), duplicates=RECORDS - len(identities), dead=0)
    events = stage.events()
    assert {key[1:]: count for key, count in events.items() if key[0] == "succeeded"} == {who: 1 for who in identities}
    assert sum(count for key, count in events.items() if key[0] == "duplicate") == RECORDS - len(identities)
    assert stage.records(".dead") == []


def every_identity_runs_once_in_order_with_an_exec_handler(stage):
    stage.make_topics()
    sent = stage.enqueue(with_repeats(RECORDS, ACCOUNTS))
    worker = stage.worker("only").start().ready()
    identities = {(job.account, job.id) for job in sent}
    until("every job has ended", lambda: stage.trace.ends() >= len(identities), within=120)
    until("every repeat has been read", lambda: worker.counted("duplicate") == RECORDS - len(identities))
    assert worker.stop() == 0
    assert_counted(worker, admitted=len(identities), succeeded=len(identities), duplicates=RECORDS - len(identities), dead=0)
    assert_done(stage, sent)
    assert stage.trace.reruns() == 0
    assert stage.records(".dead") == []


def workers_join_and_leave_under_load_without_running_a_job_twice(stage):
    stage.partitions = 6
    config = stage.config(types={"job": {"handler": stage.tracing(children=3)}})
    stage.make_topics(config)
    jobs = [(account, job, {"args": {"seconds": 0.003}}) for account, job in with_repeats(9_000, ACCOUNTS)]
    sent = stage.enqueue(jobs)
    count = len({(job.account, job.id) for job in sent})
    first, second, third = (stage.worker(name, config=config) for name in ("first", "second", "third"))
    steps = [first.start, second.start, third.start, lambda: first.stop() == 0, first.start, lambda: second.stop() == 0]
    for number, step in enumerate(steps):
        assert step()
        until(f"the jobs go on after step {number}", lambda: stage.trace.ends() >= count * (number + 1) // 8, within=90)
    until("every job has ended", lambda: stage.trace.ends() >= count, within=120)
    assert first.stop() == 0 and third.stop() == 0
    assert_done(stage, sent)
    assert stage.trace.reruns() == 0
    assert not any("given up" in worker.log.read_text() for worker in stage.workers), stage.logs()


if __name__ == "__main__":
    main([
        every_identity_succeeds_once_with_a_built_in_handler,
        every_identity_runs_once_in_order_with_an_exec_handler,
        workers_join_and_leave_under_load_without_running_a_job_twice,
    ])
