// What everything in a simulated cluster shares: virtual time, chance, the faults that are on,
// numbers that are given once, and a digest of what has happened. One thread.
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
  // The true wall clock.
  [[nodiscard]] Time wall() const;

  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] FaultPlan& faults() { return faults_; }
  [[nodiscard]] const FaultPlan& faults() const { return faults_; }
  [[nodiscard]] const FaultRates& rates() const;  // of now: none when the plan has ended
  [[nodiscard]] bool faulty() const { return faults_.active(now()); }

  // A number that is given once, from 1.
  [[nodiscard]] std::uint64_t unique() { return ++uniques_; }
  // Enters into the digest, with the time.
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
