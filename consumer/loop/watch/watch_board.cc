#include "consumer/loop/watch/watch_board.h"

#include <utility>

namespace penstock {

void WatchBoard::tell(std::size_t job, WatchedChange change) {
  const std::lock_guard lock(mutex_);
  changes_[job].push_back(std::move(change));
  changed_.notify_all();
}

bool WatchBoard::wait(std::chrono::steady_clock::time_point until,
                      const std::function<bool(const Changes&)>& enough) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [&] { return enough(changes_); });
}

WatchBoard::Changes WatchBoard::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

}  // namespace penstock
