// Decides which member of a group should have which partition: fair (the members' counts differ by
// at most one) and sticky (of all fair assignments, one that moves the fewest partitions). Pure and
// deterministic.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::embedded {

using MemberId = std::uint64_t;
inline constexpr MemberId kNobody = 0;

// `owners` gives each partition's present owner, or kNobody; an owner that is not in `members`
// counts as kNobody. `members` is in ascending order. Returns each partition's new owner.
std::vector<MemberId> assign_fairly(const std::vector<MemberId>& members,
                                    const std::vector<MemberId>& owners);

}  // namespace penstock::embedded
