"""One process with two queues whose topics are new: their attempts share the HTTP client and the threads of C++."""

import json
import os
import threading
from pathlib import Path

from endpoint import Answering, Endpoint
from harness import Worker, until
from scenarios import main

CPP_WORKER = os.environ.get("PENSTOCK_LONG_WORKER")
ACCOUNTS = 4  # so that all jobs run at once on the threads that a C++ worker has
PATIENCE = 60


def two_queues(stage, **types):
    config = stage.config()
    config["queues"] = {name: {"partitions": stage.partitions, "types": types} for name in "ab"}
    stage.make_topics(config)
    return config


def send(stage, kind, **args):
    """A job of each account to each queue; its id begins with the queue's name."""
    topic = stage.topic
    for queue in "ab":
        stage.topic = f"{stage.prefix}.{queue}"
        stage.produce([(f"account{i}", json.dumps({"type": kind, "id": f"{queue}{i}", "args": args})) for i in range(ACCOUNTS)])
    stage.topic = topic


class Together(Answering):
    """Answers no request before all of them are there."""

    all_here = threading.Barrier(2 * ACCOUNTS)
    tokens = []

    def do_POST(self):
        self.tokens.append(self.request_body()["token"])
        try:
            self.all_here.wait(PATIENCE)
        except threading.BrokenBarrierError:
            return self.answer(500)
        self.answer(200)


def attempts_of_two_queues_run_side_by_side_over_http(stage):
    with Endpoint(Together) as endpoint:
        config = two_queues(stage, job={"handler": endpoint.handler(), "timeout": "90s"})
        send(stage, "job")
        worker = stage.worker("worker", config=config).start().ready()
        until("all jobs are done", lambda: worker.counted("succeeded") == 2 * ACCOUNTS, within=PATIENCE)
        assert len(set(Together.tokens)) == len(Together.tokens) == 2 * ACCOUNTS, sorted(Together.tokens)
        assert worker.stop() == 0


class CppWorker(Worker):
    def command(self, config):
        return [CPP_WORKER, config, self.stage.trace.folder / self.name]


def attempts_of_two_queues_run_side_by_side_in_cpp(stage):
    config = two_queues(stage, rows={"timeout": "60s"}, page={})
    send(stage, "rows", rows=100)
    worker = CppWorker(stage, "worker", (), config)
    stage.workers.append(worker)
    worker.start()

    def ended():
        assert worker.runs(), worker.text()
        notes = Path(stage.trace.folder / worker.name)
        lines = notes.read_text().splitlines() if notes.exists() else []
        return {json.loads(line)["id"] for line in lines if '"end"' in line}

    expected = {f"{queue}{i}" for queue in "ab" for i in range(ACCOUNTS)}
    until("all jobs are done", lambda: ended() >= expected, within=PATIENCE)
    assert worker.stop() == 0


if __name__ == "__main__":
    main([
        attempts_of_two_queues_run_side_by_side_over_http,
        attempts_of_two_queues_run_side_by_side_in_cpp,
    ])
