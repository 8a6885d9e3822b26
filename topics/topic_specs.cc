#include "topics/topic_specs.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr std::string_view kSevenDaysMs = "604800000";
constexpr std::string_view kThirtyDaysMs = "2592000000";

TopicSetting exactly(std::string name, std::string value, std::string endangers) {
  return {std::move(name), std::move(value), SettingRule::kExactly, std::move(endangers)};
}

TopicSetting at_least(std::string name, int value, std::string endangers) {
  return {std::move(name), std::to_string(value), SettingRule::kAtLeast, std::move(endangers)};
}

std::vector<TopicSetting> safety_rules(int replication) {
  std::vector<TopicSetting> rules = {
      exactly("unclean.leader.election.enable", "false",
              "a broker that missed records may become leader, and acknowledged jobs are lost")};
  // With fewer replicas, requiring two of them would stop every write as soon as one broker is
  // down.
  if (replication >= kMaxReplicas) {
    rules.push_back(
        at_least("min.insync.replicas", 2, "one broker alone may acknowledge a job and lose it"));
  }
  return rules;
}

TopicSpec spec(std::string name, int partitions, int replication, std::string create_command) {
  TopicSpec spec;
  spec.partitions_fix =
      "kafka-topics.sh --alter --topic " + name + " --partitions " + std::to_string(partitions) +
      " (more are only ever added; if it has too many, delete it and run `" + create_command + "`)";
  spec.name = std::move(name);
  spec.partitions = partitions;
  spec.replication = replication;
  spec.rules = safety_rules(replication);
  spec.create_command = std::move(create_command);
  return spec;
}

void add_deleting(TopicSpec& spec, std::string_view retention_ms) {
  spec.rules.push_back(exactly("cleanup.policy", "delete",
                               "compaction keeps one record per account and loses the others"));
  spec.defaults.push_back({"retention.ms", std::string(retention_ms)});
}

void add_state_rules(TopicSpec& spec) {
  const std::string lost = "Kafka removes state that is still needed, and jobs are lost";
  spec.rules.push_back(exactly("cleanup.policy", "delete",
                               "compaction removes commits, and the state cannot be restored"));
  spec.rules.push_back(exactly("retention.ms", "-1", lost));
  spec.rules.push_back(exactly("retention.bytes", "-1", lost));
  spec.rules.push_back(
      exactly("message.timestamp.type", "LogAppendTime",
              "a new owner cannot tell when the previous owner's lease has ended, and "
              "two attempts of one account may overlap"));
  spec.rules.push_back(at_least("max.message.bytes", kStateMessageBytes,
                                "a large commit is refused, and its partition stops"));
}

// A partition count that a state depends on cannot be changed: accounts would change partitions.
std::string pinned_count(std::string_view configured_at) {
  return "set " + std::string(configured_at) +
         " to the count that the topic has, or move to a queue with another name and the count "
         "you want";
}

TopicSpec queue_spec(const QueueNames& names, const QueueTopicOptions& options,
                     const std::string& command) {
  TopicSpec queue = spec(names.topic(), options.partitions, options.replication, command);
  queue.partitions_fix = pinned_count("/queues/" + names.queue() + "/partitions");
  add_deleting(queue, kSevenDaysMs);
  queue.rules.push_back(at_least("max.message.bytes", kQueueMessageBytes,
                                 "a job that is too large reaches nobody, not the dead topic"));
  return queue;
}

TopicSpec state_spec(const QueueNames& names, const QueueTopicOptions& options,
                     const std::string& command) {
  TopicSpec state = spec(names.state_topic(), options.partitions, options.replication, command);
  state.partitions_fix = pinned_count("/queues/" + names.queue() + "/partitions");
  add_state_rules(state);
  return state;
}

}  // namespace

int replication_for(int brokers) { return std::clamp(brokers, 1, kMaxReplicas); }

std::vector<TopicSpec> queue_topic_specs(const QueueNames& names,
                                         const QueueTopicOptions& options) {
  const std::string command = "penstock topics create " + names.queue();
  TopicSpec dead = spec(names.dead_topic(), options.partitions, options.replication, command);
  add_deleting(dead, kThirtyDaysMs);
  dead.rules.push_back(at_least("max.message.bytes", kDeadMessageBytes,
                                "a large bad record cannot be put aside and blocks its partition"));
  TopicSpec events = spec(names.events_topic(), options.partitions, options.replication, command);
  add_deleting(events, kSevenDaysMs);
  return {queue_spec(names, options, command), state_spec(names, options, command), std::move(dead),
          std::move(events)};
}

std::vector<TopicSpec> shared_topic_specs(std::string_view prefix, int replication) {
  const std::string command = "penstock topics create";
  TopicSpec control = spec(control_topic(prefix), 1, replication, command);
  control.partitions_fix = "stop the workers, delete the topic, and run `" + command +
                           "`; limits and pauses that were set at run time must be set again";
  control.rules.push_back(exactly("cleanup.policy", "compact",
                                  "limits and pauses that were set at run time are forgotten"));
  TopicSpec slots = spec(slots_topic(prefix), kSlotsPartitions, replication, command);
  add_deleting(slots, kSevenDaysMs);
  TopicSpec slots_state = spec(slots_state_topic(prefix), kSlotsPartitions, replication, command);
  add_state_rules(slots_state);
  slots.partitions_fix = slots_state.partitions_fix =
      "stop the workers, delete both slots topics, and run `" + command + "`";
  return {std::move(control), std::move(slots), std::move(slots_state)};
}

TopicSettings settings_of(const TopicSpec& spec) {
  TopicSettings settings{spec.name, spec.partitions, spec.replication, spec.defaults};
  for (const TopicSetting& rule : spec.rules) settings.config.push_back({rule.name, rule.value});
  return settings;
}

}  // namespace penstock
