// A job's sequence number in its partition. The partition that admits a job assigns it the next
// number, regardless of where the job comes from (the input, a replay, another partition). The
// number distinguishes the job from all others that the partition has ever admitted, determines its
// position in the order of admission, and ends the keys of its rows (state/rows/keys.h). The
// position of its record in the input is something else: an Offset.
//
// What always holds: no two jobs of a partition have the same number, and a job that was admitted
// later has a greater one, regardless of which owner admitted it. There are gaps.
//
// A value; may be used from any thread.
#pragma once

#include <compare>
#include <cstdint>

namespace penstock {

struct JobSeq {
  std::int64_t value = 0;  // 0: none; the first one is 1

  [[nodiscard]] constexpr bool given() const { return value > 0; }
  [[nodiscard]] constexpr JobSeq next() const { return JobSeq{value + 1}; }
  friend constexpr auto operator<=>(const JobSeq&, const JobSeq&) = default;
};

}  // namespace penstock
