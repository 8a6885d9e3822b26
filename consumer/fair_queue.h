// Which flow is served next (DESIGN section 5): start-time fair queueing with integer virtual tags,
// and aging. A flow is a line of jobs that share fate: an account, or a bulk within it
// (consumer/turns.h).
//
//   activate:  tag = V + kScale / weight    (not V: endless newcomers would starve the rest)
//   pick:      the least (tag, arrival); V = max(V, tag); its tag then grows by kScale / weight
//   blocked:   out of the set, tag kept; back at max(tag, V): no burst, no loss
//   aging:     every kAgingEvery-th pick serves the flow that has waited longest
//
// Between two services of flow i that stays ready, flow j is served at most floor(w_j / w_i) + 1
// times, aging picks aside. O(log n) a pick. Pure: no clock, no allocation beyond the set's nodes.
//
// A tag grows by a whole number, so a share is off by less than weight / kScale: not at all for the
// weights that divide kScale (1 to 16, and more), below 0.014 % for any other up to 100. The bound
// above holds for them all.
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
  bool tagged = false;  // it has been served or activated before: its tag counts
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
  // The flow to serve; it leaves the set, charged for one service. Null when none is ready.
  [[nodiscard]] FairTag* pick();

  // The next but for aging, and who has waited longest; null when none is ready. take() serves the
  // one chosen, its tag no less than `floor`.
  [[nodiscard]] FairTag* least() const { return ready_.empty() ? nullptr : *ready_.begin(); }
  [[nodiscard]] FairTag* oldest() const { return oldest_; }
  void take(FairTag& flow, std::int64_t floor = 0);

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
