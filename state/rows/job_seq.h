// A job's place in its partition: the partition that admits a job gives it the next number,
// wherever it has come from (the input, a replay, another partition). It is the job's identity
// among all that the partition has ever admitted, its place in the order of admission, and the end
// of its rows' keys (state/rows/keys.h). The position of its record in the input is another thing:
// an Offset.
//
// What always holds: no two jobs of a partition have the same one, and a job that was admitted
// later has a greater one, whichever owner admitted it. There are gaps.
//
// A value; any thread.
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
