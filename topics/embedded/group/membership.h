// What a session knows of its own membership, and the news since it last looked. Owned by one
// session.
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
  // Compares with what the group says now, and takes that as known.
  GroupNews update(const std::vector<HeldPartition>& held_now);
  // The grant under which the partition was assigned, as far as this session has been told.
  [[nodiscard]] std::optional<std::uint64_t> grant_of(PartitionId partition) const;
  // The session has given the partition back.
  void forget(PartitionId partition) { known_.erase(partition); }

 private:
  std::map<PartitionId, HeldPartition> known_;
};

}  // namespace penstock::embedded
