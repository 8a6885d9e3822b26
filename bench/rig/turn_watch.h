// How long the turns of loops take: a call that posts itself again is answered once per turn, so
// the time between two of them is that of a turn. A watched loop never waits.
#pragma once

#include <memory>

#include "consumer/loop/mailbox.h"

namespace penstock {

class TurnWatch {
 public:
  TurnWatch();
  // Watches no more.
  ~TurnWatch();
  TurnWatch(const TurnWatch&) = delete;
  TurnWatch& operator=(const TurnWatch&) = delete;

  void watch(LoopMailbox& mailbox);
  // Of all loops so far.
  [[nodiscard]] double longest_ms() const;

 private:
  struct State;
  // Shared with the calls, of which one may be under way when the watch is over.
  std::shared_ptr<State> state_;
};

}  // namespace penstock
