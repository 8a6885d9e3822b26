// Whose turn it is: the one place that decides which account, and under "fair" which of its bulks,
// gets the next turn.
//
//   between accounts               a FairQueue of flows
//   by account, then by bulk       a FairQueue of flows, and in each a FairQueue of its shares
//   between bulks, flat            every share of every flow, by one clock; only of flows that
//                                  have room
//
// The copies of replays yield: an account of which only copies are ready is in a queue of its own,
// and gets a turn when no other is ready, or every FairQueue::kAgingEvery-th.
//
// Flat: when an account that was full has room again, its bulks come back no earlier than the
// virtual time at that moment permits (Shares::back_at), as flows that were full do, so the turns
// that it could not use give it no burst. A pick looks at the best share of each flow, so it is
// O(log n) however many bulks wait behind a full account.
#pragma once

#include <absl/container/btree_set.h>

#include "consumer/schedule/lines/fair_queue.h"
#include "consumer/schedule/lines/lines.h"

namespace penstock {

class Turns {
 public:
  using Sharing = Lines::Sharing;

  explicit Turns(Sharing sharing) : sharing_(sharing) {}

  // The share may have begun or ceased to have something that could run if its account has room.
  // Called before its flow is settled.
  void settle(Share& share);
  // The flow may have begun or ceased to have something to run, or `room` for an attempt.
  void settle(Flow& flow, bool room);

  struct Turn {
    Flow* flow = nullptr;  // null: no flow is ready
    Share* share = nullptr;
  };
  // The next flow and share, which leave the queue and are charged for one turn.
  // Without `copies`, only of flows in which something else than copies is ready.
  [[nodiscard]] Turn pick(bool copies = true);

  // The scheduler's order among lines.
  [[nodiscard]] std::int64_t tag(const Line& line) const;

  // How many accounts (flat: accounts with such a bulk) get a turn before this flow, and how many
  // of its shares before this one, both counted up to kMaxCounted; and which account is the first.
  static constexpr std::size_t kMaxCounted = 1000;
  [[nodiscard]] std::size_t flows_before(const Flow& flow) const;
  [[nodiscard]] static std::size_t shares_before(const Share& share);
  [[nodiscard]] const Flow* next_flow() const;

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return live() + copies_.size(); }
  [[nodiscard]] FairClock& clock() { return clock_; }

 private:
  struct TagLess {
    bool operator()(const Flow* a, const Flow* b) const;
  };
  struct AgeLess {
    bool operator()(const Flow* a, const Flow* b) const;
  };

  [[nodiscard]] bool flat() const { return sharing_ == Sharing::kByOneClock; }
  [[nodiscard]] std::size_t live() const { return flat() ? by_tag_.size() : flows_.size(); }
  [[nodiscard]] bool is_for_copies();
  void list(Flow& flow);
  void unlist(Flow& flow);
  [[nodiscard]] Turn pick_flat();

  const Sharing sharing_;
  FairClock flow_clock_;
  FairQueue flows_{flow_clock_};
  FairQueue copies_{flow_clock_};  // flows of which only copies are ready
  std::uint64_t picks_ = 0;        // while both had some
  // Flat.
  FairClock clock_;
  absl::btree_set<Flow*, TagLess> by_tag_;  // by their best share
  absl::btree_set<Flow*, AgeLess> by_age_;  // by the one that has waited longest
};

}  // namespace penstock
