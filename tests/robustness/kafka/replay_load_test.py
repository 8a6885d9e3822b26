"""A replay of the middle of what was produced, under load, while workers are killed with -9: what is copied, how often
and in which order, and how long live jobs wait meanwhile.

The jobs succeed, fail and are retried, die, expire, are cancelled, and come twice. The live jobs come while workers are
killed in turn, first without a replay, then with one that is paused, resumed, and started again under its name.

PENSTOCK_REPLAY_SECONDS is how long jobs are produced for (12; the project's promise is 600 and 1,000,000 jobs), at
PENSTOCK_REPLAY_JOBS per second (1667), and PENSTOCK_REPLAY_LIVE how many live jobs come per second (300; 2000).
Times are printed and not judged here: they are the machine's.
"""

import datetime
import json
import os
import threading
import time

import confluent_kafka

import stage_path  # noqa: F401, before what lies there
from harness import replay, until
from scenarios import main

SECONDS = float(os.environ.get("PENSTOCK_REPLAY_SECONDS", "12"))
PER_SECOND = int(os.environ.get("PENSTOCK_REPLAY_JOBS", "1667"))
LIVE_PER_SECOND = int(os.environ.get("PENSTOCK_REPLAY_LIVE", "300"))
WORKERS, PARTITIONS, ACCOUNTS, KILL_EVERY_SECONDS = 3, 6, 1_000, 10.0
BASE_SECONDS = max(30.0, SECONDS / 5)  # of live jobs before the replay
# Slow enough for kills, a pause and live jobs to fall into it.
COPIES_PER_SECOND = round(PER_SECOND * SECONDS / 2 / max(40.0, SECONDS / 3))
READ_SECONDS = 60 + SECONDS  # for a topic
HANDLERS = {"job": "noop", "flaky": "fail:0.2", "doomed": "fail:1"}


def job(number, now):
    """A record, and a command for it or none."""
    record = {"id": f"job-{number}", "type": "job"}
    if number % 50 == 1:
        return {**record, "run_at": int((now + 8) * 1000)}, {"op": "cancel", "id": record["id"]}
    if number % 50 == 2:
        return {**record, "type": "flaky"}, None
    if number % 50 == 3:
        return {**record, "type": "doomed"}, None
    if number % 50 == 4:
        return {**record, "expires_at": int((now - 60) * 1000)}, None
    if number % 50 == 5:  # what came long before comes again
        return {**record, "id": f"job-{number - 5 - 5 * ACCOUNTS if number > 6 * ACCOUNTS else number - 5}"}, None
    return record, None


def account_of(number):
    return f"account-{number % ACCOUNTS}"


class Producing:
    """Records at a steady rate, and when Kafka acknowledged those whose times are wanted."""

    def __init__(self, stage):
        self.topic, self.sent, self.acknowledged, self.errors = stage.topic, 0, {}, []
        self.producer = confluent_kafka.Producer(stage.client(partitioner="murmur2_random", acks="all", linger_ms=5,
                                                              enable_idempotence=True))

    def send(self, account, record, timed=False):
        def delivered(error, _):
            if error:
                self.errors.append(str(error))
            elif timed:
                self.acknowledged[record["id"]] = time.time()
        while True:
            try:
                return self.producer.produce(self.topic, json.dumps(record), account, on_delivery=delivered)
            except BufferError:
                self.producer.poll(0.05)

    def pace(self, per_second, seconds, send_one, stopped=None):
        """Calls `send_one(number)` at this rate, once per producer."""
        began = time.monotonic()
        while (passed := time.monotonic() - began) < seconds and not (stopped and stopped.is_set()):
            while self.sent < passed * per_second:
                send_one(self.sent)
                self.sent += 1
            self.producer.poll(0.005)
        self.producer.poll(0)

    def finish(self):
        assert self.producer.flush(120) == 0 and not self.errors, self.errors[:3]


