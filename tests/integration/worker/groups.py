"""Which worker has which partitions, as Kafka's groups know it. The workers have names in the group: `--instance NAME`."""

import struct

from confluent_kafka.admin import AdminClient
from harness import until


def assigned(assignment):
    """The partitions in a member's assignment, as the consumer protocol writes it: version, then topics with theirs."""
    found, at = set(), 2
    topics, = struct.unpack_from(">i", assignment, at)
    at += 4
    for _ in range(topics):
        length, = struct.unpack_from(">h", assignment, at)
        at += 2 + length
        count, = struct.unpack_from(">i", assignment, at)
        found |= set(struct.unpack_from(f">{count}i", assignment, at + 4))
        at += 4 + 4 * count
    return found


def partitions(stage, group, workers):
    """The partitions of each worker by its name, once the group has given all of them out to these."""
    admin = AdminClient(stage.client())

    def settled():
        members = [member for found in admin.list_groups(group, timeout=10) for member in found.members]
        of = {worker.name: set() for worker in workers}
        for member in members:
            name = member.id.split("-")[0]
            if name not in of or not member.assignment:
                return None
            of[name] |= assigned(member.assignment)
        return of if sum(map(len, of.values())) == stage.partitions else None

    return until(f"{group} has given out its partitions", settled)
