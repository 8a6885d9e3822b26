#include "cli/program/stoppable_wait.h"

#include <utility>

namespace penstock {

StoppableWait::StoppableWait(std::function<void()> on_stop) {
  signals_.on_first([this, also = std::move(on_stop)] {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    }
    if (also) also();
  });
}

bool StoppableWait::wait(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, at_most, [this] { return stopped_; });
}

bool StoppableWait::stopped() {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

}  // namespace penstock
