"""The orders of a queue, on a real Kafka: whose turn it is among bulks, weights, priorities, retries and times."""

import collections
import itertools
import time

from harness import assert_done, until
from limited import operate
from scenarios import main

RETRY = {"attempts": 3, "backoff": "fixed", "base": "500ms", "jitter": 0}


def bulk(name, size, account="acme", **members):
    """A bulk's chunks: an account's jobs, the first one A1."""
    return [(account, f"{name}{number}", {"bulk": {"id": name, "index": number - 1, "size": size}, **members})
            for number in range(1, size + 1)]


def preloaded(stage, order, jobs, *options, workers=("only",), **queue):
    """Jobs that are all there before any of them may start, until all of them have ended; where they were sent."""
    config = stage.config(order=order, events="all", types={"job": {"retry": RETRY}, "other": {}}, **queue)
    stage.make_topics(config)
    operate(stage, config, "pause", stage.queue)
    sent = stage.enqueue(jobs)
    working = [stage.worker(name, *options, config=config).start() for name in workers]
    until("each has partitions", lambda: stage.all_run([worker.ready() for worker in working]))
    until("all are admitted", lambda: sum(event == "admitted" for event, *_ in stage.events()) == len(jobs))
    operate(stage, config, "resume", stage.queue)
    until("all have ended", lambda: stage.trace.ends() == len(jobs))
    until("their ends are told", lambda: sum(event == "succeeded" for event, *_ in stage.events()) == len(jobs))
    assert all(worker.stop() == 0 for worker in working)
    assert_done(stage, sent, ordered=False)
    return sent


def starts(stage, account="acme"):
    """The ids in the order of the account's starts, an attempt each."""
    return [attempt.id for attempt in stage.trace.by_account()[account]]


def in_turn(*bulks):
    return [job for turn in itertools.zip_longest(*bulks) for job in turn if job]


def ids(jobs):
    return [job for _, job, *_ in jobs]


def bulks_of_a_hundred_ten_and_five_take_turns_chunk_by_chunk(stage):
    bulks = [bulk("A", 100), bulk("B", 10), bulk("C", 5)]
    preloaded(stage, "fair", sum(bulks, []), "--concurrency", "1")
    assert starts(stage)[:6] == ["A1", "B1", "C1", "A2", "B2", "C2"]
    # The one that has waited longest, which is served every tenth time, is the one whose turn it is.
    assert starts(stage) == in_turn(*map(ids, bulks)), starts(stage)


def and_with_many_workers_those_of_each_account(stage):
    """An account's bulks lie in one partition, so one worker runs them; each worker runs those of several accounts."""
    bulks = {account: [bulk("A", 20, account), bulk("B", 10, account), bulk("C", 5, account)]
             for account in (f"account-{number}" for number in range(12))}
    jobs = [job for of_account in bulks.values() for job in sum(of_account, [])]
    sent = preloaded(stage, "fair", jobs, workers=("first", "second", "third"))
    assert {job.partition for job in sent} == set(range(stage.partitions)), "every worker has some"
    for account, of_account in bulks.items():
        assert starts(stage, account) == in_turn(*map(ids, of_account)), (account, starts(stage, account))


def a_weight_of_three_gets_three_turns_where_the_other_gets_one(stage):
    preloaded(stage, "fair", bulk("A", 60, weight=3) + bulk("B", 12))
    order = "".join(job[0] for job in starts(stage))
    turns = [len(turn) for turn in order[:order.rindex("B")].split("B")]
    print(f"turns of weight 3 between those of weight 1: {turns}")
    # Four is the bound of fair share; a turn by age is an advance on the next one, and seven the bound after it.
    assert all(1 <= turn <= 7 for turn in turns[1:]), order
    both_wait = order[:order.rindex("B") + 1]
    assert 2.7 <= both_wait.count("A") / both_wait.count("B") <= 3.5, order


def first_starts(stage, count):
    """How many of the first starts were each bulk's, whoever's it is."""
    attempts = sorted(sum(stage.trace.by_account().values(), []), key=lambda attempt: attempt.started)
    return collections.Counter(attempt.id[0] for attempt in attempts[:count])


def three_bulks_of_two_accounts(stage, fair):
    stage.partitions = 1
    bulks = [bulk("A", 15), bulk("B", 15), bulk("C", 15, "bolt")]
    preloaded(stage, "fair", sum(bulks, []), "--concurrency", "1", fair=fair)
    return first_starts(stage, 18)


def flat_gives_every_bulk_the_same_whoever_has_it(stage):
    turns = three_bulks_of_two_accounts(stage, "flat")
    assert all(5 <= turns[name] <= 7 for name in "ABC"), turns


def by_account_gives_every_account_the_same(stage):
    turns = three_bulks_of_two_accounts(stage, "by_account")
    assert turns["C"] >= 8 and abs(turns["A"] - turns["B"]) <= 2, turns


def priority_orders_a_bulk_and_buys_it_no_turns(stage):
    priorities = [3, 0, -7, 0, 5, -7, 1, 2]
    urgent = [(account, job, {**members, "priority": priority - 100})
              for (account, job, members), priority in zip(bulk("A", len(priorities)), priorities)]
    others = bulk("B", 8)
    preloaded(stage, "fair", urgent + others)
    sorted_urgent = sorted(urgent, key=lambda job: job[2]["priority"])
    assert starts(stage) == in_turn(ids(sorted_urgent), ids(others)), starts(stage)


def strictly_a_failing_first_job_holds_back_the_accounts_others(stage):
    others = [("acme", f"job-{number}", {"type": "other" if number % 2 else "job"}) for number in range(6)]
    preloaded(stage, "strict", [("acme", "fails", {"args": {"failures": 2}}), *others, ("bolt", "free", {"args": {"seconds": 0.1}})])
    assert starts(stage) == ["fails"] * 3 + ids(others), starts(stage)
    attempts = stage.trace.of("fails")
    assert [attempt.number for attempt in attempts] == [1, 2, 3]
    assert attempts[2].started - attempts[0].last_seen >= 1.0, attempts
    assert stage.trace.of("free")[0].started < attempts[1].started, "the other account waits for nobody"


def the_first_ready_is_the_first_served(stage):
    now = round(time.time() * 1000)
    ago = [5, None, 30, 10, None, 20, 25]  # seconds; None: ready when it came
    jobs = [("acme", f"job-{number}", {} if seconds is None else {"run_at": now - 1000 * seconds})
            for number, seconds in enumerate(ago)]
    # It is ready again half a second after its first attempt, so behind all of them.
    jobs.append(("acme", "fails", {"run_at": now - 60_000, "args": {"failures": 1}}))
    preloaded(stage, "ready", jobs)
    in_order = sorted((number for number in range(len(ago)) if ago[number]), key=lambda number: -ago[number])
    wanted = ["fails", *(f"job-{number}" for number in in_order), "job-1", "job-4", "fails"]
    assert starts(stage) == wanted, starts(stage)


if __name__ == "__main__":
    main([
        bulks_of_a_hundred_ten_and_five_take_turns_chunk_by_chunk,
        and_with_many_workers_those_of_each_account,
        a_weight_of_three_gets_three_turns_where_the_other_gets_one,
        flat_gives_every_bulk_the_same_whoever_has_it,
        by_account_gives_every_account_the_same,
        priority_orders_a_bulk_and_buys_it_no_turns,
        strictly_a_failing_first_job_holds_back_the_accounts_others,
        the_first_ready_is_the_first_served,
    ])
