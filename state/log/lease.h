// How long an owner may act on its own, and how long the next one waits for it (DESIGN section 3,
// "Lease" and "Taking over").
#pragma once

#include <chrono>

#include "topics/values/types.h"

namespace penstock {

struct LeaseRules {
  std::chrono::nanoseconds lease = std::chrono::seconds(15);
  // Clocks run within 1 % of each other; broker clocks differ by at most this.
  double clock_rate = 0.01;
  std::chrono::nanoseconds broker_skew = std::chrono::milliseconds(500);

  // What must lie between the brokers' times of the last record of the old owner and of the new
  // claim. Three times the rate: the old owner's clock, the brokers' and the new owner's each err
  // by one.
  [[nodiscard]] std::chrono::nanoseconds take_over_wait() const {
    const auto stretched = static_cast<double>(lease.count()) * (1 + 3 * clock_rate);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(stretched)) + broker_skew;
  }
  // After this long an append that is not found in the log, acknowledged or not, has an unknown
  // outcome.
  [[nodiscard]] std::chrono::nanoseconds give_up_append() const { return 2 * lease; }
  // When attempts are asked to stop, counted from the same instant as the lease.
  [[nodiscard]] std::chrono::nanoseconds ask_to_stop() const { return lease * 6 / 10; }
};

}  // namespace penstock
