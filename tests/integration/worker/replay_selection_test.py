"""Which records of a real Kafka a replay reads: each filter, times and offsets, deaths, and what retention removes."""

import datetime
import json
import os
import subprocess
import time

import confluent_kafka
from harness import replay, until
from replays import await_finished, await_shown, started, working, write_ids
from scenarios import main


def copies_of(stage, name):
    prefix = f"replay/{name}/"
    return {attempt.id.removeprefix(prefix) for attempt in started(stage, prefix)}


def assert_selects(stage, config, name, wanted, *options):
    """A dry run and a replay with these options choose exactly the wanted ids."""
    assert wanted, "a filter that selects nothing shows nothing"
    choice = ["--queue", stage.queue, *options]
    counted = replay(stage, config, "start", *choice, "--dry-run")
    assert counted["copies"] == counted["matched"] == len(wanted), (name, counted, wanted)
    shown = replay(stage, config, "start", *choice, "--id", name)
    assert shown["admitted"] == shown["matched"] == len(wanted), (name, shown)
    assert copies_of(stage, name) == wanted, (name, copies_of(stage, name) ^ wanted)
    return counted


def each_filter_selects_alone_and_all_together(stage):
    """Every type has every account, and every pair has every argument."""
    _, config = working(stage, types={name: {} for name in ("job", "job.2", "other")})
    jobs = [{"id": f"{kind}-{account}-{n}", "type": kind, "account": account, "segment": n}
            for kind in ("job", "job.2", "other") for account in ("acme", "beta", "gamma") for n in range(4)]
    stage.enqueue([(job["account"], job["id"], {"type": job["type"], "args": {"segment": job["segment"]}}) for job in jobs])
    until("they have ended", lambda: stage.trace.ends() == len(jobs))

    def having(**members):
        return {job["id"] for job in jobs if all(job[name] in values for name, values in members.items())}
    ids = {"job-acme-1", "job.2-beta-2", "other-gamma-3", "job-beta-1", "job-acme-2"}
    by_ids = ["--ids", write_ids(stage, *ids, "job-acme-9")]
    counted = assert_selects(stage, config, "type", having(type=["job"]), "--type", "job")
    assert counted["types"] == {"job": 12} and counted["accounts"] == {"acme": 4, "beta": 4, "gamma": 4}, counted
    assert_selects(stage, config, "types", having(type=["job.2", "other"]), "--type", "job.2", "--type", "other")
    assert_selects(stage, config, "account", having(account=["beta"]), "--account", "beta")
    assert_selects(stage, config, "accounts", having(account=["beta", "acme"]), "--account", "beta", "--account", "acme")
    assert_selects(stage, config, "where", having(segment=[2]), "--where", "/segment=2")
    assert_selects(stage, config, "ids", ids, *by_ids)
    assert_selects(stage, config, "type-and-account", having(type=["job"], account=["beta"]),
                   "--type", "job", "--account", "beta")
    assert_selects(stage, config, "account-and-where", having(account=["beta"], segment=[1]),
                   "--where", "/segment=1", "--account", "beta")
    assert_selects(stage, config, "type-and-ids", having(type=["job"]) & ids, "--type", "job", *by_ids)
    counted = assert_selects(
        stage, config, "together", having(type=["job", "job.2"], account=["acme", "beta"], segment=[1]) & ids,
        "--type", "job", "--type", "job.2", "--account", "acme", "--account", "beta", "--where", "/segment=1", *by_ids)
    assert counted["types"] == {"job": 2} and counted["accounts"] == {"acme": 1, "beta": 1}, counted
    assert {sample["id"] for sample in counted["samples"]} == {"job-acme-1", "job-beta-1"}, counted
    assert stage.trace.reruns() == 0


