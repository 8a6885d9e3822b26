// How long an owner may act on its own, and how long its successor waits for it to stop
// (docs/design.md). Pure.
#pragma once

#include <chrono>

#include "topics/values/types.h"

namespace penstock {

struct LeaseRules {
  std::chrono::nanoseconds lease = std::chrono::seconds(15);
  // Clock rates are within 1 % of true time; the brokers' clocks differ by at most this.
  double clock_rate = 0.01;
  std::chrono::nanoseconds broker_skew = std::chrono::milliseconds(500);

  // The minimum distance between the brokers' times of the old owner's last record and of the new
  // claim. The rate counts three times, because the clocks of the old owner, the brokers and the
  // new owner can each be wrong by it.
  [[nodiscard]] std::chrono::nanoseconds take_over_wait() const {
    const auto stretched = static_cast<double>(lease.count()) * (1 + 3 * clock_rate);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(stretched)) + broker_skew;
  }
  // After this time, an append that is not found in the log has an unknown outcome, acknowledged or
  // not.
  [[nodiscard]] std::chrono::nanoseconds give_up_append() const { return 2 * lease; }
  // When attempts are asked to stop, counted from the same instant as the lease.
  [[nodiscard]] std::chrono::nanoseconds ask_to_stop() const { return lease * 6 / 10; }
};

}  // namespace penstock
