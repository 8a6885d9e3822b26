"""Retries of an HTTP handler, on a real Kafka: which statuses are retried, how often, and never early."""

import collections
import json
import time

import endpoint
from harness import until
from scenarios import main

LATE = 10.0  # seconds that a busy machine may need
Call = collections.namedtuple("Call", "number came answered")


class Endpoint(endpoint.Endpoint):
    """Answers a job's nth attempt with the nth of its statuses (an object: 200 with that), and the last of them from then on."""

    def __init__(self):
        super().__init__(Answering)
        self.calls = collections.defaultdict(list)  # by the job's id


class Answering(endpoint.Answering):
    def do_POST(self):
        came = time.monotonic()
        request = self.request_body()
        statuses, attempt = request["args"]["statuses"], request["attempt"]
        status = statuses[min(attempt, len(statuses)) - 1]
        if status == "silence":
            time.sleep(2)
            status = 204
        self.server.calls[request["id"]].append(Call(attempt, came, time.monotonic()))
        self.answer(200, status) if isinstance(status, dict) else self.answer(status)


def run(stage, jobs, ends, **policies):
    """Jobs as id: (type, statuses), until they have ended as said; what the endpoint was called."""
    endpoint = Endpoint()
    try:
        types = {kind: {"handler": endpoint.handler(), **policy} for kind, policy in policies.items()}
        config = stage.config(types=types, events="all")
        stage.make_topics(config)
        worker = stage.worker("only", config=config).start().ready()
        stage.enqueue([(f"account-{job}", job, {"type": kind, "args": {"statuses": statuses}})
                       for job, (kind, statuses) in jobs.items()])
        wanted = {(end, f"account-{job}", job): 1 for job, end in ends.items()}
        until("all have ended", lambda: wanted.items() <= stage.events().items())
        assert worker.stop() == 0
        return endpoint.calls
    finally:
        endpoint.shutdown()
        endpoint.server_close()


def assert_waits(stage, calls, job, waits):
    """One attempt more than waits, each as long after the answer before as it must be; and the events say so."""
    of_job = calls[job]
    assert [call.number for call in of_job] == list(range(1, len(waits) + 2)), (job, of_job)
    for earlier, later, wait in zip(of_job, of_job[1:], waits):
        assert wait <= later.came - earlier.answered < wait + LATE, (job, wait, of_job)
    events = events_of(stage, job)
    assert [event["attempt"] for event in events if event["event"] == "started"] == [call.number for call in of_job], events
    assert [event["attempt"] for event in events if event["event"] == "retrying"] == list(range(1, len(waits) + 1)), events


def events_of(stage, job):
    events = [json.loads(record.value) for record in stage.records(".events")]
    return [event for event in events if event["id"] == job]


def dead_as(stage):
    """The reason, and after how many attempts, by id."""
    found = {}
    for record in stage.records(".dead"):
        headers = dict(record.headers)
        found[json.loads(record.value)["id"]] = (headers["penstock-reason"].decode(), int(headers["penstock-attempts"]))
    return found


def delays_are_those_of_the_list_and_then_its_last(stage):
    policy = {"retry": {"attempts": 5, "delays": ["200ms", "600ms", "300ms"], "jitter": 0}}
    jobs = {"mends": ("listed", [500, 502, 503, 599, 204]), "never": ("listed", [500])}
    calls = run(stage, jobs, {"mends": "succeeded", "never": "dead"}, listed=policy)
    for job in jobs:
        assert_waits(stage, calls, job, [0.2, 0.6, 0.3, 0.3])
    assert dead_as(stage) == {"never": ("attempts_exhausted", 5)}


def polynomial_waits_grow_with_the_attempts_power_up_to_the_cap(stage):
    policy = {"retry": {"attempts": 5, "backoff": "polynomial", "base": "100ms", "degree": 2, "max": "1s", "jitter": 0}}
    jobs = {"mends": ("growing", [500, 500, 500, 500, 200])}
    calls = run(stage, jobs, {"mends": "succeeded"}, growing=policy)
    assert_waits(stage, calls, "mends", [0.1, 0.4, 0.9, 1.0])


def a_handler_may_say_itself_when_to_try_again(stage):
    hourly = {"retry": {"attempts": 4, "backoff": "fixed", "base": "1h", "jitter": 0}}
    busy = {"error": "busy", "retry_in": "400ms"}
    calls = run(stage, {"asks": ("hourly", [busy, {**busy, "retry_in": "700ms"}, 204])}, {"asks": "succeeded"}, hourly=hourly)
    assert_waits(stage, calls, "asks", [0.4, 0.7])


def statuses_say_what_is_retried(stage):
    fast = {"attempts": 4, "backoff": "fixed", "base": "200ms", "jitter": 0}
    policies = {
        "listed": {"retry": {**fast, "retry_on": ["503", "timeout"]}, "timeout": "1s"},
        "spared": {"retry": {**fast, "discard_on": ["4xx", 501]}},
        "both": {"retry": {**fast, "retry_on": ["5xx"], "discard_on": ["502"]}},
    }
    jobs = {
        "503-is-listed": ("listed", [503, 503, 204]), "500-is-not": ("listed", [503, 500, 204]),
        "silence-is-listed": ("listed", ["silence", 204]), "404-is-spared": ("spared", [500, 404, 204]),
        "501-is-spared": ("spared", [501, 204]), "500-is-retried": ("spared", [500, 503, 204]),
        "502-is-both": ("both", [500, 502, 204]), "404-is-neither": ("both", [404, 204]),
    }
    dead = {"500-is-not": 2, "404-is-spared": 2, "501-is-spared": 1, "502-is-both": 2, "404-is-neither": 1}
    calls = run(stage, jobs, {job: "dead" if job in dead else "succeeded" for job in jobs}, **policies)
    assert dead_as(stage) == {job: ("discarded", attempts) for job, attempts in dead.items()}
    for job, attempts in {**dead, "503-is-listed": 3, "500-is-retried": 3}.items():
        assert_waits(stage, calls, job, [0.2] * (attempts - 1))
    silent = [event for event in events_of(stage, "silence-is-listed") if event["event"] == "retrying"]
    assert len(silent) == 1 and "timed out after 1s" in silent[0]["reason"], silent


if __name__ == "__main__":
    main([
        delays_are_those_of_the_list_and_then_its_last,
        polynomial_waits_grow_with_the_attempts_power_up_to_the_cap,
        a_handler_may_say_itself_when_to_try_again,
        statuses_say_what_is_retried,
    ])
