"""Topics that go while workers run: one queue stops, loudly, and the others go on; nothing is taken for what it was not."""

import shutil

from confluent_kafka.admin import AdminClient
from harness import until
from scenarios import main

OTHER = "other"


def two_queues(stage):
    config = stage.config()
    config["queues"][OTHER] = {**config["queues"][stage.queue]}
    made = stage.penstock("topics", "create", config=config)
    assert made.returncode == 0, made.stderr
    return config


def delete(stage, *topics):
    """The controller deletes a topic before the broker forgets it: what looks meanwhile still finds it."""
    admin = AdminClient(stage.client())  # kept: what it was asked ends with it
    for deleted in admin.delete_topics(list(topics)).values():
        deleted.result(30)
    until("the broker has forgotten them", lambda: not admin.list_topics(timeout=10).topics.keys() & set(topics))


def create(stage):
    """While a topic is being deleted, its name is refused for a moment."""
    until("the topics are created again", lambda: stage.penstock("topics", "create").returncode == 0)


def ready_says(worker, *texts):
    def said():
        status, why = worker.http("/readyz")
        return status == 503 and all(text in why for text in texts)
    until(f"/readyz says {texts}", said)


def a_topic_that_goes_stops_its_queue_alone(stage):
    config = two_queues(stage)
    worker = stage.worker("both", config=config).start().ready()
    stage.enqueue([("acme", "before")])
    until("the job has ended", lambda: stage.trace.ends() == 1)
    delete(stage, f"{stage.prefix}.{OTHER}")
    worker.says(f'the queue "{OTHER}" stops by itself: topic "{stage.prefix}.{OTHER}" does not exist')
    ready_says(worker, OTHER, "does not exist")
    assert f'penstock_queue_stopped{{queue="{OTHER}"}} 1' in worker.http("/metrics")[1]
    stage.enqueue([("acme", "after")])
    until("the other queue goes on", lambda: stage.trace.ends() == 2)
    assert worker.stop() == 1, "a queue could not go on"


def the_only_queues_topic_that_goes_ends_the_worker(stage):
    stage.make_topics()
    worker = stage.worker("only").start().ready()
    delete(stage, stage.topic)
    assert worker.wait(60) == 1
    assert "does not exist" in worker.text()


def a_queue_topic_that_is_created_again_while_a_worker_runs_is_refused(stage):
    stage.make_topics()
    worker = stage.worker("only").start().ready()
    stage.enqueue([("acme", f"before-{number}") for number in range(5)])
    until("the jobs have ended", lambda: stage.trace.ends() == 5)
    delete(stage, stage.topic)
    create(stage)
    stage.enqueue([("acme", f"after-{number}") for number in range(20)])
    assert worker.wait(90) == 1
    assert "deleted and created again" in worker.text(), worker.text()
    again = stage.worker("again").start()
    assert again.wait(60) == 1
    assert "deleted and created again" in again.text(), again.text()


def a_state_topic_that_is_created_again_is_refused_and_the_copy_kept(stage):
    stage.make_topics()
    worker = stage.worker("only").start().ready()
    stage.enqueue([("acme", "before"), ("acme", "waits", {"run_at": "2100-01-01T00:00:00Z"})])
    until("the job has ended", lambda: stage.trace.ends() == 1)
    assert worker.stop() == 0
    delete(stage, f"{stage.topic}.state", stage.topic)
    create(stage)
    assert worker.start().wait(60) == 1
    assert "deleted and created again" in worker.text(), worker.text()
    aside = worker.home / "state" / "rows.aside"
    assert list(aside.glob(f"{stage.topic}-*.1")), list(aside.iterdir())
    assert worker.start().wait(60) == 1, "until the copy is moved away"
    assert str(aside) in worker.text(), worker.text()
    # The way on: what each partition that refuses names is moved away.
    for attempt in range(stage.partitions + 1):
        shutil.move(aside, worker.home / f"accepted-{attempt}")
        worker.start()
        until("it runs or has ended", lambda: " ready" in worker.text() or not worker.runs())
        if worker.runs():
            break
    stage.enqueue([("acme", "after")])
    until("the new job has ended", lambda: stage.trace.ends() == 2)
    assert worker.stop() == 0


if __name__ == "__main__":
    main([
        a_topic_that_goes_stops_its_queue_alone,
        the_only_queues_topic_that_goes_ends_the_worker,
        a_queue_topic_that_is_created_again_while_a_worker_runs_is_refused,
        a_state_topic_that_is_created_again_is_refused_and_the_copy_kept,
    ])
