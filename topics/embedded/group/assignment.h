// Who of a group's members should have which partition: fair (no two members' counts differ by more
// than one) and sticky (of all fair assignments, one that moves the fewest partitions). Pure; the
// same input gives the same answer.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::embedded {

using MemberId = std::uint64_t;
inline constexpr MemberId kNobody = 0;

// `owners` has the present owner of each partition, or kNobody; an owner that is not in `members`
// counts as nobody. `members` is in ascending order. Gives the wanted owner of each partition.
std::vector<MemberId> assign_fairly(const std::vector<MemberId>& members,
                                    const std::vector<MemberId>& owners);

}  // namespace penstock::embedded