def where_compares_the_json_value_at_a_pointer(stage):
    _, config = working(stage)
    arguments = {
        "number": {"n": 5}, "text": {"n": "5"}, "word": {"n": "five"}, "true": {"n": True}, "null": {"n": None},
        "list": {"n": [1, 2]}, "nested": {"a": {"b": [{"c": "x"}, {"c": 7}]}}, "other": {"a": {"b": [{"c": "x"}, {"c": 8}]}},
        "escaped": {"a/b": {"m~n": 1}}, "object": {"n": {"x": 1, "y": 2}}, "equals": {"n": "a=b"}, "accent": {"n": "\u00e9"},
        "none": {},
    }
    stage.enqueue([(f"account-{n % 3}", name, {"args": args}) for n, (name, args) in enumerate(arguments.items())])
    until("they have ended", lambda: stage.trace.ends() == len(arguments))
    for number, (where, *wanted) in enumerate([
            ("/n=5", "number"), ('/n="5"', "text"), ("/n=five", "word"), ("/n=true", "true"), ("/n=null", "null"),
            ("/n=[1,2]", "list"), ("/a/b/1/c=7", "nested"), ("/a/b/0/c=x", "nested", "other"), ("/a~1b/m~0n=1", "escaped"),
            ('/n={"y":2,"x":1}', "object"), ("/n=a=b", "equals"), ("/n=\u00e9", "accent")]):
        counted = replay(stage, config, "start", "--queue", stage.queue, "--where", where, "--dry-run")
        assert {sample["id"] for sample in counted["samples"]} == set(wanted), (where, counted)
        if number % 4 == 1:
            assert_selects(stage, config, f"w{number}", set(wanted), "--where", where)
    assert_selects(stage, config, "both", {"nested"}, "--where", "/a/b/0/c=x", "--where", "/a/b/1/c=7")
    counted = replay(stage, config, "start", "--queue", stage.queue, "--where", "/n=6", "--dry-run")
    assert counted["copies"] == 0, counted
    refused = replay(stage, config, "start", "--queue", stage.queue, "--where", "n=5", "--dry-run", expect=2)
    assert "--where" in refused, refused


def offsets_name_the_range_of_each_partition(stage):
    _, config = working(stage)
    placed = stage.enqueue([(f"account-{n % 12}", f"job-{n}") for n in range(120)])
    until("they have ended", lambda: stage.trace.ends() == 120)

    def within(**ranges):
        return {job.id for job in placed if any(
            partition == f"p{job.partition}" and first <= job.offset < last for partition, (first, last) in ranges.items())}
    end = 1 << 40
    assert_selects(stage, config, "one", within(p1=(3, 8)), "--offsets", "1:3-8")
    assert_selects(stage, config, "open", within(p2=(5, end)), "--offsets", "2:5-")
    assert_selects(stage, config, "list", within(p0=(0, 2), p3=(4, end)), "--offsets", "0:0-2,3:4")
    assert_selects(stage, config, "several", within(p0=(1, 2), p1=(0, end)), "--offsets", "0:1-2", "--offsets", "1:0-99999999")
    refused = replay(stage, config, "start", "--queue", stage.queue, "--id", "no", "--offsets", "7:0-1", expect=2)
    assert "partition 7" in refused, refused


def the_times_of_a_range_are_those_of_its_records(stage):
    _, config = working(stage)
    base = int(time.time() * 1000) - 3_600_000
    stage.produce([(f"account-{n % 5}", json.dumps({"type": "job", "id": f"job-{n}"}), {"timestamp": base + 1000 * n})
                   for n in range(30)])
    until("they have ended", lambda: stage.trace.ends() == 30)
    since, to = base + 10_000, base + 20_000
    wanted = {f"job-{n}" for n in range(10, 20)}
    assert_selects(stage, config, "ms", wanted, "--from", str(since), "--to", str(to))
    assert_selects(stage, config, "text", wanted, "--from", rfc3339(since), "--to", rfc3339(to))
    assert_selects(stage, config, "from", {f"job-{n}" for n in range(10, 30)}, "--from", str(since))
    assert_selects(stage, config, "to", {f"job-{n}" for n in range(20)}, "--to", str(to))


