"""Kills of workers with -9: what each cut off, and what may be run again for it, and when.

A worker's exec handlers die with it, and each runs one attempt at a time. So a kill cuts off no more attempts than the
worker has children; beside these, only what had ended so shortly before that no commit tells of it is run again. Workers
here have no more places than children: a job that is handed over counts as in flight at a death, also when it only waits
for a child.

A worker that is back in place goes on at once, because it knows that nothing of its former process runs any more. Any
other worker waits for the lease of the one that was killed.
"""

import collections
import time

LEASE_SECONDS = 15.0
COMMITS_SECONDS = 4.0  # a partition that runs commits every 3 s, if only to keep its lease, and a moment later Kafka has it
RECORDED_SECONDS = 2.0  # what has ended is in Kafka, on a machine that is busy
BACK_SECONDS = 8.0  # in place, under a name: well within the lease, on a machine that is busy
Kill = collections.namedtuple("Kill", "at children worker")


class Kills:
    def __init__(self, trace):
        self.trace, self.kills, self.worker_of = trace, [], {}

    def look(self, workers):
        """Whose children there are: to be called before the workers are stopped."""
        self.worker_of.update({pid: worker.name for worker in workers for pid in worker.children()})

    def crash(self, worker):
        self.look([worker])
        children = set(worker.children())
        worker.kill()
        self.kills.append(Kill(time.monotonic(), children, worker.name))

    def kill(self, worker):
        """And starts it again."""
        self.crash(worker)
        worker.start()

    def cut_off(self, kill):
        return [attempt for attempt in self.trace.running() if attempt.pid in kill.children]

    def of_two_deaths(self):
        """The accounts with a job that two kills cut off: it runs alone from then on, and others may overtake it."""
        deaths = collections.Counter((attempt.account, attempt.id) for kill in self.kills for attempt in self.cut_off(kill))
        return {account for (account, _), count in deaths.items() if count > 1}

    def problems(self, at_once):
        """With so many children a worker."""
        for kill in self.kills:
            if len(self.cut_off(kill)) > at_once:
                yield f"{kill} cut off more than a worker can run: {self.cut_off(kill)}"
        for attempts in self.trace.by_account().values():
            yield from self.problems_of(attempts)

    def problems_of(self, attempts):
        """Of one account's attempts, by start."""
        last = {attempt.id: attempt for attempt in attempts}
        for number, attempt in enumerate(attempts):
            if last[attempt.id] is attempt:
                continue
            kill = next((kill for kill in self.kills if attempt.pid in kill.children), None)
            if not kill:
                yield f"repeated though its worker was not killed: {attempt}, then {last[attempt.id]}"
            elif attempt.ended and attempt.last_seen < kill.at - RECORDED_SECONDS:
                yield f"repeated though it had ended {kill.at - attempt.last_seen:.1f} s before the kill: {attempt}"
            elif not attempt.ended:
                yield from self.problems_of_take_over(kill, attempt, attempts[number + 1])

    def problems_of_take_over(self, kill, attempt, after):
        in_place = self.worker_of.get(after.pid) == kill.worker
        if not in_place and after.started < kill.at + LEASE_SECONDS - COMMITS_SECONDS:
            yield f"taken over {after.started - kill.at:.1f} s after the kill, within the lease: {attempt}, then {after}"

    def seconds_until_back(self, kill):
        """From a kill until its worker has started an attempt again; None: it has not."""
        starts = [attempt.started - kill.at for attempt in self.trace.read().attempts.values()
                  if self.worker_of.get(attempt.pid) == kill.worker and attempt.started > kill.at]
        return min(starts, default=None)

    def assert_back_in_place(self):
        """Of workers with names, while there was work to do. Returns the times."""
        last = max(attempt.started for attempt in self.trace.read().attempts.values())
        back = [self.seconds_until_back(kill) for kill in self.kills if kill.at + BACK_SECONDS < last]
        assert back and all(seconds is not None and seconds < BACK_SECONDS for seconds in back), back
        return back

    def assert_nothing_else_is_repeated(self, at_once):
        problems = list(self.problems(at_once))
        assert not problems, "\n".join(problems[:20])

    def __str__(self):
        return ", ".join(str(len(self.cut_off(kill))) for kill in self.kills)
