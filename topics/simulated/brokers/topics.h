// The topics of a simulated cluster, their partitions, and all records in them or on the way to
// them. No memory is freed before the cluster is destroyed. Belongs to the simulator's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/brokers/partition.h"
#include "topics/simulated/world/world.h"

namespace penstock::simulated {

inline constexpr std::size_t kMaxPartitions = 10'000;  // per topic

class Topics {
 public:
  using OnAppend = std::function<void(const std::string& topic, PartitionId, const LogRecord&)>;

  explicit Topics(World& world) : world_(&world) {}
  Topics(const Topics&) = delete;
  Topics& operator=(const Topics&) = delete;

  [[nodiscard]] Status create(const TopicSettings& topic);
  [[nodiscard]] Status configure(const std::string& topic,
                                 const std::vector<TopicProperty>& config);
  [[nodiscard]] TopicDescription describe(const std::string& topic) const;
  // Deletes a topic and creates it again with the same settings, empty and with another id.
  void recreate(const std::string& topic);

  // 0 if there is no such topic.
  [[nodiscard]] int partition_count(std::string_view topic) const;
  // Null if there is none.
  [[nodiscard]] Partition* find(std::string_view topic, PartitionId partition);
  // The topic must have been created.
  [[nodiscard]] const Partition& partition(std::string_view topic, PartitionId partition) const;
  [[nodiscard]] std::vector<Partition*> partitions();

  // Neither is ever moved.
  [[nodiscard]] const Payload& keep(const NewRecord& record, Time created) {
    return payloads_.emplace_back(record, created);
  }
  [[nodiscard]] const Batch& keep(Batch batch) { return batches_.emplace_back(std::move(batch)); }
  // Appends, and wakes the requests that wait for a record.
  Offset enter(Partition& partition, const Payload& payload);
  // Called for every record that is appended to any log, in order.
  void on_append(OnAppend hook) { on_append_ = std::move(hook); }

 private:
  struct Topic {
    TopicSettings settings;
    std::vector<std::unique_ptr<Partition>> partitions;
  };

  void add_partitions(Topic& topic);

  World* world_;
  std::map<std::string, Topic, std::less<>> topics_;
  std::vector<std::unique_ptr<Partition>> deleted_;  // requests for them may still be in flight
  std::uint64_t topics_made_ = 0;
  std::deque<Payload> payloads_;
  std::deque<Batch> batches_;
  OnAppend on_append_;
};

}  // namespace penstock::simulated
