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

Result<std::vector<OffsetsAt>> SimulatedLog::offsets_at(const std::string& topic, Time at) {
  simulated::Topics& topics = cluster_->brokers().topics();
  if (topics.partition_count(topic) == 0)
    return failure("topic " + topic + " does not exist: create it first");
  std::vector<OffsetsAt> offsets;
  for (PartitionId id = 0; id < topics.partition_count(topic); ++id) {
    const simulated::Partition& partition = topics.partition(topic, id);
    Offset first = partition.start();
    while (first < partition.end() && partition.at(first).timestamp < at) first = first.next();
    offsets.push_back({{partition.start(), partition.end(), partition.topic_uuid()}, first});
  }
  return offsets;
}

}  // namespace penstock
