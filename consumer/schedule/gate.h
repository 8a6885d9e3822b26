// What a line's first job may have to wait for: a limit's slot, a lock, a pause, a breaker. Those
// who wait are parked in the gate's own line, in the scheduler's order; each place that becomes
// free is promised to exactly one of them, which then comes to its turn as any ready line does.
// Nothing polls.
//
// What always holds: lines wait only while every place is in use or promised, or until the next
// step comes to them (next_waiter() is asked until it gives none, whenever that may have changed, a
// bounded number per step). A line waits at no more than one gate
// and has a promise of no more than one. A promise is given back when the line turns out to need
// something else first.
//
// A line that comes with another gate's promise may take a place that is promised to somebody else,
// who then waits again: of several lines that each have a promise of what another one needs, the
// first to come starts. If they respected each other's promises they would give them to each other
// in circles, for ever.
//
// A line that needs several places, and has found one of them taken kMaxLooks times, is patient: it
// keeps the promises of the gates before the one where it waits, which nobody takes from it. Lines
// keep them in one order of gates (that of Limits), so the one furthest on waits for attempts alone
// and they do not wait for each other in circles either. A rate's promise is not kept, so who waits
// at a rate waits for time, and keeps what is behind it too.
#pragma once

#include <absl/container/btree_set.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "consumer/schedule/lines/line.h"
#include "topics/values/types.h"

namespace penstock {

class Gate {
 public:
  static constexpr std::int64_t kOpen = INT64_MAX;
  static constexpr int kMaxLooks = 8;

  Gate() = default;
  virtual ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Places that nobody uses, promised or not; kOpen where there is no bound.
  [[nodiscard]] virtual std::int64_t room() const = 0;
  // What a job waits for here, as the end of "it waits for …".
  [[nodiscard]] virtual std::string what() const = 0;
  // When there will be room although nobody gives a place back; nothing where time alone opens no
  // gate.
  [[nodiscard]] virtual std::optional<Time> opens_at() const { return std::nullopt; }

  // The attempt of this number, which has held a place, gives it back. The gate at which lines may
  // have room now; null: nobody waits here, and nothing is left of the gate.
  virtual Gate* give_back(std::uint64_t attempt) { return static_cast<void>(attempt), this; }
  // More places are held than there are by now.
  [[nodiscard]] virtual bool exceeded() const { return false; }

  // Whether the line may pass: a place is free, or was promised to it.
  [[nodiscard]] bool admits(const Line& line) const;
  void park(Line& line, std::int64_t tag);
  // Promises the line a place that nobody takes from it. Only one that this gate admits.
  void keep_for(Line& line);
  // The first of those who wait, with a place promised to it; null when nobody waits or no place is
  // free.
  [[nodiscard]] Line* next_waiter();
  // Whether there is such a line.
  [[nodiscard]] bool wakes() const { return !waiting_.empty() && room() > promised_; }

  // A line that waits here has got more jobs.
  void joined() { changed(nullptr); }

  // The line waits no longer, and its promises are over: kept, or given back. next_waiter() of
  // those whose they were is to be asked.
  static std::vector<Gate*> leave(Line& line);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] bool unused() const { return waiting_.empty() && promised_ == 0; }
  // Those who wait here and keep promises of other gates.
  [[nodiscard]] std::vector<Line*> patient_lines() const {
    return {patient_.begin(), patient_.end()};
  }

  // Where it is among the gates that open by themselves (consumer/schedule/gate_timers.h).
  struct Timer {
    Time at{};
    std::uint64_t number = 0;  // 0: nowhere
  };
  Timer timer;

 protected:
  // Who waits, or has a promise, has changed; `left` waits here no longer.
  virtual void changed(const Line* left) { static_cast<void>(left); }
  [[nodiscard]] const auto& waiting_lines() const { return waiting_; }
  [[nodiscard]] std::int64_t promised() const { return promised_; }
  [[nodiscard]] std::int64_t kept() const { return kept_; }

 private:
  struct Less {
    bool operator()(const Line* a, const Line* b) const;
  };

  absl::btree_set<Line*, Less> waiting_;
  absl::btree_set<Line*, Less> patient_;  // of those
  std::int64_t promised_ = 0;
  std::int64_t kept_ = 0;  // of those
  std::uint64_t arrivals_ = 0;
};

}  // namespace penstock
