// The plain queue with which `demo` compares: a number of places takes the jobs strictly in the
// order of their arrival, without any overhead. A pure function.
#pragma once

#include <chrono>
#include <span>
#include <vector>

namespace penstock {

struct FifoJob {
  std::chrono::nanoseconds arrival;  // since any fixed moment, never decreasing
  std::chrono::nanoseconds length;
};

// How long each job waits from its arrival to its start, in the jobs' order. `places` is at least
// 1.
[[nodiscard]] std::vector<std::chrono::nanoseconds> fifo_waits(std::span<const FifoJob> jobs,
                                                               int places);

}  // namespace penstock
