"""What the tests of replays share: workers of a queue, a handler that records its requests, and how jobs ended."""

import contextlib
import json
import re
import urllib.error
import urllib.request

from harness import replay, until

# Keeps every request in the file of its first argument, and answers when the file of the second one is there.
RECORDING = """import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    seen = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(seen, (json.dumps({**request, "at": time.time()}) + "\\n").encode())
    os.close(seen)
    args = request["args"]
    while "waits_for" in args and not os.path.exists(args["waits_for"]):
        time.sleep(0.02)
    print(json.dumps({"token": request["token"], "ok": True, "enqueue": args.get("enqueue", [])}), flush=True)
"""

PATIENT = {"timeout": "10m"}  # of a type whose attempts wait for the test


class Recorded:
    """The requests that a stage's handlers got."""

    def __init__(self, stage, name="seen", children=6):
        self.program, self.seen = stage.folder / f"{name}.py", stage.folder / name
        self.program.write_text(RECORDING)
        self.handler = {"exec": ["/usr/bin/python3", str(self.program), str(self.seen)], "children": children}

    def all(self):
        text = self.seen.read_bytes() if self.seen.exists() else b""
        return [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()]

    def ids(self):
        return {request["id"] for request in self.all()}

    def of(self, job_id):
        return [request for request in self.all() if request["id"] == job_id]

    def await_ids(self, *ids):
        until(f"handlers have got {ids}", lambda: set(ids) <= self.ids())


def working(stage, workers=1, **queue):
    config = stage.config(**{"events": "terminal", **queue})
    stage.make_topics(config)
    found = [stage.worker(f"worker-{number}", config=config).start() for number in range(workers)]
    for worker in found:
        worker.ready()
    return found, config


def ended(stage, count, within=90):
    """The terminal events, once there are so many; by id."""
    def enough():
        events = stage.told()
        return events if len(events) >= count else None
    events = until(f"{count} jobs have ended", enough, within)
    found = {}
    for event in events:
        assert event["id"] not in found, f"{event['id']} ended twice: {found[event['id']]} and {event}"
        found[event["id"]] = event
    return found


def await_shown(stage, config, name, condition, what, within=90):
    """What `replay show` prints, once the condition holds for it."""
    def shown():
        now = replay(stage, config, "show", name, "--queue", stage.queue)
        return now if condition(now) else None
    return until(f"the replay {name} {what}", shown, within)


def await_finished(stage, config, name, within=120):
    return await_shown(stage, config, name, lambda shown: shown["state"] == "finished", "has finished", within)


def started(stage, prefix="replay/"):
    """The attempts whose ids begin so, the earliest first."""
    found = [attempt for attempt in stage.trace.read().attempts.values() if attempt.id.startswith(prefix)]
    return sorted(found, key=lambda attempt: attempt.started)


def write_ids(stage, *ids):
    """A file for --ids."""
    path = stage.folder / f"ids-{len(list(stage.folder.glob('ids-*')))}"
    path.write_text("".join(f"{one}\n" for one in ids))
    return str(path)


@contextlib.contextmanager
def fenced(stage, worker, name):
    """What is changed within has reached every partition of the only worker at the end. Needs a type "fence".

    The type is paused, and resumed after the change: partitions hear of both in that order.
    """
    path = f"/v1/queues/{stage.queue}"
    assert ask(worker, "POST", f"{path}/pause?type=fence")[0] == 200
    jobs = stage.enqueue([(f"fence-{n}", f"{name}-{n}", {"type": "fence"}) for n in range(16)])
    assert {job.partition for job in jobs} == set(range(stage.partitions)), jobs
    until("the fence is closed", lambda: all(
        "paused" in (ask(worker, "GET", f"{path}/jobs/{job.id}?account={job.account}")[1].get("why") or "") for job in jobs))
    yield
    assert ask(worker, "POST", f"{path}/resume?type=fence")[0] == 200
    until("the fence is open", lambda: {(job.account, job.id) for job in jobs} <= stage.trace.read().done)


def ask(worker, method, path, body=None):
    """The status and the object that the worker's HTTP interface answers with."""
    url = re.search(r"HTTP at (\S+)", worker.says("HTTP at ").text())[1]
    request = urllib.request.Request(url + path, method=method, data=json.dumps(body).encode() if body else None,
                                     headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())
