#include "topics/simulated/simulated_log.h"

namespace penstock {

Result<std::unique_ptr<LogSession>> SimulatedLog::open(const SessionOptions& options) {
  if (!host_->up()) return failure("the simulated host is down: restart it first");
  return std::make_unique<SimulatedSession>(*cluster_, *host_, options, on_ready_);
}

Status SimulatedLog::create(const TopicSettings& topic) { return cluster_->create(topic); }

Status SimulatedLog::configure(const std::string& topic, const std::vector<TopicProperty>& config) {
  return cluster_->configure(topic, config);
}

Result<TopicDescription> SimulatedLog::describe(const std::string& topic) {
  return cluster_->describe(topic);
}

Result<int> SimulatedLog::broker_count() { return cluster_->options().brokers; }

}  // namespace penstock
