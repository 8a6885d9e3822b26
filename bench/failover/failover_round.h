// One queue of `bench failover`, with a state of one size: its workers, and what happens to them.
// Used from one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/failover/group_worker.h"
#include "bench/failover/partition_load.h"
#include "bench/failover/start_pipe.h"
#include "bench/rig/state_directory.h"

namespace penstock {

struct HandOver {
  std::vector<double> seconds;      // without a start, of each partition that moved
  std::vector<double> undisturbed;  // the same, before
};

class FailoverRound {
 public:
  // With so many bytes of rows in each partition, and one worker that runs them.
  [[nodiscard]] static Result<std::unique_ptr<FailoverRound>> make(const Properties& properties,
                                                                   int partitions,
                                                                   std::size_t bytes);

  // A second worker joins.
  [[nodiscard]] Result<HandOver> join();
  // It is stopped with SIGTERM.
  [[nodiscard]] Result<HandOver> leave();
  // It is killed with SIGKILL. In seconds until the first worker has started jobs in each of its
  // partitions.
  [[nodiscard]] Result<double> crash();
  // All workers are stopped; then there are one or two, with or without standbys.
  [[nodiscard]] Status restart(int workers, bool standbys);
  // All workers are stopped; then one with a name is started, killed, and started again at once.
  // In seconds until it has started jobs in each partition.
  [[nodiscard]] Result<double> crash_in_place();

 private:
  FailoverRound(std::unique_ptr<BenchQueue> queue, StateDirectory directory,
                std::unique_ptr<StartPipe> pipe);

  [[nodiscard]] Result<std::unique_ptr<GroupWorker>> start(const std::string& name,
                                                           const std::string& instance = {});
  [[nodiscard]] Result<HandOver> hand_over(SteadyClock::time_point from);
  // The workers have looked who is in the group, and copies are at the ends of their logs.
  void wait_followed() const;
  [[nodiscard]] Status wait_settled(SteadyClock::time_point from);
  [[nodiscard]] Result<double> wait_back(int killed, SteadyClock::time_point kill);
  void stop_all();

  std::unique_ptr<BenchQueue> queue_;
  StateDirectory directory_;
  std::unique_ptr<StartPipe> pipe_;
  PartitionLoad load_;
  std::unique_ptr<GroupWorker> first_, second_;
  int next_number_ = 1;
  bool standbys_ = false;
};

}  // namespace penstock
