#include "consumer/worker/refusals.h"

namespace penstock {

void Refusals::add(const std::string& queue, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  // The first reason stays: those of the queue's other loops follow from it.
  reasons_.try_emplace(queue, reason);
}

std::string Refusals::reason_of(std::string_view queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = reasons_.find(queue);
  return found == reasons_.end() ? std::string() : found->second;
}

std::string Refusals::text() const {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const auto& [queue, reason] : reasons_) {
    if (!all.empty()) all += "; ";
    all += "the queue \"" + queue + "\" has stopped: " + reason;
  }
  return all;
}

}  // namespace penstock
