#include "consumer/loop/partitions/open_stores.h"

namespace penstock {

bool OpenStores::open(const std::string& topic, PartitionId partition, std::size_t loop) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = holders_.try_emplace({topic, partition}, Holder{loop});
  if (is_new || found->second.loop == loop) return true;
  found->second.wanted = true;
  return false;
}

void OpenStores::close(const std::string& topic, PartitionId partition) {
  const std::lock_guard lock(mutex_);
  holders_.erase({topic, partition});
}

bool OpenStores::is_wanted(const std::string& topic, PartitionId partition) const {
  const std::lock_guard lock(mutex_);
  const auto found = holders_.find({topic, partition});
  return found != holders_.end() && found->second.wanted;
}

}  // namespace penstock
