// The Log for a worker on a simulated host. Its administrative calls take effect at once, without
// the network. Belongs to the simulator's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/cluster.h"
#include "topics/simulated/session/session.h"

namespace penstock {

class SimulatedLog final : public Log {
 public:
  // Keeps references to both.
  SimulatedLog(SimulatedCluster& cluster, SimulatedHost& host) : cluster_(&cluster), host_(&host) {}

  // For the sessions that are opened from now on.
  void on_ready(SimulatedSession::OnReady hook) { on_ready_ = std::move(hook); }

  [[nodiscard]] Result<std::unique_ptr<LogSession>> open(const SessionOptions& options) override;
  [[nodiscard]] Status create(const TopicSettings& topic) override;
  [[nodiscard]] Status configure(const std::string& topic,
                                 const std::vector<TopicProperty>& config) override;
  [[nodiscard]] Result<TopicDescription> describe(const std::string& topic) override;
  [[nodiscard]] Result<int> broker_count() override;
  [[nodiscard]] Result<std::vector<OffsetsAt>> offsets_at(const std::string& topic,
                                                          Time at) override;

 private:
  SimulatedCluster* cluster_;
  SimulatedHost* host_;
  SimulatedSession::OnReady on_ready_;
};

}  // namespace penstock
