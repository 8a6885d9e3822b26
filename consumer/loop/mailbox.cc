#include "consumer/loop/mailbox.h"

#include <utility>

namespace penstock {

void LoopMailbox::post(HandlerMessage message) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    // The first post wakes the loop, which then drains everything.
    first = posted_.messages.empty() && posted_.calls.empty();
    posted_.messages.push_back(std::move(message));
  }
  if (first) wake_();
}

void LoopMailbox::call(Call call) {
  {
    const std::lock_guard lock(mutex_);
    posted_.calls.push_back(std::move(call));
  }
  wake_();
}

void LoopMailbox::drain(Posted& taken) {
  taken.messages.clear();
  taken.calls.clear();
  const std::lock_guard lock(mutex_);
  // The vectors change places, so that their memory is used again by the next posts.
  std::swap(taken, posted_);
}

}  // namespace penstock