class Deaths:
    """Kills one worker after the other and starts it again, until told to stop."""

    def __init__(self, workers):
        self.workers, self.count, self.stopped = workers, 0, threading.Event()
        self.done = threading.Event()

    def run(self):
        while not self.stopped.wait(KILL_EVERY_SECONDS):
            worker = self.workers[self.count % len(self.workers)]
            worker.kill()
            worker.start()
            self.count += 1
        self.done.set()
        # A worker does not outlive the thread that started it.
        threading.Event().wait()

    def __enter__(self):
        threading.Thread(target=self.run, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        assert self.done.wait(60), "a worker can be neither killed nor started"


def wait_for(stage, config, what, holds, within):
    def shown():
        found = replay(stage, config, "show", "r", "--queue", stage.queue)
        return found if holds(found) else None
    return until(what, shown, within)


def follow(stage, config, deaths):
    """Pauses the replay in its first half, and resumes it after another death; what it came to."""
    started = wait_for(stage, config, "it copies", lambda shown: shown["admitted"] > 0, 120)
    assert started["state"] == "running", started
    replay(stage, config, "pause", "r", "--queue", stage.queue)
    paused = wait_for(stage, config, "it is paused", lambda shown: shown["state"] == "paused", 60)
    assert paused["admitted"] < paused["records"], f"it was over before it was paused: {paused}"
    before = deaths.count
    until("a worker dies while it is paused", lambda: deaths.count > before)
    replay(stage, config, "resume", "r", "--queue", stage.queue)
    return wait_for(stage, config, "it is over", lambda shown: shown["state"] == "finished", 240 + 2 * SECONDS)


class Events:
    """What the events topic tells of copies and of live jobs."""

    def __init__(self, stage):
        self.ends, self.starts, self.first_starts = {}, {}, {}
        for event in stage.each_told(READ_SECONDS):
            self.take(event)

    def take(self, event):
        job_id = event["id"]
        if event["event"] in ("succeeded", "dead", "cancelled", "expired"):
            self.ends.setdefault(job_id, []).append(event["event"])
        elif event["event"] == "started" and job_id not in self.first_starts:
            self.first_starts[job_id] = datetime.datetime.fromisoformat(event["at"]).timestamp()
            if job_id.startswith("replay/"):
                self.starts.setdefault(event["account"], []).append(job_id)


def wait_for_quiet(stage):
    """Until no event has been told for five seconds."""
    consumer = confluent_kafka.Consumer(stage.client(group_id=f"{stage.prefix}-ends", enable_auto_commit=False))

    def ends():
        return [stage.bounds(consumer, f"{stage.topic}.events", partition)[1] for partition in range(stage.partitions)]
    last, since = ends(), time.monotonic()

    def quiet():
        nonlocal last, since
        if (now := ends()) != last:
            last, since = now, time.monotonic()
        return time.monotonic() > since + 5
    until("nothing happens any more", quiet, 180)
    consumer.close()


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))] if values else float("nan")


def assert_once_and_in_order(events, expected):
    """`expected`: the ids by account, in the order of their records, and those whose copies wait for a time."""
    wanted = {f"replay/r/{one}" for ids, _ in expected.values() for one in ids}
    copies = {one: ends for one, ends in events.ends.items() if one.startswith("replay/")}
    missing, more = wanted - set(copies), set(copies) - wanted
    assert not missing and not more, (len(missing), sorted(missing)[:5], len(more), sorted(more)[:5])
    twice = {one: ends for one, ends in copies.items() if len(ends) != 1}
    assert not twice, list(twice.items())[:5]
    for account, (ids, timed) in expected.items():
        order = [f"replay/r/{one}" for one in ids if one not in timed]
        started = [one for one in events.starts.get(account, []) if one.removeprefix("replay/r/") not in timed]
        assert started == order, (account, next((pair for pair in zip(started, order) if pair[0] != pair[1]), None))
    return len(wanted)


def expected_of(stage, first, last):
    """The ids by account of the records of this time, in their order, each once."""
    expected = {}
    for record in stage.each_record(stage.topic, stage.partitions, READ_SECONDS):
        if not first <= record.timestamp < last:
            continue
        body = json.loads(record.value)
        if "op" in body:
            continue
        ids, timed = expected.setdefault(record.key.decode(), ({}, set()))
        ids.setdefault(body["id"])
        if "run_at" in body:
            timed.add(body["id"])
    return expected


