#include "consumer/loop/loop_trouble.h"

namespace penstock {

void LoopTrouble::look_if_due(const Partitions& partitions, Instant now) {
  if (now < look_at_) return;
  look_at_ = now + kLookEvery;
  undelivered_.begin();
  text_.clear();
  for (const auto& [partition, held] : partitions.all()) {
    if (held.tenure) undelivered_.add(held.tenure->outbox());
    const std::string reason = held.reclaim.trouble(held.tenure && held.tenure->runs(), now);
    if (text_.empty() && !reason.empty()) text_ = partition_name(queue_, partition) + ": " + reason;
  }
  undelivered_.end([this](const std::string& text) { host_.notice(queue_ + ": " + text); });
  // A partition that does not work at all is the more urgent trouble.
  if (text_.empty() && !undelivered_.topics().empty()) text_ = queue_ + ": " + undelivered_.text();
}

}  // namespace penstock
