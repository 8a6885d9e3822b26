"""A plain producer beside the workers: how long Kafka itself holds acknowledgements back."""

import threading
import time

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

EVERY_SECONDS = 0.1
MAX_WAITING = 10_000


class RawAppends:
    """Sends a record a moment to each partition of a topic of its own until it is closed."""

    def __init__(self, address, topic, partitions):
        self.topic, self.partitions = topic, partitions
        admin = AdminClient({"bootstrap.servers": address})
        for made in admin.create_topics([NewTopic(topic, partitions, 3)]).values():
            made.result(60)
        self.producer = confluent_kafka.Producer({"bootstrap.servers": address, "acks": "all", "linger.ms": 0,
                                                  "log_level": 2, "request.timeout.ms": 10_000,
                                                  "message.timeout.ms": 120_000})
        self.lock, self.longest, self.waiting = threading.Lock(), 0.0, {}
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        number = 0
        while not self.ended.wait(EVERY_SECONDS):
            for partition in range(self.partitions):
                if len(self.waiting) >= MAX_WAITING:
                    continue
                number += 1
                with self.lock:
                    self.waiting[number] = time.monotonic()
                self.producer.produce(self.topic, b"", partition=partition, on_delivery=self.on_delivery(number))
            self.producer.poll(0)
        self.producer.flush(10)

    def on_delivery(self, number):
        def note(_error, _message):
            with self.lock:
                self.longest = max(self.longest, time.monotonic() - self.waiting.pop(number))
        return note

    def take_longest(self):
        """The longest wait for an acknowledgement since the last call, one that still lasts included."""
        with self.lock:
            now = time.monotonic()
            longest = max([self.longest, *(now - since for since in self.waiting.values())])
            self.longest = 0.0
        return longest

    def close(self):
        self.ended.set()
        self.thread.join()
