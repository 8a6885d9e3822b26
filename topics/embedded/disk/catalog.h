// The topics with their settings and partitions. Once created, a topic stays at the same address as
// long as the log is open. Everything here may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "topics/embedded/disk/partition.h"
#include "topics/embedded/disk/rows.h"
#include "topics/embedded/disk/store.h"
#include "topics/values/result.h"

namespace penstock::embedded {

// The topic properties that the embedded log acts on, with Kafka's names: retention.ms,
// retention.bytes, segment.bytes, cleanup.policy (`delete` or `compact`, which keeps everything
// here) and max.message.bytes. It stores and describes the others.
struct TopicRules {
  Retention retention;
  std::size_t max_message_bytes = 1048588;  // Kafka's default
};

[[nodiscard]] Result<TopicRules> parse_rules(const std::vector<TopicProperty>& config);

class Topic {
 public:
  Topic(TopicRow row, TopicRules rules, std::vector<std::unique_ptr<Partition>> partitions);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] TopicUuid uuid() const { return uuid_; }
  [[nodiscard]] int partition_count() const { return static_cast<int>(partitions_.size()); }
  // Null if there is no such partition.
  [[nodiscard]] Partition* partition(PartitionId id) const;
  [[nodiscard]] std::size_t max_message_bytes() const { return max_message_bytes_; }

  [[nodiscard]] TopicRules rules() const;
  [[nodiscard]] TopicRow row() const;
  void change(TopicRow row, TopicRules rules);

 private:
  void apply_rules();

  const std::string name_;
  const TopicUuid uuid_;
  const std::vector<std::unique_ptr<Partition>> partitions_;
  std::atomic<std::size_t> max_message_bytes_;
  mutable std::mutex mutex_;
  TopicRow row_;
  TopicRules rules_;
};

class Catalog {
 public:
  explicit Catalog(Store& store) : store_(store) {}

  [[nodiscard]] Status load();
  [[nodiscard]] Status create(const TopicSettings& settings);
  [[nodiscard]] Status configure(const std::string& topic,
                                 const std::vector<TopicProperty>& config);
  // Null if there is no such topic.
  [[nodiscard]] Topic* find(std::string_view name) const;
  [[nodiscard]] std::vector<Topic*> all() const;

 private:
  [[nodiscard]] Status load_topic(TopicRow row);

  Store& store_;
  // Also held while a topic's row is written, so that changes are applied in order.
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Topic>, std::less<>> topics_;
  std::uint32_t next_id_ = 1;
};

}  // namespace penstock::embedded
