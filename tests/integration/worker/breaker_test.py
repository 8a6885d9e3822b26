"""The circuit breaker of a type and account, on a real Kafka: what it lets through, what closes it, what it outlives."""

import json
import time

from harness import until
from scenarios import main

FAILURES, PROBE, JOBS = 5, 1.0, 20
EARLY = 0.5  # seconds that an attempt may begin later in its handler than at the worker, on a busy machine


class Shaken:
    """Jobs of acme whose handler fails until mend(), and jobs of bolt that need nothing of it."""

    def __init__(self, stage):
        self.stage, self.flag = stage, stage.folder / "down"
        self.flag.write_text("")
        breaker = {"failures": FAILURES, "probe": f"{PROBE:.0f}s"}
        retry = {"attempts": 1000, "backoff": "fixed", "base": "100ms", "jitter": 0, "breaker": breaker}
        self.config = stage.config(account_concurrency=2, events="terminal", types={"job": {"retry": retry}})
        stage.make_topics(self.config)
        self.sent = stage.enqueue([("acme", f"job-{i}", {"args": {"fails_while": str(self.flag)}}) for i in range(JOBS)]
                                  + [("bolt", f"bolt-{i}") for i in range(JOBS)])

    def worker(self, name):
        return self.stage.worker(name, config=self.config).start().ready()

    def attempts(self, since=0.0):
        """Acme's, in the order of their starts."""
        mine = [attempt for i in range(JOBS) for attempt in self.stage.trace.of(f"job-{i}") if attempt.started >= since]
        return sorted(mine, key=lambda attempt: attempt.started)

    def ended(self, prefix):
        return sum(job.startswith(prefix) for event, _, job in self.stage.events() if event == "succeeded")

    def mend_until_all_have_ended(self):
        """Sooner than probes alone would let them."""
        mended = time.monotonic()
        self.flag.unlink()
        until("all have ended", lambda: self.ended("job-") == JOBS)
        assert self.attempts()[-1].last_seen - mended < JOBS * 3 / 4 * PROBE

    def why(self, worker):
        shown = self.stage.penstock("jobs", "list", "--queue", self.stage.queue, "--account", "acme", "--json", "--http",
                                    worker.text().split("HTTP at ")[1].split()[0].removeprefix("http://"), config=self.config)
        assert shown.returncode == 0, shown.stderr
        return [json.loads(line)["why"] or "" for line in shown.stdout.splitlines()]


def assert_probes(attempts):
    """One after the other, and none sooner than a probe after the one before."""
    for earlier, later in zip(attempts, attempts[1:]):
        assert later.started - earlier.started >= PROBE - EARLY, (earlier, later)
        assert later.started >= earlier.last_seen, (earlier, later)


def it_opens_lets_probes_through_and_closes_when_one_succeeds(stage):
    shaken = Shaken(stage)
    worker = shaken.worker("only")
    until("probes have run", lambda: len(shaken.attempts()) >= FAILURES + 5)
    until("bolt's jobs have ended", lambda: shaken.ended("bolt-") == JOBS)
    attempts = shaken.attempts()
    # The failure that opens it is the fifth to end; others may have begun before the worker has heard of it.
    opened = sorted(attempt.last_seen for attempt in attempts)[FAILURES - 1]
    before = [attempt for attempt in attempts if attempt.started <= opened + PROBE / 2]
    assert len(before) <= FAILURES + 2, before
    assert attempts[len(before)].started - opened >= PROBE - EARLY, attempts
    assert_probes(attempts[len(before):])
    assert any('waits for the breaker of the type "job" for the account "acme": it is open since ' in why
               for why in shaken.why(worker)), shaken.why(worker)
    shaken.mend_until_all_have_ended()
    assert worker.stop() == 0


def it_stays_open_across_the_death_of_its_worker(stage):
    shaken = Shaken(stage)
    first = shaken.worker("first")
    until("probes have run", lambda: len(shaken.attempts()) >= FAILURES + 3)
    killed = shaken.attempts()[-1].started
    first.kill()
    second = shaken.worker("second")
    until("probes run again", lambda: len(shaken.attempts(since=killed + PROBE / 2)) >= 4)
    assert_probes(shaken.attempts(since=killed + PROBE / 2))
    shaken.mend_until_all_have_ended()
    assert second.stop() == 0


if __name__ == "__main__":
    main([
        it_opens_lets_probes_through_and_closes_when_one_succeeds,
        it_stays_open_across_the_death_of_its_worker,
    ])