def each_record_of_the_middle_is_copied_once_in_order_while_workers_die(stage):
    stage.partitions = PARTITIONS
    policy = {"handler": {"exec": ["/bin/false"]}, "retry": {"attempts": 6, "base": "100ms"}}
    types = {"job": policy, "flaky": policy, "doomed": {**policy, "retry": {"attempts": 1}}}
    config = stage.config(events="all", types=types)
    stage.make_topics(config)
    handlers = [word for name, spec in HANDLERS.items() for word in ("--handler", f"{name}={spec}")]
    workers = [stage.worker(f"worker-{number}", "--instance", f"worker-{number}", *handlers, config=config).start()
               for number in range(WORKERS)]
    until("every partition runs", lambda: stage.all_run(workers))

    first = Producing(stage)

    def produce(number):
        record, command = job(number, time.time())
        # Of its account, and after what it repeats.
        first.send(account_of(number - 5 if number % 50 == 5 else number), record)
        if command:
            first.send(account_of(number), command)
    since = time.time() + SECONDS / 4
    first.pace(PER_SECOND, SECONDS, produce)
    first.finish()
    to = since + SECONDS / 2

    live, stopped, spans = Producing(stage), threading.Event(), {}
    producing = threading.Thread(target=lambda: live.pace(
        LIVE_PER_SECOND, 86_400, lambda number: live.send(account_of(number), {"id": f"live-{number}", "type": "job"},
                                                          timed=number % 5 == 0), stopped))
    producing.start()
    try:
        with Deaths(workers) as deaths:
            spans["without"] = (time.time(), time.time() + BASE_SECONDS)
            until("the time has come", lambda: time.time() > spans["without"][1], BASE_SECONDS + 10)
            began = time.time()
            terms = ["start", "--queue", stage.queue, "--id", "r", "--from", str(int(since * 1000)), "--to", str(int(to * 1000)),
                     "--rate", f"{COPIES_PER_SECOND}/s", "--detach"]
            replay(stage, config, *terms)
            shown = follow(stage, config, deaths)
            spans["with"] = (began, time.time())
    finally:
        stopped.set()
        producing.join()
    live.finish()
    again = replay(stage, config, *terms)
    assert again["state"] == "finished" and again["admitted"] == shown["admitted"], (shown, again)

    ended = wait_for(stage, config, "every copy has ended", lambda now: sum(now["ended"].values()) == now["admitted"], 120)
    until("every partition runs", lambda: stage.all_run(workers), 120)
    wait_for_quiet(stage)
    expected = expected_of(stage, int(since * 1000), int(to * 1000))
    events = Events(stage)
    copies = assert_once_and_in_order(events, expected)
    assert copies == shown["admitted"] == ended["admitted"], (copies, shown)
    assert shown["left_out"]["repeat"] and shown["left_out"]["command"], shown
    assert {"succeeded", "dead"} <= set(ended["ended"]), ended
    lost = [f"live-{number}" for number in range(live.sent) if f"live-{number}" not in events.ends]
    assert not lost, (len(lost), lost[:5])

    waits = {span: [events.first_starts[one] - at for one, at in live.acknowledged.items()
                    if begin <= at < end and one in events.first_starts] for span, (begin, end) in spans.items()}
    print(json.dumps({"jobs": first.sent, "live": live.sent, "copies": copies, "ended": ended["ended"],
                      "left_out": shown["left_out"], "kills": deaths.count,
                      "replay_seconds": round(spans["with"][1] - spans["with"][0]),
                      **{f"live_{name}_seconds_{span}": round(quantile(found, part), 3) for span, found in waits.items()
                         for name, part in (("p50", 0.5), ("p99", 0.99), ("max", 1))}}), flush=True)


if __name__ == "__main__":
    main([each_record_of_the_middle_is_copied_once_in_order_while_workers_die])
