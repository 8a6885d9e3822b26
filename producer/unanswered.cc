#include "producer/unanswered.h"

#include <iterator>

namespace penstock {

std::unique_ptr<Unanswered> Unanswered::of(Ticket ticket) {
  return std::unique_ptr<Unanswered>(
      reinterpret_cast<Unanswered*>(static_cast<std::uintptr_t>(ticket)));
}

std::unique_ptr<Unanswered> UnansweredPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      auto taken = std::move(spare_.back());
      spare_.pop_back();
      return taken;
    }
  }
  return std::make_unique<Unanswered>();
}

void UnansweredPool::give_back(std::vector<std::unique_ptr<Unanswered>>& answered) {
  if (answered.empty()) return;
  const std::lock_guard lock(mutex_);
  spare_.insert(spare_.end(), std::make_move_iterator(answered.begin()),
                std::make_move_iterator(answered.end()));
  answered.clear();
}

}  // namespace penstock
