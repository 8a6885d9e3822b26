"""Limits and rates of an account, and pauses: kept on a real Kafka, set at run time, and across restarts."""

import json
import time
from datetime import datetime

from harness import until
from limited import IN_FORCE, attempts, max_at_once, operate, started_since
from scenarios import main

ACCOUNTS = ["acme", "bolt", "coil", "dune"]
RATE, BURST = 20, 3
JITTER = 0.05  # seconds, of times that are cut to milliseconds and of steps


def limited(stage, *limits, **queue):
    policy = {"handler": stage.tracing(children=20), "limits": limits}
    return stage.config(account_concurrency=20, types={"job": policy, "other": {"handler": stage.tracing(children=2)}}, **queue)


def start(stage, config, *names):
    stage.make_topics(config)
    workers = [stage.worker(name, config=config).start() for name in names]
    for worker in workers:
        worker.ready()
    return workers


def send(stage, count, seconds=0.05, accounts=ACCOUNTS, more=None):
    jobs = [(account, f"job-{i}", {"args": {"seconds": seconds}, **(more or {})}) for i in range(count) for account in accounts]
    return stage.enqueue(jobs)


def send_more(stage, account):
    """So that jobs of the account are left, however long the commands before took."""
    return stage.enqueue([(account, f"more-{i}", {"args": {"seconds": 0.1}}) for i in range(200)])


def started_by_the_worker(stage, jobs, account=None):
    """When attempts started, in seconds, once the starts of so many jobs are told.

    A handler's process may begin later, and some together. The stop of a worker takes attempts back whose handlers
    have not begun (docs/handlers.md): such a job starts again, as another attempt with another token. Each attempt is
    told once, and all that began are.
    """
    def told():
        events = [event for event in stage.told() if event["event"] == "started" and account in (None, event["account"])]
        return len({(event["account"], event["id"]) for event in events}) >= jobs and events

    events = until("all starts are told", told)
    started = [(event["account"], event["token"]) for event in events]
    assert len(started) == len(set(started)), sorted(started)
    began = {(attempt.account, attempt.token) for attempt in attempts(stage) if account in (None, attempt.account)}
    assert len(began) == jobs and began <= set(started), (len(began), began - set(started))
    return sorted(datetime.fromisoformat(event["at"]).timestamp() for event in events)


def of_account(stage, account):
    return [attempt for attempt in attempts(stage) if attempt.account == account]


def the_slots_of_an_account_are_all_in_use_and_never_one_more(stage):
    config = limited(stage, {"name": "crm/{account}", "slots": 2})
    workers = start(stage, config, "first", "second")
    sent = send(stage, 40)
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    for account in ACCOUNTS:
        assert max_at_once(of_account(stage, account)) == 2, account
    assert all(worker.stop() == 0 for worker in workers)


def a_rate_lets_no_more_start_than_it_says_and_a_restart_lets_nothing_start_sooner(stage):
    config = limited(stage, {"name": "sms/{account}", "rate": f"{RATE}/s", "burst": BURST}, events="all")
    first, = start(stage, config, "first")
    sent = send(stage, 80, 0, ACCOUNTS[:2])
    until("some have started", lambda: len(attempts(stage)) > 40)
    assert first.stop() == 0
    stage.worker("second", config=config).start().ready()
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    for account in ACCOUNTS[:2]:
        starts = started_by_the_worker(stage, 80, account)
        for i, begin in enumerate(starts):
            for j in range(i + BURST + 1, len(starts)):
                allowed = BURST + RATE * (starts[j] - begin + JITTER)
                assert j - i + 1 <= allowed, (account, i, j, starts[j] - begin)


def several_limits_of_a_type_are_all_kept(stage):
    config = limited(stage, {"name": "crm/{account}", "slots": 3}, {"name": "db/{account}/{args/db}", "slots": 2})
    workers = start(stage, config, "first", "second")
    database = {f"job-{i}": "ab"[i % 2] for i in range(40)}
    sent = stage.enqueue([(account, job, {"args": {"seconds": 0.05, "db": db}})
                          for job, db in database.items() for account in ACCOUNTS])
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    for account in ACCOUNTS:
        of = of_account(stage, account)
        assert max_at_once(of) == 3, account
        for db in "ab":
            assert max_at_once([attempt for attempt in of if database[attempt.id] == db]) == 2, (account, db)
    assert all(worker.stop() == 0 for worker in workers)


