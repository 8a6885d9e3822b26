// The only way from other threads into a loop: reports of handlers, and calls to be run on the
// loop's thread. Bounded by what the loop has started: an attempt ends once, and has few other
// reports in transit (consumer/handlers/protocol/report_window.h). So posting never blocks. post(),
// begun(), call() and wake() may be called from any thread, drain() only from the loop's.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "consumer/job/handler.h"

namespace penstock {

class Loop;

class LoopMailbox final : public Mailbox {
 public:
  // Called with the time of the pass.
  using Call = std::function<void(Loop&, Now)>;
  using Begun = std::function<void(const AttemptKey&)>;
  struct Posted {
    std::vector<HandlerMessage> messages;
    std::vector<Call> calls;
  };

  // `wake` ends the loop's wait and is called from the posting thread, `begun` from the handler's.
  LoopMailbox(std::function<void()> wake, Begun begun)
      : wake_(std::move(wake)), begun_(std::move(begun)) {}

  void post(HandlerMessage message) override;
  void begun(const AttemptKey& key) override { begun_(key); }
  void call(Call call);
  // Ends the loop's wait.
  void wake() { wake_(); }

  // The loop is alive: it passes now. And when it last did; zero: never, or it has stopped. From any thread.
  void passes(Instant now) { passed_at_.store(now.time_since_epoch()); }
  [[nodiscard]] Instant passed_at() const { return Instant(passed_at_.load()); }

  // Takes everything that has been posted; what `taken` held before is dropped.
  void drain(Posted& taken);

 private:
  std::function<void()> wake_;
  Begun begun_;
  std::atomic<Instant::duration> passed_at_{Instant::duration{0}};
  std::mutex mutex_;
  Posted posted_;
};

}  // namespace penstock
