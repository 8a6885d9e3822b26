// The names that Penstock uses in Kafka: topics, consumer groups, and the identity of a job whose
// record gives no id. Pure functions; QueueNames is an immutable value.
//
// A valid queue name never collides with another topic of the same prefix, and leaves room for
// every name that is derived from it:
// - It consists of one or more of A-Za-z0-9._- and is neither "control" nor "slots".
// - It does not end in ".state", ".dead" or ".events".
// - "<prefix>.<queue>" has at most kMaxQueueTopicBytes, which leaves room for the longest suffix
//   within Kafka's limit of 249 bytes, and for "/<partition>/<offset>" within the 255 bytes of a
//   derived id.
//
// A prefix is one or more of the same characters. Kafka itself refuses two topics whose names
// differ only in '.' and '_'. Prefixes such as "a" and "a.b" may collide in one Kafka cluster;
// choosing them is up to the operator.
#pragma once

#include <string>
#include <string_view>

#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr std::size_t kMaxTopicBytes = 249;  // Kafka's limit
inline constexpr std::size_t kMaxQueueTopicBytes = 224;
inline constexpr int kSlotsPartitions = 12;
// Not a queue, but its topics and its group are named like a queue's.
inline constexpr std::string_view kSlotsQueue = "slots";

[[nodiscard]] Status check_prefix(std::string_view prefix);
[[nodiscard]] Status check_queue_name(std::string_view prefix, std::string_view queue);

// The names that belong to one queue or to kSlotsQueue. `prefix` and `queue` must have passed
// check_queue_name().
class QueueNames {
 public:
  QueueNames(std::string_view prefix, std::string_view queue);

  [[nodiscard]] const std::string& queue() const { return queue_; }
  [[nodiscard]] const std::string& topic() const { return topic_; }
  [[nodiscard]] std::string state_topic() const { return topic_ + ".state"; }
  [[nodiscard]] std::string dead_topic() const { return topic_ + ".dead"; }
  [[nodiscard]] std::string events_topic() const { return topic_ + ".events"; }
  [[nodiscard]] const std::string& group() const { return topic_; }

 private:
  std::string queue_;
  std::string topic_;
};

// True for the topics of queues and of slots, whose tasks accept each message once and in order.
// False for dead and events topics, which anybody may read.
[[nodiscard]] bool has_task(std::string_view topic);

// The names that all queues of a prefix share.
[[nodiscard]] std::string control_topic(std::string_view prefix);
[[nodiscard]] std::string slots_topic(std::string_view prefix);
[[nodiscard]] std::string slots_state_topic(std::string_view prefix);

// "<topic>/<partition>/<offset>": the id of a job whose record gives none, and the place where a
// dead record was first stored.
[[nodiscard]] std::string place_name(std::string_view topic, PartitionId partition, Offset offset);

}  // namespace penstock