def rfc3339(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).isoformat(timespec="milliseconds")


def records_produced_after_the_start_do_not_belong_to_the_range(stage):
    [worker], config = working(stage)
    stage.enqueue([(f"account-{n % 5}", f"old-{n}") for n in range(40)])
    until("they have ended", lambda: stage.trace.ends() == 40)
    assert worker.stop() == 0
    made = replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--detach")
    assert made["records"] == 40, made
    stage.enqueue([(f"account-{n % 5}", f"new-{n}") for n in range(40)])
    worker.start().ready()
    shown = await_finished(stage, config, "r")
    assert shown["scanned"] == shown["admitted"] == 40, shown
    until("all have ended", lambda: stage.trace.ends() == 120)
    assert copies_of(stage, "r") == {f"old-{n}" for n in range(40)}
    assert worker.stop() == 0


def deaths_select_by_time_and_reason(stage):
    """Records of the dead topic with times of death of their own, in an order that is not that of the times."""
    _, config = working(stage)
    producer = confluent_kafka.Producer(stage.client(partitioner="murmur2_random"))
    deaths = [("a", "crashed", 3), ("b", "attempts_exhausted", 1), ("c", "discarded", 2), ("d", "attempts_exhausted", 3),
              ("e", "attempts_exhausted", 2), ("f", "bad_json", 2), ("g", "crashed", 2)]
    for job, reason, day in deaths:
        value = "{" if reason == "bad_json" else json.dumps({"type": "job", "id": job})
        producer.produce(stage.topic + ".dead", value, f"account-{job}", headers={
            "penstock-reason": reason, "penstock-detail": "d", "penstock-source": f"{stage.topic}/9/{ord(job)}",
            "penstock-attempts": "1", "penstock-at": f"2026-03-0{day}T12:00:00.000Z", "penstock-message": f"m#{job}"})
    assert producer.flush(30) == 0
    second = ["--from", "2026-03-02T12:00:00Z", "--to", "2026-03-03T12:00:00Z"]
    assert_selects(stage, config, "times", {"c", "e", "g"}, "--dead", *second)
    assert_selects(stage, config, "from", {"a", "c", "d", "e", "g"}, "--dead", *second[:2])
    assert_selects(stage, config, "to", {"b", "c", "e", "g"}, "--dead", *second[2:])
    assert_selects(stage, config, "reason", {"a", "g"}, "--dead", "--reason", "crashed")
    counted = assert_selects(stage, config, "both", {"c", "e"}, "--dead", *second, "--reason", "discarded",
                             "--reason", "attempts_exhausted")
    assert {sample["source"] for sample in counted["samples"]} == {f"{stage.topic}/9/{ord(job)}" for job in "ce"}, counted
    shown = replay(stage, config, "start", "--queue", stage.queue, "--id", "all", "--dead")
    assert shown["admitted"] == 6 and shown["left_out"] == {"bad": 1}, shown


def delete_records(stage, partition, before):
    """What retention does, at once. Debian's python3-confluent-kafka cannot; Kafka's own tool can."""
    places = stage.folder / "delete.json"
    places.write_text(json.dumps({"version": 1, "partitions": [
        {"topic": stage.topic, "partition": partition, "offset": before}]}))
    command = ["java", "-cp", f"{os.environ['PENSTOCK_KAFKA_LIBS']}/*", "org.apache.kafka.tools.DeleteRecordsCommand",
               "--bootstrap-server", stage.kafka, "--offset-json-file", str(places)]
    deleted = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert deleted.returncode == 0 and f"low_watermark: {before}" in deleted.stdout, deleted


