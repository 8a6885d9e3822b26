// How each of Penstock's topics must be set (SPEC section 3): what `topics create` makes and mends,
// and what `topics check` and the start of a worker compare with.
//
// A topic is given settings that matter to what Penstock promises (rules: compared, and mended when
// they deviate) and settings that are only a good start (defaults: given at creation, then the
// operator's).
#pragma once

#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/names.h"
#include "topics/values/result.h"

namespace penstock {

// Kafka's max.message.bytes counts a record with its headers and its batch's frame.
inline constexpr int kQueueMessageBytes = (2 << 20) + (64 << 10);  // records of 2 MiB
inline constexpr int kDeadMessageBytes =
    kQueueMessageBytes + (64 << 10);                // and the reason's headers
inline constexpr int kStateMessageBytes = 8 << 20;  // the largest commit
inline constexpr int kMostReplicas = 3;

enum class SettingRule : std::uint8_t { kExactly, kAtLeast };

struct TopicSetting {
  std::string name;
  std::string value;
  SettingRule rule;
  std::string endangers;  // what goes wrong otherwise
};

struct TopicSpec {
  std::string name;
  int partitions;
  int replication;
  std::vector<TopicSetting> rules;
  std::vector<TopicProperty> defaults;
  std::string partitions_mend;  // what to do about a wrong partition count
  std::string create_command;   // the command that makes and mends this topic
};

struct QueueTopicOptions {
  int partitions;
  int replication;
};

// As many replicas as there are brokers, at most kMostReplicas.
[[nodiscard]] int replication_for(int brokers);

// The queue's own topic, and its state, dead and events topics.
[[nodiscard]] std::vector<TopicSpec> queue_topic_specs(const QueueNames& names,
                                                       const QueueTopicOptions& options);
// The control topic and the slots topics, which all queues of a prefix share.
[[nodiscard]] std::vector<TopicSpec> shared_topic_specs(std::string_view prefix, int replication);

// What Log::create takes.
[[nodiscard]] TopicSettings settings_of(const TopicSpec& spec);

}  // namespace penstock
