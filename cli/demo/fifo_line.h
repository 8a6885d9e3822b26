// The plain queue that `demo` compares with: jobs are taken strictly in the order in which they
// came, by so many places, and nothing else costs time. A pure function.
#pragma once

#include <chrono>
#include <span>
#include <vector>

namespace penstock {

struct FifoJob {
  std::chrono::nanoseconds arrival;  // since any fixed moment; never less than the one before
  std::chrono::nanoseconds length;
};

// How long each job waits from its arrival to its start, in the jobs' order. At least one place.
[[nodiscard]] std::vector<std::chrono::nanoseconds> fifo_waits(std::span<const FifoJob> jobs,
                                                               int places);

}  // namespace penstock