def a_rate_that_all_accounts_share_is_one_rate(stage):
    config = limited(stage, {"name": "sms", "rate": f"{2 * RATE}/s", "burst": BURST}, events="all")
    worker, = start(stage, config, "only")
    sent = send(stage, 60, 0)
    until("every job has ended", lambda: stage.trace.ends() >= len(sent))
    starts = started_by_the_worker(stage, len(sent))
    # A burst, and as much again with each partition that gets its part and each that has no more use for one
    # (docs/config.md). A rate for each partition would let them all start in a quarter of the time.
    bursts = (BURST + stage.partitions) * (1 + 2 * stage.partitions)
    assert len(starts) <= bursts + 2 * RATE * (starts[-1] - starts[0] + JITTER), starts[-1] - starts[0]
    assert worker.stop() == 0


def a_number_that_is_set_is_in_force_within_a_second_and_kept_across_restarts(stage):
    config = limited(stage, {"name": "crm/{account}", "slots": 4})
    first, second = start(stage, config, "first", "second")
    sent = send(stage, 400, 0.1)
    acme = "acme"
    until("four run", lambda: max_at_once(of_account(stage, acme)) == 4)
    set_at = operate(stage, config, "limits", "set", "crm/acme", "1")
    sent += send_more(stage, "bolt")
    until("jobs go on", lambda: started_since(stage, set_at + 3, acme))
    assert max_at_once(of_account(stage, acme), set_at + IN_FORCE) == 1
    assert max_at_once(of_account(stage, "bolt"), set_at + IN_FORCE) == 4
    set_at = operate(stage, config, "limits", "set", "crm/{account}", "0")
    until("the others stand still", lambda: not started_since(stage, time.monotonic() - IN_FORCE, "bolt"), within=20)
    waiting = stage.enqueue([("bolt", "waits-for-the-reset", {"args": {"seconds": 0.1}})])
    first.kill()
    assert second.stop() == 0
    workers = [stage.worker(name, config=config).start().ready() for name in ("third", "fourth")]
    restarted = time.monotonic()
    # Also past the lease of the one that died.
    until("acme goes on by its own number", lambda: started_since(stage, restarted, acme), within=40)
    time.sleep(2)
    late = [a for a in attempts(stage) if a.account != acme and a.started > set_at + IN_FORCE]
    assert not late, late
    assert max_at_once(of_account(stage, acme), restarted) == 1
    listed = stage.penstock("--json", "limits", "list", config=config)
    entries = {entry["name"]: entry for entry in map(json.loads, listed.stdout.splitlines())}
    assert entries["crm/acme"] == {"name": "crm/acme", "shared": None, "configured": None, "set": {"slots": 1}}, entries
    assert entries["crm/{account}"] == {"name": "crm/{account}", "shared": False, "configured": {"slots": 4}, "set": {"slots": 0}}
    status, body = workers[0].http("/v1/limits")
    of_worker = json.loads(body)["limits"]
    # How much is used is known to the worker alone.
    uses = {entry["name"]: (entry.pop("used"), entry.pop("waiting")) for entry in of_worker}
    assert status == 200 and {entry["name"]: entry for entry in of_worker} == entries, body
    assert all(used >= 0 and waiting >= 0 for used, waiting in uses.values()), uses
    operate(stage, config, "limits", "reset", "crm/acme")
    reset_at = operate(stage, config, "limits", "reset", "crm/{account}")
    begun = until("the others start", lambda: started_since(stage, reset_at - IN_FORCE, "bolt"))
    assert min(attempt.started for attempt in begun) < reset_at + IN_FORCE, begun
    until("every job has ended", lambda: stage.trace.ends() >= len(sent) + len(waiting), within=120)
    assert max_at_once(attempts(stage)) <= 4 * len(ACCOUNTS)
    for account in ACCOUNTS:
        assert max_at_once(of_account(stage, account), reset_at) <= 4, account
    assert all(worker.stop() == 0 for worker in workers)


