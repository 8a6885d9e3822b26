"""What trace_handler.py has written, and whether it keeps the promises (README.md, "Promises, and their limits")."""

import collections
import dataclasses
import json
from pathlib import Path

MAX_PROBLEMS = 20


@dataclasses.dataclass
class Attempt:
    pid: int
    account: str
    id: str
    token: str
    number: int
    started: float = 0.0
    last_seen: float = 0.0
    ended: bool = False

    @property
    def epoch(self):
        return "-".join(self.token.split("-")[:2])


class Trace:
    """Read as it grows: every call of read() takes up where the one before it ended."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.attempts = {}
        self.done = set()
        self.positions = {}

    def read(self):
        for path in self.folder.iterdir():
            with path.open("rb") as file:
                file.seek(self.positions.get(path, 0))
                text = file.read()
            whole = text.rfind(b"\n") + 1
            self.positions[path] = self.positions.get(path, 0) + whole
            for line in text[:whole].splitlines():
                self.take(*json.loads(line))
        return self

    def take(self, what, pid, at, account, job, token, number):
        attempt = self.attempts.setdefault((account, token), Attempt(pid, account, job, token, number))
        attempt.last_seen = max(attempt.last_seen, at)
        if what == "start":
            attempt.started = at
        if what == "end":
            attempt.ended = True
            self.done.add((account, job))

    def ends(self):
        return len(self.read().done)

    def of(self, job):
        """The attempts of a job, the earliest first; ids must not repeat over accounts for this."""
        found = [attempt for attempt in self.read().attempts.values() if attempt.id == job]
        return sorted(found, key=lambda attempt: attempt.started)

    def running(self):
        return [attempt for attempt in self.read().attempts.values() if not attempt.ended]

    def by_account(self):
        accounts = collections.defaultdict(list)
        for attempt in sorted(self.read().attempts.values(), key=lambda attempt: attempt.started):
            accounts[attempt.account].append(attempt)
        return accounts

    def reruns(self):
        starts = collections.Counter((attempt.account, attempt.id) for attempt in self.read().attempts.values())
        return sum(count - 1 for count in starts.values())


def check_trace(trace, sent, ordered=True, unordered=()):
    """The breaches of the promises, as lines; `sent` are the records in offset order of their accounts.

    The accounts of `unordered` are not asked for their order.
    """
    problems = []
    places = collections.defaultdict(dict)
    for job in sent:
        places[job.account].setdefault(job.id, len(places[job.account]))
    accounts = trace.by_account()
    wanted = {(account, job) for account, ids in places.items() for job in ids}
    problems += [f"never done: {job}" for job in sorted(wanted - trace.done)]
    problems += [f"never sent: {job}" for job in sorted(trace.done - wanted)]
    for account, attempts in accounts.items():
        problems += check_account(attempts)
        if ordered and account not in unordered:
            problems += check_order(attempts, places[account])
    return problems[:MAX_PROBLEMS] + [f"and {len(problems) - MAX_PROBLEMS} more"] * (len(problems) > MAX_PROBLEMS)


def check_account(attempts):
    """Attempts of one account by start: none while another runs, each with a greater token."""
    for earlier, later in zip(attempts, attempts[1:]):
        if later.started < earlier.last_seen:
            yield f"two at once: {earlier} and {later}"
        if later.token <= earlier.token:
            yield f"token does not grow: {earlier} and {later}"


def check_order(attempts, places):
    """Jobs start in offset order. A new owner may begin again further back, never further on than the next."""
    reached, epoch, last, before = -1, None, -1, None
    for attempt in attempts:
        place = places.get(attempt.id, -1)
        if attempt.epoch != epoch:
            epoch, last = attempt.epoch, -1
        if place <= last or place > reached + 1:
            yield f"out of order: {attempt}, place {place} after {last}, reached {reached}; before it {before}"
        last, reached, before = place, max(reached, place), attempt
