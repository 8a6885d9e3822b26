// Loop: which partitions it owns, according to the group or, if the group does not know, to the
// log.
#include <utility>

#include "consumer/loop/loop.h"

namespace penstock {

// The counts were equal at the start, so the topic has changed since.
std::string Loop::grown(PartitionId partition) const {
  const std::string count = std::to_string(options_.queue.partitions);
  return "the queue \"" + options_.queue.name + "\" has " + count +
         " partitions, but its topic has a partition " + std::to_string(partition) +
         ": partitions were added while workers ran. Its accounts would change partitions, and "
         "their jobs run twice, out of order or not at all. A topic cannot lose partitions: create "
         "a new queue, and send the waiting jobs there";
}

void Loop::on_assigned(std::span<const PartitionId> partitions) {
  assigned_ = true;
  const bool after_loss = std::exchange(lost_, false);
  for (const PartitionId partition : partitions) {
    if (partition >= options_.queue.partitions) return refuse(grown(partition), now_);
    const auto [found, is_new] = slots_.try_emplace(partition);
    Slot& slot = found->second;
    slot.revoked = slot.unconfirmed = false;
    if (slot.tenure || stop_until_) continue;
    if (is_new && after_loss) {
      slot.reclaim.waits(now_.boot + kYieldAfterLoss);
    } else {
      slot.claims = true;
    }
  }
  release_unconfirmed();
}

// The group has assigned the partitions, and these are not ours.
void Loop::release_unconfirmed() {
  for (auto& [partition, slot] : slots_) {
    if (!std::exchange(slot.unconfirmed, false)) continue;
    slot.revoked = true;
    if (slot.tenure) slot.tenure->leave(now_.boot + options_.grace);
  }
}

void Loop::on_revoked(std::span<const PartitionId> partitions) {
  for (const PartitionId partition : partitions) {
    const auto found = slots_.find(partition);
    if (found == slots_.end()) {
      session_.finish_revoke(partition);
      continue;
    }
    found->second.revoked = true;
    if (found->second.tenure) found->second.tenure->leave(now_.boot + options_.grace);
  }
}

// After an absence longer than their session, the members of a group are unknown to it, and it
// waits for one of their sessions before it assigns the partitions to anybody. Meanwhile the log
// shows whether another worker has claimed the partition; until one has, this worker continues
// (docs/decisions/working-through-a-lost-session.md).
void Loop::on_lost(std::span<const PartitionId> partitions) {
  lost_ = true;
  for (const PartitionId partition : partitions) {
    const auto found = slots_.find(partition);
    if (found == slots_.end()) continue;
    Slot& slot = found->second;
    if (slot.tenure) {
      slot.tenure->lose("the group has dropped this worker");
      end_slot(partition, slot);
    }
    if (slot.revoked || stop_until_) {
      slots_.erase(found);
      continue;
    }
    slot.unconfirmed = true;
    slot.asking = slot.claims = false;
  }
}

void Loop::on_membership(PartitionId partition, bool held) {
  const auto found = slots_.find(partition);
  if (found == slots_.end()) return;
  Slot& slot = found->second;
  slot.asking = false;
  if (slot.tenure || slot.revoked || stop_until_) return;
  slot.claims = held;
  if (!held) slot.reclaim.denied(now_.boot);
}

void Loop::on_group_offset(PartitionId partition, const Result<std::optional<Offset>>& offset) {
  if (Tenure* const at = tenure(partition)) at->on_group_offset(offset, now_);
}

}  // namespace penstock