def what_is_paused_stands_still_within_a_second_and_across_restarts_until_it_is_resumed(stage):
    config = limited(stage, {"name": "crm/{account}", "slots": 4})
    first, = start(stage, config, "first")
    queue = stage.queue
    sent = send(stage, 300, 0.1)
    until("all run", lambda: len({attempt.account for attempt in attempts(stage)}) == len(ACCOUNTS))
    paused_at = operate(stage, config, "pause", queue, "--account", "acme")
    sent += send_more(stage, "bolt")
    until("the others go on", lambda: started_since(stage, paused_at + 2, "bolt"))
    assert not started_since(stage, paused_at + IN_FORCE, "acme")
    type_at = operate(stage, config, "pause", f"{queue}/job")
    other = send(stage, 1, 0, ["bolt"], {"type": "other", "id": "other"})
    other += send(stage, 1, 0.1, ["coil"], {"id": "waits-for-the-type"})
    until("another type goes on", lambda: started_since(stage, type_at, "bolt") and stage.trace.of("other"))
    listed = stage.penstock("--json", "pauses", config=config)
    pauses = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [(pause["queue"], pause["type"], pause["account"]) for pause in pauses] == \
        [(queue, None, "acme"), (queue, "job", None)], listed
    assert all(pause["since"] and "@" in pause["by"] for pause in pauses), pauses
    status, body = first.http("/v1/pauses")
    assert status == 200 and json.loads(body)["pauses"] == pauses, body
    assert first.stop() == 0
    second = stage.worker("second", config=config).start().ready()
    time.sleep(3)
    late = [a for a in started_since(stage, type_at + IN_FORCE) if a.id != "other"]
    assert not late, late
    resumed_at = operate(stage, config, "resume", f"{queue}/job")
    begun = until("jobs start", lambda: started_since(stage, resumed_at - IN_FORCE, "coil"))
    assert min(attempt.started for attempt in begun) < resumed_at + IN_FORCE, begun
    assert not started_since(stage, paused_at + IN_FORCE, "acme")
    operate(stage, config, "resume", queue, "--account", "acme")
    until("every job has ended", lambda: stage.trace.ends() >= len(sent) + len(other), within=120)
    assert second.stop() == 0


def an_operator_is_told_what_is_replaced_and_what_limits_nothing(stage):
    config = limited(stage, {"name": "crm/{account}", "slots": 4})
    stage.make_topics(config)
    operate(stage, config, "limits", "set", "crm/acme", "5", "--rate", "10/s")
    halted = stage.penstock("--json", "limits", "set", "crm/acme", "0", config=config)
    assert json.loads(halted.stdout) == {
        "name": "crm/acme", "set": {"slots": 0}, "before": {"slots": 5, "rate": "10/s", "burst": 1}}, halted
    assert "No limit" not in halted.stderr, halted
    misspelt = stage.penstock("limits", "set", "crmm/acme", "0", config=config)
    assert misspelt.returncode == 0 and 'The configuration has no limit with the name "crmm/acme"' in misspelt.stderr, misspelt
    reset = stage.penstock("limits", "reset", "crm/acme", config=config)
    assert "the previous override was 0 slots" in reset.stderr, reset


if __name__ == "__main__":
    main([
        the_slots_of_an_account_are_all_in_use_and_never_one_more,
        a_rate_lets_no_more_start_than_it_says_and_a_restart_lets_nothing_start_sooner,
        several_limits_of_a_type_are_all_kept,
        a_rate_that_all_accounts_share_is_one_rate,
        a_number_that_is_set_is_in_force_within_a_second_and_kept_across_restarts,
        what_is_paused_stands_still_within_a_second_and_across_restarts_until_it_is_resumed,
        an_operator_is_told_what_is_replaced_and_what_limits_nothing,
    ])
