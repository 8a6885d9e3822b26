// Commands of loop threads to an executor's own thread (start, stop and kill), in the order of the
// calls. It holds at most kMaxWaiting attempts that have not begun; any further one is answered at
// once as Interrupted, which uses up no attempt.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "consumer/handlers/io/poller.h"
#include "consumer/job/handler.h"

namespace penstock {

inline constexpr std::size_t kMaxWaiting = 65'536;

inline constexpr std::string_view kStoppedBeforeItBegan = "stopped before it began";

struct StartCommand {
  AttemptRequest request;
  Mailbox* mailbox;
  std::uint32_t endpoint = 0;  // index of an HTTP client's endpoint
};
struct StopCommand {
  AttemptKey key;
};
struct KillCommand {
  AttemptKey key;
};
struct EndCommand {};  // the executor is being destroyed
using InboxCommand = std::variant<StartCommand, StopCommand, KillCommand, EndCommand>;

class Inbox {
 public:
  // Wakes `poller`, which must outlive the inbox, when there is something to take.
  explicit Inbox(Poller& poller) : poller_(poller) {}

  // May be called from any thread.
  void push(InboxCommand command);
  // Only for the owner of the poller.
  [[nodiscard]] std::vector<InboxCommand> take();
  // Only for the owner: an attempt that was taken has begun, or never will.
  void left_waiting();

 private:
  Poller& poller_;
  std::mutex mutex_;
  std::vector<InboxCommand> commands_;
  std::size_t waiting_ = 0;
};

// Answers an attempt that is not run.
void answer_interrupted(const StartCommand& start, std::string_view reason);

}  // namespace penstock
