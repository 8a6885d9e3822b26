// The jobs of `bench failover`: rows that only wait in the state, and a steady stream of jobs to
// every partition. Used from one thread.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "bench/rig/bench_queue.h"

namespace penstock {

class PartitionLoad {
 public:
  // Its handler is that of the queue's config.
  static constexpr const char* kType = "job";

  explicit PartitionLoad(const BenchQueue& queue);

  // So many bytes of scheduled jobs in every partition, and behind them one job that runs at once.
  [[nodiscard]] Status fill(std::size_t bytes) const;
  // Sends until it is stopped.
  [[nodiscard]] Status start();
  void stop();
  // Between two jobs of one partition.
  [[nodiscard]] std::chrono::milliseconds interval() const;

 private:
  // Begins with the number of its partition.
  [[nodiscard]] std::string account(PartitionId partition, std::size_t number) const;

  const BenchQueue& queue_;
  std::vector<std::vector<std::string>> accounts_;  // by partition
  std::size_t next_job_;
  std::jthread sender_;
};

}  // namespace penstock
