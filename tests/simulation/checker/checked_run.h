// A run as all parts of the checker know it: its settings and its cluster, the rules and the first
// violation, the model of the queue's topic, and the one honoured history of each partition. One
// thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/input_model.h"
#include "tests/simulation/reference.h"
#include "tests/simulation/rules.h"
#include "tests/simulation/settings.h"
#include "topics/simulated/cluster.h"

namespace penstock::simulation {

class CheckedRun {
 public:
  CheckedRun(const Settings& settings, SimulatedCluster& cluster);

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const SimulatedCluster& cluster() const { return cluster_; }
  [[nodiscard]] Rules& rules() { return rules_; }
  [[nodiscard]] const Rules& rules() const { return rules_; }
  [[nodiscard]] InputModel& model() { return model_; }

  // Of the queue's partitions.
  [[nodiscard]] Reference& reference(PartitionId partition) const {
    return *references_[static_cast<std::size_t>(partition)];
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Reference>>& references() const {
    return references_;
  }
  // Of the slots topic's.
  [[nodiscard]] Reference& owner(PartitionId partition) const {
    return *owners_[static_cast<std::size_t>(partition)];
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Reference>>& owners() const { return owners_; }

  // A repeat may be another job, if the window was over by then.
  [[nodiscard]] bool may_be_forgotten(const Job& job) const {
    return settings_.short_window && job.repeats > 0;
  }

  // For the trace.
  void on_say(std::function<void(const std::string&)> say) { say_ = std::move(say); }
  void say(const std::string& text) const {
    if (say_) say_(text);
  }

 private:
  const Settings& settings_;
  SimulatedCluster& cluster_;
  Rules rules_;
  InputModel model_;
  std::vector<std::unique_ptr<Reference>> references_, owners_;
  std::function<void(const std::string&)> say_;
};

}  // namespace penstock::simulation
