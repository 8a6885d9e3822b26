// How each of Penstock's topics must be configured: `topics create` establishes it, `topics check`
// and a starting worker compare with it. docs/operations.md lists the topics. Pure.
//
// A topic has rules (settings that Penstock's promises depend on: they are compared, and repaired
// when they deviate) and defaults (settings that are merely a good start: applied at creation, then
// left to the operator).
#pragma once

#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/names.h"
#include "topics/values/result.h"

namespace penstock {

// Kafka's max.message.bytes counts a record's headers and the overhead of its batch too.
inline constexpr int kQueueMessageBytes = (2 << 20) + (64 << 10);  // records of 2 MiB
// Leaves room for the headers that give the reason.
inline constexpr int kDeadMessageBytes = kQueueMessageBytes + (64 << 10);
inline constexpr int kStateMessageBytes = 8 << 20;  // the largest commit
inline constexpr int kMaxReplicas = 3;

enum class SettingRule : std::uint8_t { kExactly, kAtLeast };

struct TopicSetting {
  std::string name;
  std::string value;
  SettingRule rule;
  std::string endangers;  // what goes wrong if the rule is broken
};

struct TopicSpec {
  std::string name;
  int partitions;
  int replication;
  std::vector<TopicSetting> rules;
  std::vector<TopicProperty> defaults;
  std::string partitions_fix;  // what to do about a wrong partition count
  std::string create_command;  // the command that creates and repairs this topic
};

struct QueueTopicOptions {
  int partitions;
  int replication;
};

// As many replicas as there are brokers, but at most kMaxReplicas.
[[nodiscard]] int replication_for(int brokers);

// The queue's own topic, and its state, dead and events topics.
[[nodiscard]] std::vector<TopicSpec> queue_topic_specs(const QueueNames& names,
                                                       const QueueTopicOptions& options);
// The control topic and the slots topics, which all queues of a prefix share.
[[nodiscard]] std::vector<TopicSpec> shared_topic_specs(std::string_view prefix, int replication);

// The argument for Log::create().
[[nodiscard]] TopicSettings settings_of(const TopicSpec& spec);

}  // namespace penstock
