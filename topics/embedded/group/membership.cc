#include "topics/embedded/group/membership.h"

namespace penstock::embedded {

GroupNews Membership::update(const std::vector<HeldPartition>& held_now) {
  GroupNews news;
  std::map<PartitionId, HeldPartition> now;
  for (const HeldPartition& held : held_now) now.emplace(held.partition, held);
  for (const auto& [partition, before] : known_) {
    const auto held = now.find(partition);
    // With another grant, the partition was away in between: it is lost and then assigned again.
    const bool kept = held != now.end() && held->second.grant == before.grant;
    if (!kept) {
      news.lost.push_back(partition);
    } else if (held->second.revoked && !before.revoked) {
      news.revoked.push_back(partition);
    }
  }
  for (const auto& [partition, held] : now) {
    const auto before = known_.find(partition);
    const bool fresh = before == known_.end() || before->second.grant != held.grant;
    if (fresh) news.assigned.push_back(partition);
  }
  known_ = std::move(now);
  return news;
}

std::optional<std::uint64_t> Membership::grant_of(PartitionId partition) const {
  const auto known = known_.find(partition);
  if (known == known_.end()) return std::nullopt;
  return known->second.grant;
}

}  // namespace penstock::embedded
