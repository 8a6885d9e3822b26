#include "topics/simulated/brokers/topics.h"

#include <algorithm>

#include "topics/simulated/brokers/properties.h"
#include "topics/values/check.h"

namespace penstock::simulated {

Status Topics::create(const TopicSettings& settings) {
  if (topics_.contains(settings.name))
    return failure("topic " + settings.name +
                   " already exists: describe it, or choose another name");
  if (settings.partitions < 1 || static_cast<std::size_t>(settings.partitions) > kMaxPartitions)
    return failure("topic " + settings.name + " needs 1 to " + std::to_string(kMaxPartitions) +
                   " partitions");
  if (settings.replication < 1 || settings.replication > world_->options().brokers)
    return failure("topic " + settings.name + " needs a replication of 1 to " +
                   std::to_string(world_->options().brokers) + ", the number of brokers");
  if (const Status checked = check_properties(settings.config); !checked) return checked;
  Topic& topic = topics_[settings.name];
  topic.settings = settings;
  add_partitions(topic);
  return {};
}

void Topics::add_partitions(Topic& topic) {
  const TopicSettings& settings = topic.settings;
  const TopicUuid uuid{world_->options().seed + 1, ++topics_made_};
  for (PartitionId id = 0; id < settings.partitions; ++id) {
    topic.partitions.push_back(std::make_unique<Partition>(
        settings.name, id, log_append_time(settings.config), max_message_bytes(settings.config)));
    topic.partitions.back()->set_topic_uuid(uuid);
    // Without faults, the clocks of all brokers are right.
    if (!world_->faulty()) continue;
    const auto skew =
        static_cast<std::int64_t>(world_->random().below(2 * kMaxSkewMs + 1)) - kMaxSkewMs;
    topic.partitions.back()->lead(Duration(skew), {});
  }
}

void Topics::recreate(const std::string& name) {
  const auto found = topics_.find(name);
  PENSTOCK_CHECK(found != topics_.end(), "the topic has been created");
  auto before = std::exchange(found->second.partitions, {});
  add_partitions(found->second);
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i]->replace_with(*found->second.partitions[i]);
    // A fetch that waits for a record here must find that its topic is gone.
    for (const auto& wake : before[i]->take_waiting()) wake();
    deleted_.push_back(std::move(before[i]));
  }
}

Status Topics::configure(const std::string& name, const std::vector<TopicProperty>& config) {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return failure("topic " + name + " does not exist: create it first");
  if (const Status checked = check_properties(config); !checked) return checked;
  auto& properties = found->second.settings.config;
  for (const TopicProperty& wanted : config) {
    const auto same =
        std::find_if(properties.begin(), properties.end(),
                     [&](const TopicProperty& there) { return there.name == wanted.name; });
    if (same == properties.end())
      properties.push_back(wanted);
    else
      same->value = wanted.value;
  }
  for (auto& partition : found->second.partitions)
    partition->configure(log_append_time(properties), max_message_bytes(properties));
  return {};
}

TopicDescription Topics::describe(const std::string& name) const {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return {.name = name, .exists = false, .config = {}};
  const TopicSettings& settings = found->second.settings;
  return {name, true, settings.partitions, settings.replication, settings.config};
}

Partition* Topics::find(std::string_view name, PartitionId partition) {
  const auto found = topics_.find(name);
  if (found == topics_.end() || partition < 0) return nullptr;
  auto& partitions = found->second.partitions;
  const auto index = static_cast<std::size_t>(partition);
  return index < partitions.size() ? partitions[index].get() : nullptr;
}

int Topics::partition_count(std::string_view name) const {
  const auto found = topics_.find(name);
  return found == topics_.end() ? 0 : found->second.settings.partitions;
}

const Partition& Topics::partition(std::string_view topic, PartitionId partition) const {
  const auto found = topics_.find(topic);
  PENSTOCK_CHECK(found != topics_.end(), "the topic has been created");
  return *found->second.partitions.at(static_cast<std::size_t>(partition));
}

std::vector<Partition*> Topics::partitions() {
  std::vector<Partition*> all;
  for (auto& [name, topic] : topics_)
    for (auto& partition : topic.partitions) all.push_back(partition.get());
  return all;
}

Offset Topics::enter(Partition& partition, const Payload& payload) {
  const Time time =
      partition.log_append_time() ? world_->wall() + partition.skew() : payload.created();
  const Offset offset = partition.append(payload, time);
  payload.set_entered();
  // For the history, by which two runs are compared.
  world_->note(payload.digest());
  world_->note(static_cast<std::uint64_t>(to_ms(time)) * 31 +
               static_cast<std::uint64_t>(offset.value));
  if (on_append_) on_append_(partition.topic(), partition.id(), partition.at(offset));
  for (const auto& wake : partition.take_waiting()) wake();
  return offset;
}

}  // namespace penstock::simulated
