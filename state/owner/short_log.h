// Whether a log has really lost its end. A log that ends before the local copy does is believed
// only after it has done so for kFor, because an answer may be outdated or come from a leader that
// has just been elected; until then its bounds are asked for every kAskAgain.
//
// A pure value, used on the thread of the partition's loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "topics/values/types.h"

namespace penstock {

class ShortLog {
 public:
  static constexpr std::chrono::seconds kFor{20};
  static constexpr std::chrono::milliseconds kAskAgain{500};

  enum class Verdict : std::uint8_t { kLongEnough, kUnsure, kShort };

  // The log's bounds have been received; `is_short`: it ends before the local copy does.
  [[nodiscard]] Verdict see(bool is_short, Instant now);
  // Whether the bounds must be asked for now. True at most once after each unsure verdict.
  [[nodiscard]] bool ask_again(Instant now);

 private:
  std::optional<Instant> since_;
  std::optional<Instant> ask_at_;
};

}  // namespace penstock
