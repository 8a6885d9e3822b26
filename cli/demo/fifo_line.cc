#include "cli/demo/fifo_line.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace penstock {

using std::chrono::nanoseconds;

std::vector<nanoseconds> fifo_waits(std::span<const FifoJob> jobs, int places) {
  const std::vector<nanoseconds> idle(static_cast<std::size_t>(places), nanoseconds::min());
  std::priority_queue<nanoseconds, std::vector<nanoseconds>, std::greater<>> free_at(idle.begin(),
                                                                                     idle.end());
  std::vector<nanoseconds> waits;
  waits.reserve(jobs.size());
  for (const FifoJob& job : jobs) {
    const nanoseconds start = std::max(job.arrival, free_at.top());
    free_at.pop();
    free_at.push(start + job.length);
    waits.push_back(start - job.arrival);
  }
  return waits;
}

}  // namespace penstock
