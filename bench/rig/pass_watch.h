// Measures how long the passes of loops take: a call that posts itself again runs once per pass, so
// the time between two calls is that of a pass. A watched loop never waits. Made and destroyed by
// one thread.
#pragma once

#include <memory>

#include "consumer/loop/mailbox.h"

namespace penstock {

class PassWatch {
 public:
  PassWatch();
  // Ends the watch.
  ~PassWatch();
  PassWatch(const PassWatch&) = delete;
  PassWatch& operator=(const PassWatch&) = delete;

  void watch(LoopMailbox& mailbox);
  // Of all loops so far.
  [[nodiscard]] double longest_ms() const;

 private:
  struct State;
  // Shared with the calls, one of which may be queued when the watch ends.
  std::shared_ptr<State> state_;
};

}  // namespace penstock
