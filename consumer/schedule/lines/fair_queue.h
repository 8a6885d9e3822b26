// Which flow gets the next turn: start-time fair queueing with integer virtual tags, and aging. A
// flow is anything that takes turns: an account, or a bulk within it
// (consumer/schedule/lines/turns.h).
//
//   activate:  tag = V + kScale / weight    (not V: an endless stream of new flows would starve the
//              others)
//   pick:      the least (tag, arrival); V = max(V, tag); its tag then grows by kScale / weight
//   idle:      out of the set, tag kept; back at max(tag, V): no burst, no loss
//   busy:      has got its turn, or is full, or runs all that it has, so out of the set: tag kept;
//              back at max(tag, V - (kScale - kScale / weight)), so that the turns of others
//              meanwhile take nothing from its weight
//   aging:     every kAgingEvery-th pick is of the flow that has waited longest, as an advance on
//              its next turn: its tag grows, to V + 2 * kScale / weight at most, and V stays
//
// Between two turns of a flow i that stays ready, a flow j gets at most floor(w_j / w_i) + 1 turns
// (floor(2 * w_j / w_i) + 1 if the first of the two was an aging pick), and w_j - 1 more if it
// comes back from being full; aging picks aside. Shares are those of the weights as long as none is
// less than what aging gives. O(log n) per pick. Pure: no clock, no allocation beyond the set's
// nodes. (docs/decisions/weights-of-busy-accounts.md)
//
// A tag grows by a whole number, so a share is off by less than weight / kScale: not at all for the
// weights that divide kScale (1 to 16, and more), below 0.014 % for any other up to 100. The bound
// above holds for all of them.
#pragma once

#include <absl/container/btree_set.h>

#include <cstdint>

namespace penstock {

// What the queue keeps in each flow. A flow belongs to at most one queue.
struct FairTag {
  std::int64_t tag = 0;
  std::uint64_t arrival = 0;
  int weight = 1;
  bool ready = false;
  bool tagged = false;  // it has had a turn or was activated before: its tag counts
  bool busy = false;    // it left the set with something that runs, or would
  // Ready flows in the order in which they began to wait.
  FairTag* older = nullptr;
  FairTag* newer = nullptr;
};

// Virtual time. Queues whose flows compete with each other have one of it together.
struct FairClock {
  std::int64_t now = 0;
  std::uint64_t arrivals = 0;
  std::uint64_t picks = 0;
};

class FairQueue {
 public:
  static constexpr std::int64_t kScale = 720'720;  // divisible by 1 to 16
  static constexpr std::uint64_t kAgingEvery = 10;

  FairQueue() = default;
  explicit FairQueue(FairClock& clock) : clock_(&clock) {}
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  // The flow has something to run: it enters the set.
  void activate(FairTag& flow);
  // It has nothing that can run now, or is forgotten.
  void remove(FairTag& flow);
  // It has something to run but no room for it, or everything that it has is running.
  void hold(FairTag& flow);
  // The flow that gets the turn; it leaves the set. Null if none is ready.
  [[nodiscard]] FairTag* pick();

  // The next flow but for aging, and the one that has waited longest; null if none is ready.
  [[nodiscard]] FairTag* least() const { return ready_.empty() ? nullptr : *ready_.begin(); }
  [[nodiscard]] FairTag* oldest() const { return oldest_; }
  // Whether the pick that comes now is for the oldest.
  [[nodiscard]] static bool ages(FairClock& clock);
  // Gives the turn to the chosen flow: by its tag, which counts as no less than `floor`, or by its
  // age.
  void take(FairTag& flow, std::int64_t floor);
  void take_by_age(FairTag& flow);

  // The least tag that a flow which was full comes back with, at this virtual time.
  [[nodiscard]] static std::int64_t floor_of(std::int64_t now, int weight) {
    return now - (kScale - kScale / weight);
  }

  [[nodiscard]] bool empty() const { return ready_.empty(); }
  [[nodiscard]] std::size_t size() const { return ready_.size(); }
  // How many come before this one by their tags, counted up to `most`; for one that is not ready,
  // of its tag now.
  [[nodiscard]] std::size_t before(const FairTag& flow, std::size_t most) const;

 private:
  struct Less {
    bool operator()(const FairTag* a, const FairTag* b) const {
      return a->tag != b->tag ? a->tag < b->tag : a->arrival < b->arrival;
    }
  };

  void link_newest(FairTag& flow);
  void unlink(FairTag& flow);

  absl::btree_set<FairTag*, Less> ready_;
  FairTag* oldest_ = nullptr;
  FairTag* newest_ = nullptr;
  FairClock own_clock_;
  FairClock* clock_ = &own_clock_;
};

}  // namespace penstock
