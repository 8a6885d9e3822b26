// The names of what Penstock keeps in Kafka (SPEC section 3): topics, consumer groups, and the
// identity that a job without id gets.
//
// Which queue names are good, so that no two topics of one prefix can meet and every name fits:
//  - 1 or more of A-Za-z0-9._-, and neither "control" nor "slots";
//  - not ending in ".state", ".dead" or ".events";
//  - "<prefix>.<queue>" has at most kMaxQueueTopicBytes: room for the longest suffix within Kafka's
//  249, and
//    for "/<partition>/<offset>" within the 255 bytes of a derived id.
// A prefix is 1 or more of the same letters. (Kafka itself refuses a topic whose name differs from
// another's only in '.' and '_'. Prefixes "a" and "a.b" on one Kafka may meet; choosing them is the
// operator's matter.)
#pragma once

#include <string>
#include <string_view>

#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr std::size_t kMaxTopicBytes = 249;  // Kafka's
inline constexpr std::size_t kMaxQueueTopicBytes = 224;
inline constexpr int kSlotsPartitions = 12;
inline constexpr std::string_view kSlotsQueue =
    "slots";  // no queue, but named like one: topic, state, group

[[nodiscard]] Status check_prefix(std::string_view prefix);
[[nodiscard]] Status check_queue_name(std::string_view prefix, std::string_view queue);

// The names that belong to one queue. `prefix` and `queue` have passed check_queue_name.
class QueueNames {
 public:
  // Of a queue, or of kSlotsQueue.
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

// Whether a task takes what is sent there, in order and once (the topics of queues and of slots);
// otherwise whoever reads it (dead and events topics).
[[nodiscard]] bool has_task(std::string_view topic);

// The names that all queues of a prefix share.
[[nodiscard]] std::string control_topic(std::string_view prefix);
[[nodiscard]] std::string slots_topic(std::string_view prefix);
[[nodiscard]] std::string slots_state_topic(std::string_view prefix);

// "<topic>/<partition>/<offset>": the id of a job whose record gives none, and where a dead record
// first lay.
[[nodiscard]] std::string place_name(std::string_view topic, PartitionId partition, Offset offset);

}  // namespace penstock
