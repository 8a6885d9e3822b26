// How long an owner may act on its own, and how long its successor waits for it to stop
// (docs/design.md). Pure.
#pragma once

#include <algorithm>
#include <chrono>

#include "topics/values/types.h"

namespace penstock {

// That of a queue whose config does not say otherwise, and of every owner whose claim names none.
inline constexpr std::chrono::milliseconds kUsualLease{15'000};

// What a queue's config may say. A shorter lease would not survive a pause of the machine, and a
// longer one would keep the accounts of a dead machine waiting for no gain.
inline constexpr std::chrono::milliseconds kShortestLease{3'000}, kLongestLease{60'000};

// What the rows say of the lease of an owner that has committed (kMetaLease).
struct LeaseRow {
  Offset epoch;
  std::chrono::milliseconds lease;
};

struct LeaseRules {
  std::chrono::nanoseconds lease = kUsualLease;
  // Clock rates are within 1 % of true time; the brokers' clocks differ by at most this.
  double clock_rate = 0.01;
  std::chrono::nanoseconds broker_skew = std::chrono::milliseconds(500);

  // The minimum distance between the brokers' times of the last record of an old owner, whose lease
  // was `of`, and of the new claim. The rate counts three times, because the clocks of the old
  // owner, the brokers and the new owner can each be wrong by it.
  [[nodiscard]] std::chrono::nanoseconds take_over_wait(std::chrono::nanoseconds of) const {
    const auto stretched = static_cast<double>(of.count()) * (1 + 3 * clock_rate);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(stretched)) + broker_skew;
  }
  // As the claim says it, so that the next owner waits by this owner's lease and not by its own.
  [[nodiscard]] std::chrono::milliseconds in_claim() const {
    return std::chrono::ceil<std::chrono::milliseconds>(lease);
  }
  // As the rows say it (kMetaLease), of an owner that itself has to wait for this long yet. A
  // successor that has not read the claims must wait for those for whom it waits, too.
  [[nodiscard]] std::chrono::milliseconds in_rows(std::chrono::nanoseconds wait) const {
    return std::max(in_claim(), std::chrono::ceil<std::chrono::milliseconds>(wait));
  }
  // After this time, an append that is not found in the log has an unknown outcome, acknowledged or
  // not.
  [[nodiscard]] std::chrono::nanoseconds give_up_append() const { return 2 * lease; }
  // When attempts are asked to stop, counted from the same instant as the lease.
  [[nodiscard]] std::chrono::nanoseconds ask_to_stop() const { return lease * 6 / 10; }
};

}  // namespace penstock