def a_start_says_what_retention_has_removed(stage):
    stage.partitions = 2
    _, config = working(stage)
    placed = stage.enqueue([(f"account-{n % 8}", f"job-{n}") for n in range(80)])
    until("they have ended", lambda: stage.trace.ends() == 80)
    assert len([job for job in placed if job.partition == 1]) > 12, placed
    whole = replay(stage, config, "start", "--queue", stage.queue, "--dry-run")
    assert whole["removed"] == 0 and whole["oldest"] is None and whole["copies"] == 80, whole
    delete_records(stage, 1, 7)
    times = {(record.partition, record.offset): record.timestamp for record in stage.records()}
    oldest = rfc3339(times[1, 7]).replace("+00:00", "Z")
    left = {job.id for job in placed if job.partition == 0 or job.offset >= 7}
    counted = assert_selects(stage, config, "r", left)
    assert counted["removed"] == 7 and counted["oldest"] == oldest and counted["records"] == 73, counted
    shown = replay(stage, config, "show", "r", "--queue", stage.queue)
    assert shown["removed"] == 7 and shown["oldest"] == oldest and shown["records"] == 73, shown
    for options in (["--dry-run"], ["--id", "said"]):
        said = stage.penstock("replay", "start", "--queue", stage.queue, *options, config=config)
        text = f"Retention has removed 7 records that may have belonged to it; the oldest one left is of {oldest}"
        assert said.returncode == 0 and text in said.stdout + said.stderr, said
    in_part = replay(stage, config, "start", "--queue", stage.queue, "--offsets", "1:3-12", "--dry-run")
    assert in_part["removed"] == 4 and in_part["records"] == 5, in_part
    later = replay(stage, config, "start", "--queue", stage.queue, "--from", str(times[1, 7] + 1), "--dry-run")
    assert later["removed"] == 0 and later["oldest"] is None, later


def what_retention_removes_while_a_replay_is_paused_is_counted_as_lost(stage):
    stage.partitions = 1
    jobs, left = 400, 10
    [worker], config = working(stage, events="all")
    stage.enqueue([("acme", f"job-{n}") for n in range(jobs)])
    until("they have ended", lambda: stage.trace.ends() == jobs, 90)
    replay(stage, config, "start", "--queue", stage.queue, "--id", "r", "--rate", "4/s", "--detach")
    until("some copies have started", lambda: len(started(stage)) >= 3)
    paused = replay(stage, config, "pause", "r", "--queue", stage.queue)
    assert paused["state"] == "paused", paused
    # What it has in memory goes with the process, and the next one finds the pause before it reads.
    assert worker.stop() == 0
    delete_records(stage, 0, jobs - left)
    worker.start().ready()
    stage.enqueue([("acme", "live")])
    until("a live job has ended", lambda: stage.trace.of("live") and stage.trace.of("live")[0].ended)
    made = {event["id"] for event in stage.told() if event["event"] == "admitted" and event["id"].startswith("replay/r/")}
    position = len(made)
    assert 3 <= position < jobs - left and made == {f"replay/r/job-{n}" for n in range(position)}, made
    assert await_shown(stage, config, "r", lambda shown: shown["admitted"] == position, "has told")["left_out"] == {}
    replay(stage, config, "resume", "r", "--queue", stage.queue)
    shown = await_finished(stage, config, "r")
    assert shown["left_out"] == {"lost": jobs - left - position}, (position, shown)
    assert shown["admitted"] == shown["scanned"] == position + left and shown["removed"] == 0, shown
    until("the copies have ended", lambda: stage.trace.ends() == jobs + 1 + position + left)
    assert copies_of(stage, "r") == {f"job-{n}" for n in (*range(position), *range(jobs - left, jobs))}
    assert worker.stop() == 0


if __name__ == "__main__":
    main([
        what_retention_removes_while_a_replay_is_paused_is_counted_as_lost,
        each_filter_selects_alone_and_all_together,
        where_compares_the_json_value_at_a_pointer,
        offsets_name_the_range_of_each_partition,
        the_times_of_a_range_are_those_of_its_records,
        records_produced_after_the_start_do_not_belong_to_the_range,
        deaths_select_by_time_and_reason,
        a_start_says_what_retention_has_removed,
    ])
