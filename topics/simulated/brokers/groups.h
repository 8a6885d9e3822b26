// The consumer groups of a simulated cluster; each consumes one topic. Belongs to the simulator's
// thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/brokers/group.h"
#include "topics/simulated/world/world.h"

namespace penstock::simulated {

class Groups {
 public:
  explicit Groups(World& world) : world_(&world) {}
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  // Creates the group if there is none. A group is never moved.
  [[nodiscard]] Group& of(std::string_view name, std::string_view topic, int partitions);
  [[nodiscard]] std::vector<Group*> all();
  [[nodiscard]] std::optional<Offset> committed(std::string_view name, std::string_view topic,
                                                PartitionId partition) const;
  // Removes a group's committed offsets, as Kafka does when the group's topic is deleted.
  void forget_offsets(std::string_view name);

 private:
  World* world_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Group>, std::less<>> groups_;
};

}  // namespace penstock::simulated
