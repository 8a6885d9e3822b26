#include "consumer/loop/mailbox.h"

namespace penstock {

void LoopMailbox::post(HandlerMessage message) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = messages_.empty() && calls_.empty();
    messages_.push_back(std::move(message));
  }
  if (first) wake_();
}

void LoopMailbox::call(Call call) {
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  wake_();
}

void LoopMailbox::drain(std::vector<HandlerMessage>* messages, std::vector<Call>* calls) {
  messages->clear();
  calls->clear();
  const std::lock_guard lock(mutex_);
  messages->swap(messages_);
  calls->swap(calls_);
}

}  // namespace penstock
