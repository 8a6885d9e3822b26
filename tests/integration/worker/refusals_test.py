"""A worker refuses topics that endanger what is in them, and names the command that mends (docs/operations.md)."""

from confluent_kafka.admin import AdminClient, ConfigResource, ConfigSource, NewPartitions
from harness import until
from scenarios import main

DYNAMIC_TOPIC_CONFIG = ConfigSource.DYNAMIC_TOPIC_CONFIG.value


def alter(stage, suffix, **settings):
    """Sets a topic's settings, and all others back; returns once the broker tells of it."""
    wanted = {name.replace("_", "."): value for name, value in settings.items()}
    admin = AdminClient(stage.client())
    for altered in admin.alter_configs([ConfigResource(ConfigResource.Type.TOPIC, stage.topic + suffix, set_config=wanted)]).values():
        altered.result(30)

    # The answer is the controller's; the brokers, who are asked for settings, hear of it a moment later.
    def told():
        asked, = admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, stage.topic + suffix)]).values()
        set_here = {name: entry.value for name, entry in asked.result(30).items() if entry.source == DYNAMIC_TOPIC_CONFIG}
        return set_here == wanted
    until(f"the broker tells of the settings of {stage.topic}{suffix}", told)


def refused(stage, name, *said):
    worker = stage.worker(name).start()
    assert worker.wait(30) == 1
    for text in said:
        assert text in worker.text(), f"not said: {text}\n{worker.text()}"
    return worker


def mended(stage):
    made = stage.penstock("topics", "create")
    assert made.returncode == 0, made.stderr
    stage.enqueue([("acme", "first")])
    worker = stage.worker("after").start().ready()
    until("the job has ended", lambda: stage.trace.ends() == 1)
    assert worker.stop() == 0


def topics_that_are_missing(stage):
    refused(stage, "before", f"{stage.topic} does not exist", f"penstock topics create {stage.queue}")
    mended(stage)


def a_state_topic_that_forgets(stage):
    stage.make_topics()
    alter(stage, ".state", retention_ms="60000", message_timestamp_type="LogAppendTime", max_message_bytes="8388608")
    refused(stage, "before", "retention.ms is 60000, expected -1", f"penstock topics create {stage.queue}")
    mended(stage)


def a_state_topic_with_times_of_the_producer(stage):
    stage.make_topics()
    alter(stage, ".state", retention_ms="-1", retention_bytes="-1", max_message_bytes="8388608")
    refused(stage, "before", "message.timestamp.type is CreateTime, expected LogAppendTime", "penstock topics create")
    mended(stage)


def a_queue_topic_that_is_compacted(stage):
    stage.make_topics()
    alter(stage, "", cleanup_policy="compact", max_message_bytes="2097152")
    refused(stage, "before", "cleanup.policy is compact, expected delete", f"penstock topics create {stage.queue}")
    mended(stage)


def a_count_of_partitions_that_has_changed(stage):
    stage.make_topics()
    admin = AdminClient(stage.client())
    for grown in admin.create_partitions([NewPartitions(stage.topic, 5)]).values():
        grown.result(30)
    until("the broker tells of the fifth", lambda: len(admin.list_topics(stage.topic, timeout=30).topics[stage.topic].partitions) == 5)
    refused(stage, "worker", "has 5 partitions, expected 4", "set /queues/q/partitions")
    made = stage.penstock("topics", "create")
    assert made.returncode == 1 and "Nothing was changed" in made.stderr, made.stderr


if __name__ == "__main__":
    main([
        topics_that_are_missing,
        a_state_topic_that_forgets,
        a_state_topic_with_times_of_the_producer,
        a_queue_topic_that_is_compacted,
        a_count_of_partitions_that_has_changed,
    ])
