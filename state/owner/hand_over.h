// How long to wait for the release of an owner that has been asked to hand over, and when to ask it
// again.
//
// An owner that lives is heard: it commits at least every lease/5. One that has been silent for twice
// as long is not waited for any longer: it is dead, it cannot reach the log, or it has given up. The
// lease is what keeps a claim after that from overlapping with it, so nothing here has to be right,
// only quick.
//
// A pure value, used on the thread of the partition's loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "state/log/lease.h"
#include "topics/values/types.h"

namespace penstock {

class HandOver {
 public:
  // An owner that has been silent for long before it is asked may still answer for this time: it
  // commits sooner than it would otherwise if the group has taken the partition back.
  static constexpr std::chrono::milliseconds kLastChance{500};
  // The other partitions of the asker may be slow to read, or not be available at all.
  static constexpr std::chrono::seconds kWaitsForAGoodMoment{30};
  // An asker that lacks no more of the log than this has read it.
  static constexpr std::int64_t kFewRecords = 4;
  // A request may be lost.
  static constexpr std::chrono::seconds kAskAgainAfter{2};

  // What is known of the owner.
  struct Owner {
    Offset epoch{-1};
    std::uint64_t seq = 0;              // of its last record
    std::optional<Time> heard_at = {};  // the brokers' time of that record
    std::chrono::milliseconds lease = kUsualLease;
  };

  // `at_most`: how long to wait for an owner that is heard.
  explicit HandOver(std::chrono::nanoseconds at_most) : at_most_(at_most) {}

  // Whether to ask at all: by the brokers' clock, its lease may last. A claim a little too early
  // waits for the rest of it.
  [[nodiscard]] static bool may_answer(const Owner& owner, const LeaseRules& rules, Now now);
  void begin(const Owner& owner, Now now);
  // Whether to ask for the log's end, which is then noted as asked for. The log has grown while it was
  // read, perhaps by much, and whatever is lacking when the owner releases is waited for.
  [[nodiscard]] bool takes_end(Offset next);
  // The asker has read the log up to `next`, and it ends at `end`.
  void see_end(Offset next, Offset end);
  [[nodiscard]] bool is_current() const { return is_current_; }
  // A record has been read.
  void read(Offset epoch, std::uint64_t seq, Instant now);

  // Whether to append a request. A bad moment is not waited out for ever.
  [[nodiscard]] bool is_due(Instant now, bool is_good) const {
    return now >= ask_at_ && ((is_good && is_current_) || now >= began_at_ + kWaitsForAGoodMoment);
  }
  void asked(Instant now) {
    ask_at_ = now + kAskAgainAfter;
    has_asked_ = true;
  }
  [[nodiscard]] bool has_asked() const { return has_asked_; }
  // The owner is not waited for any longer.
  [[nodiscard]] bool is_over(Instant now) const { return now >= over_at_; }
  [[nodiscard]] Offset epoch() const { return epoch_; }

 private:
  [[nodiscard]] std::chrono::nanoseconds patience() const { return lease_ * 2 / 5; }

  std::chrono::nanoseconds at_most_;
  Offset epoch_{-1};
  bool has_asked_ = false;
  bool is_current_ = false;        // the asker has read the log to its end, or nearly so
  std::optional<Offset> ends_at_;  // where it has to read to before it asks for the end again
  std::uint64_t seq_ = 0;
  std::chrono::nanoseconds lease_{};
  Instant began_at_{}, ask_at_{}, over_at_{}, last_at_{};
};

}  // namespace penstock
