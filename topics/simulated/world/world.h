// The shared parts of a simulated cluster: virtual time, chance, the present faults, unique
// numbers, and a digest of everything that has happened. Belongs to the simulator's thread.
#pragma once

#include <cstdint>

#include "topics/simulated/world/cluster_options.h"
#include "topics/simulated/world/fault_plan.h"
#include "topics/simulated/world/random.h"
#include "topics/simulated/world/timeline.h"
#include "topics/values/types.h"

namespace penstock::simulated {

class World {
 public:
  explicit World(const ClusterOptions& options)
      : options_(options), random_(options.seed), faults_(options.faults) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] const ClusterOptions& options() const { return options_; }
  [[nodiscard]] Timeline& timeline() { return timeline_; }
  [[nodiscard]] Instant now() const { return timeline_.now(); }
  // The true wall-clock time.
  [[nodiscard]] Time wall() const;

  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] FaultPlan& faults() { return faults_; }
  [[nodiscard]] const FaultPlan& faults() const { return faults_; }
  // The present rates; all zero once the plan has ended.
  [[nodiscard]] const FaultRates& rates() const;
  [[nodiscard]] bool faulty() const { return faults_.active(now()); }

  // A new number at every call, from 1.
  [[nodiscard]] std::uint64_t unique() { return ++uniques_; }
  // Adds to the digest, with the time.
  void note(std::uint64_t what);
  [[nodiscard]] std::uint64_t history() const { return history_; }

 private:
  ClusterOptions options_;
  Random random_;
  Timeline timeline_;
  FaultPlan faults_;
  std::uint64_t uniques_ = 0, history_ = 0;
};

}  // namespace penstock::simulated
