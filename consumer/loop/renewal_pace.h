// When the outbox lane is renewed. A doubt about one message makes all outboxes of the loop start
// again: the first time at once, and soon afterwards with a growing pause.
//
// Belongs to the loop's thread; pure.
#pragma once

#include <utility>

#include "state/log/growing_pause.h"
#include "topics/values/types.h"

namespace penstock {

class RenewalPace {
 public:
  static constexpr std::chrono::milliseconds kFirstPause{100};
  static constexpr std::chrono::seconds kMaxPause{5}, kApart{30};

  void ask() { asked_ = true; }
  // True: it was asked for and is due now.
  [[nodiscard]] bool take_due(Instant now) {
    if (!asked_ || now < not_before_) return false;
    if (now - renewed_at_ >= kApart) pause_.reset();
    renewed_at_ = now;
    not_before_ = now + pause_.failed();
    asked_ = false;
    return true;
  }

 private:
  bool asked_ = false;
  Instant renewed_at_{}, not_before_{};
  GrowingPause pause_{kFirstPause, kMaxPause};
};

}  // namespace penstock
