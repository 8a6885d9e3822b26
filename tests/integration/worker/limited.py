"""What the tests of limits measure, and how they set them."""

import time

IN_FORCE = 2.0  # seconds: the one within which what is set counts everywhere, and one for a machine that is busy


def attempts(stage):
    return list(stage.trace.read().attempts.values())


def max_at_once(some, since=0.0):
    """The largest number of attempts that ran at one moment from `since` on."""
    changes = []
    for attempt in some:
        if attempt.last_seen >= since:
            changes += [(max(attempt.started, since), 1), (attempt.last_seen, -1)]
    running = most = 0
    for _, change in sorted(changes):
        running += change
        most = max(most, running)
    return most


def started_since(stage, since, account=None):
    return [a for a in attempts(stage) if a.started > since and account in (None, a.account)]


def operate(stage, config, *words):
    """A command of an operator; when it was done."""
    done = stage.penstock(*words, config=config)
    assert done.returncode == 0, done.stderr
    return time.monotonic()
