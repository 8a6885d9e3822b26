// When a partition that was given up is claimed again. What ends a tenure soon after its claim will
// often end the next one too, and each costs handlers that are started and ended: the pause grows
// with every one that did not last, and the reason is shown.
//
// A value of the partition's place in its loop; pure.
#pragma once

#include <string>

#include "state/log/growing_pause.h"
#include "topics/values/types.h"

namespace penstock {

class Reclaim {
 public:
  static constexpr std::chrono::milliseconds kFirstPause{100};
  static constexpr std::chrono::seconds kMaxPause{5};
  // A tenure that has lasted this long has worked: its end says nothing about the next one.
  static constexpr std::chrono::seconds kSteadyAfter{10};
  // So many in a row that did not last are a loop, which is shown also while the next one tries.
  static constexpr int kLoopAfter = 3;

  void claimed(Instant now) { claimed_at_ = now; }
  // What it failed of is over: the brokers are back.
  void begin_anew(Instant now) {
    pause_.reset();
    not_before_ = now;
  }
  // Another worker may still have it, and be about to give it back.
  void waits(Instant until) { not_before_ = until; }
  void given_up(std::string reason, Instant now);
  // The group has not confirmed that the partition is still ours: ask again.
  void denied(Instant now) { not_before_ = now + kFirstPause; }
  [[nodiscard]] bool is_due(Instant now) const { return now >= not_before_; }

  // Why the partition does not work, for a person; empty: it does, or has just been assigned.
  [[nodiscard]] std::string trouble(bool runs, Instant now) const;

 private:
  Instant claimed_at_{}, not_before_{};
  std::string reason_;  // of the last end
  GrowingPause pause_{kFirstPause, kMaxPause};
};

}  // namespace penstock
