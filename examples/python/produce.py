"""Enqueues jobs from a service that uses only Kafka and no part of Penstock.

    produce.py [--brokers HOST:PORT] [--topic TOPIC] [--jobs N] [--accounts N]

The account is the record's key. With partitioner=murmur2_random, every Kafka client sends an account to the same
partition as Java's. An id makes it safe to send a job again: a job whose id was seen within the queue's
dedup_window changes nothing.
"""

import argparse
import json
import sys

from confluent_kafka import Producer


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--brokers", default="127.0.0.1:9092")
    options.add_argument("--topic", default="penstock.mail")
    options.add_argument("--jobs", type=int, default=20)
    options.add_argument("--accounts", type=int, default=4)
    given = options.parse_args()

    producer = Producer({
        "bootstrap.servers": given.brokers,
        "partitioner": "murmur2_random",
        "enable.idempotence": True,  # acks=all, and no duplicates when librdkafka retries
    })
    failed = []

    def on_delivery(error, record):
        if error is not None:
            failed.append(f"{record.key().decode()}: {error}")

    for number in range(given.jobs):
        job = {"type": "webhook.send", "id": f"order-{number}", "args": {"order": number}}
        producer.produce(given.topic, key=f"account-{number % given.accounts}", value=json.dumps(job),
                         on_delivery=on_delivery)
        producer.poll(0)
    producer.flush(30)

    for line in failed:
        print(line, file=sys.stderr)
    print(f"{given.jobs - len(failed)} jobs acknowledged")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
