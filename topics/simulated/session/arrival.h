// The kinds of entries in a session's inbox, which keeps them in the order of arrival. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "topics/log.h"

namespace penstock::simulated {

enum class GroupChange : std::uint8_t { kAssigned, kRevoked, kLost };

struct GroupChanged {
  GroupChange change;
  std::vector<PartitionId> partitions;
};
struct RecordsFetched {
  TopicPartition from;
  std::uint64_t read;
  Offset first;
  std::uint64_t count;
};
struct ReadOutOfRange {
  TopicPartition from;
  std::uint64_t read;
  Offset position;
};
struct ReadRefused {
  TopicPartition from;
  std::string detail;
};
struct AppendEnded {
  Lane lane;
  std::uint64_t generation;
  Ticket ticket;
  Appended result;
};
struct BoundsKnown {
  TopicPartition of;
  Result<Bounds> bounds;
};
struct MembershipKnown {
  PartitionId partition;
  bool held;
};
struct GroupOffsetKnown {
  PartitionId partition;
  Result<std::optional<Offset>> offset;
};
struct GroupPeersKnown {
  std::vector<GroupPeer> peers;
};
struct RecordsDeleted {
  TopicPartition of;
  Status status;
};
struct ConnectionChanged {
  bool connected;
};
struct FatalTrouble {
  std::string detail;
};

using Arrival = std::variant<GroupChanged, RecordsFetched, ReadOutOfRange, ReadRefused, AppendEnded,
                             BoundsKnown, MembershipKnown, RecordsDeleted, ConnectionChanged,
                             FatalTrouble, GroupOffsetKnown, GroupPeersKnown>;

}  // namespace penstock::simulated
