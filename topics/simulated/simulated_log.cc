#include "topics/simulated/simulated_log.h"

namespace penstock {

Result<std::unique_ptr<LogSession>> SimulatedLog::open(const SessionOptions& options) {
  if (!host_->up()) return failure("the simulated host is down: restart it first");
  return std::make_unique<SimulatedSession>(cluster_->world(), cluster_->brokers(), *host_, options,
                                            on_ready_);
}

Status SimulatedLog::create(const TopicSettings& topic) { return cluster_->create(topic); }

Status SimulatedLog::configure(const std::string& topic, const std::vector<TopicProperty>& config) {
  return cluster_->brokers().topics().configure(topic, config);
}

Result<TopicDescription> SimulatedLog::describe(const std::string& topic) {
  return cluster_->brokers().topics().describe(topic);
}

Result<int> SimulatedLog::broker_count() { return cluster_->world().options().brokers; }

}  // namespace penstock
