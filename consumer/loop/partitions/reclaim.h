// When to claim a partition again that was given up. What ends a tenure soon after its claim will
// often end the next one too, and every tenure starts and ends handlers; so the pause grows with
// every tenure that did not last, and the reason is shown.
//
// A pure value of the partition in its loop, used on the loop's thread.
#pragma once

#include <string>

#include "state/log/growing_pause.h"
#include "topics/values/types.h"

namespace penstock {

class Reclaim {
 public:
  static constexpr std::chrono::milliseconds kFirstPause{100};
  static constexpr std::chrono::seconds kMaxPause{5};
  // A tenure that has lasted this long has worked, so its end says nothing about the next one.
  static constexpr std::chrono::seconds kSteadyAfter{10};
  // After this many tenures in a row that did not last, the trouble is shown even while the next
  // one is being tried.
  static constexpr int kLoopAfter = 3;

  void claimed(Instant now) { claimed_at_ = now; }
  // The cause of the failures is gone: the brokers are back.
  void begin_anew(Instant now) {
    pause_.reset();
    not_before_ = now;
  }
  // Another worker may still own it and be about to release it.
  void waits(Instant until) { not_before_ = until; }
  void given_up(std::string reason, Instant now);
  // The group has not confirmed that the partition is still ours: ask again.
  void denied(Instant now) { not_before_ = now + kFirstPause; }
  [[nodiscard]] bool is_due(Instant now) const { return now >= not_before_; }

  // Why the partition is not working, for a person; empty: it is, or has just been assigned.
  [[nodiscard]] std::string trouble(bool runs, Instant now) const;

 private:
  Instant claimed_at_{}, not_before_{};
  std::string reason_;  // of the last end
  GrowingPause pause_{kFirstPause, kMaxPause};
};

}  // namespace penstock
