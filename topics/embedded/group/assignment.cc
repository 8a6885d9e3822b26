#include "topics/embedded/group/assignment.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace penstock::embedded {
namespace {

// How many partitions each member may have. When they do not divide evenly, the members with the
// most partitions keep the extra ones.
std::map<MemberId, std::size_t> quotas(const std::vector<MemberId>& members,
                                       const std::vector<MemberId>& owners) {
  std::map<MemberId, std::size_t> held;
  for (const MemberId owner : owners) ++held[owner];
  std::vector<MemberId> by_held = members;
  // Stable, so that the order of the members decides between equals, and the result is
  // deterministic.
  std::stable_sort(by_held.begin(), by_held.end(),
                   [&](MemberId a, MemberId b) { return held[a] > held[b]; });
  std::map<MemberId, std::size_t> quota;
  for (std::size_t i = 0; i < by_held.size(); ++i) {
    const bool odd_one = i < owners.size() % members.size();
    quota[by_held[i]] = owners.size() / members.size() + (odd_one ? 1 : 0);
  }
  return quota;
}

}  // namespace

std::vector<MemberId> assign_fairly(const std::vector<MemberId>& members,
                                    const std::vector<MemberId>& owners) {
  std::vector<MemberId> wanted(owners.size(), kNobody);
  if (members.empty()) return wanted;
  std::map<MemberId, std::size_t> room = quotas(members, owners);
  for (std::size_t p = 0; p < owners.size(); ++p) {
    const auto owner = room.find(owners[p]);
    if (owner == room.end() || owner->second == 0) continue;
    --owner->second;
    wanted[p] = owners[p];
  }
  for (MemberId& owner : wanted) {
    if (owner != kNobody) continue;
    // Always to the member with the most room, so that a member's partitions spread over the topic.
    const auto roomiest = std::max_element(
        room.begin(), room.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    --roomiest->second;
    owner = roomiest->first;
  }
  return wanted;
}

}  // namespace penstock::embedded
