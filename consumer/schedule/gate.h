// What a line's first job may have to wait for: a limit's slot, a lock, a pause, a breaker. Lines
// that wait are parked at the gate, in the scheduler's order. Each slot that becomes free is
// promised to exactly one of them, which then gets its turn as any ready line does. Nothing polls.
//
// What always holds: lines wait only while every slot is in use or promised, or until the next step
// reaches them (next_waiter() is called until it returns none, whenever that may have changed, a
// bounded number of times per step). A line waits at one gate at most, and has a promise of one
// gate at most besides those that it keeps (see below). It returns the promise if it turns out to
// need something else first.
//
// An account's lines of copies wait behind its other lines, whichever came first, and give up their
// promises to them (pass_on).
//
// A line that comes with another gate's promise may take a slot that is promised to a different
// line, which then waits again: of several lines that each have a promise of what another one
// needs, the first to come starts. If they respected each other's promises, they would return them
// to each other in circles, for ever.
//
// A line that needs several slots, and has found one of them taken kMaxLooks times, is patient: it
// keeps the promises of the gates before the one where it waits, and no other line takes them.
// Lines keep promises in one order of gates (that of Limits), so the line that is furthest on waits
// for attempts alone, and lines do not wait for each other in circles. The promise of a rate is not
// kept, so a line that waits at a rate waits for time alone, and also keeps the promises of the
// gates behind it.
#pragma once

#include <absl/container/btree_set.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "consumer/schedule/lines/line.h"
#include "consumer/schedule/waits.h"
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

  // Slots that are not in use, promised or not; kOpen if there is no bound.
  [[nodiscard]] virtual std::int64_t room() const = 0;
  // What a job waits for here, as the end of "it waits for …".
  [[nodiscard]] virtual std::string what() const = 0;
  // The same as a word, and the name of what stands in the way.
  [[nodiscard]] virtual Blocker blocker() const { return {Waits::kWorker}; }
  // When there will be room although no slot is released; nothing if time alone does not open the
  // gate.
  [[nodiscard]] virtual std::optional<Time> opens_at() const { return std::nullopt; }

  // The attempt of this number releases its slot. Returns the gate at which lines may have room
  // now; null if no line waits and the gate is gone.
  virtual Gate* give_back(std::uint64_t attempt) { return static_cast<void>(attempt), this; }
  // More slots are held than there are now.
  [[nodiscard]] virtual bool exceeded() const { return false; }

  // Whether the line may pass: a slot is free, or was promised to it.
  [[nodiscard]] bool admits(const Line& line) const;
  void park(Line& line, std::int64_t tag);
  // Promises the line a slot that no other line can take. Only for a line that this gate admits.
  void keep_for(Line& line);
  // The first of the waiting lines, with a slot promised to it; null if none waits or no slot is
  // free.
  [[nodiscard]] Line* next_waiter();
  // Whether there is such a line.
  [[nodiscard]] bool wakes() const { return !waiting_.empty() && room() > promised_; }

  // A line that waits here has more jobs now.
  void joined() { changed(nullptr); }

  [[nodiscard]] bool has_promised(const Line& line) const {
    return line.gate.promised_by == this || line.gate.keeps(this);
  }
  // A line that this gate has promised a slot no longer waits, and loses all of its promises, as by
  // leave(). `to` has the promise now, or keeps its own. Returns the other gates.
  [[nodiscard]] std::vector<Gate*> pass_on(Line& from, Line& to);

  // The line no longer waits, and loses its promises, kept or not. Returns the gates that had
  // promised something: next_waiter() must be called for each.
  static std::vector<Gate*> leave(Line& line);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] bool unused() const { return waiting_.empty() && promised_ == 0; }
  // The waiting lines that keep promises of other gates.
  [[nodiscard]] std::vector<Line*> patient_lines() const {
    return {patient_.begin(), patient_.end()};
  }

  // The gate's entry among the gates that open by themselves (consumer/schedule/gate_timers.h).
  struct Timer {
    Time at{};
    std::uint64_t number = 0;  // 0: nowhere
  };
  Timer timer;

 protected:
  // The waiting lines or the promises have changed; `left` no longer waits here.
  virtual void changed(const Line* left) { static_cast<void>(left); }
  [[nodiscard]] const auto& waiting_lines() const { return waiting_; }
  [[nodiscard]] std::int64_t promised() const { return promised_; }
  [[nodiscard]] std::int64_t kept() const { return kept_; }

 private:
  void insert(Line& line);
  void put_copies_behind(const Line& line);

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
