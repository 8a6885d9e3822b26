#include "topics/simulated/brokers/groups.h"

namespace penstock::simulated {

Group& Groups::of(std::string_view name, std::string_view topic, int partitions) {
  auto& group = groups_[{std::string(name), std::string(topic)}];
  if (!group) group = std::make_unique<Group>(*world_, partitions);
  return *group;
}

std::vector<Group*> Groups::all() {
  std::vector<Group*> all;
  for (auto& [name, group] : groups_) all.push_back(group.get());
  return all;
}

std::optional<Offset> Groups::committed(std::string_view name, std::string_view topic,
                                        PartitionId partition) const {
  const auto found = groups_.find({std::string(name), std::string(topic)});
  return found == groups_.end() ? std::nullopt : found->second->committed(partition);
}

void Groups::forget_offsets(std::string_view name) {
  for (auto& [key, group] : groups_) {
    if (key.first == name) group->forget_offsets();
  }
}

}  // namespace penstock::simulated
