#include "consumer/handlers/io/inbox.h"

#include <utility>

namespace penstock {

void Inbox::push(InboxCommand command) {
  auto* start = std::get_if<StartCommand>(&command);
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    // Only starts are refused. Stops and kills are bounded by the attempts that were started.
    const bool is_refused = start != nullptr && waiting_ >= kMaxWaiting;
    if (!is_refused) {
      if (start != nullptr) ++waiting_;
      start = nullptr;
      was_empty = commands_.empty();
      commands_.push_back(std::move(command));
    }
  }
  if (start != nullptr)
    return answer_interrupted(*start, "too many attempts wait for their handler");
  // Otherwise the poller has been woken already and has not taken the commands yet.
  if (was_empty) poller_.wake();
}

std::vector<InboxCommand> Inbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(commands_, {});
}

void Inbox::left_waiting() {
  const std::lock_guard lock(mutex_);
  --waiting_;
}

void answer_interrupted(const StartCommand& start, std::string_view reason) {
  start.mailbox->post(AttemptEnded{start.request.key, Interrupted{std::string(reason)}, {}});
}

}  // namespace penstock
