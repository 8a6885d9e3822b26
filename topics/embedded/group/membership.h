// What a session knows about its own membership, and what has changed since it last looked. Belongs
// to one session's thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "topics/embedded/group/group.h"

namespace penstock::embedded {

struct GroupNews {
  std::vector<PartitionId> lost;
  std::vector<PartitionId> revoked;
  std::vector<PartitionId> assigned;
};

class Membership {
 public:
  // Compares with the group's present state, which becomes the known one.
  GroupNews update(const std::vector<HeldPartition>& held_now);
  // The grant under which the partition was assigned, if this session knows of it.
  [[nodiscard]] std::optional<std::uint64_t> grant_of(PartitionId partition) const;
  // The session has given the partition back.
  void forget(PartitionId partition) { known_.erase(partition); }

 private:
  std::map<PartitionId, HeldPartition> known_;
};

}  // namespace penstock::embedded
