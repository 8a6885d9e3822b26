// Where lines wait while an operator has paused their queue, their type or their account.
#pragma once

#include <string>

#include "consumer/control/control.h"
#include "consumer/schedule/gate.h"

namespace penstock {

class PauseGate final : public Gate {
 public:
  explicit PauseGate(const PauseTarget& target) : target_(target) {}

  void set(const Pause* pause) {
    closed_ = pause != nullptr;
    if (pause) pause_ = *pause;
  }
  [[nodiscard]] std::int64_t room() const override { return closed_ ? 0 : kOpen; }
  [[nodiscard]] std::string what() const override;
  [[nodiscard]] Blocker blocker() const override { return {Waits::kPause}; }

 private:
  PauseTarget target_;
  Pause pause_;
  bool closed_ = true;
};

}  // namespace penstock
