// The shared limits of one partition and what it has to report to their owners: which of them have
// changed, which must be looked at and when, and their rows.
//
// A job that needs several takes them in the order of their names (Limits). While it waits for one,
// it counts as demand for those before it and for none behind it: otherwise, partitions that each
// have a slot of a limit that the other needs would wait for each other for ever.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "consumer/limits/shared_limit.h"
#include "state/store/view.h"
#include "topics/values/text_hash.h"

namespace penstock {

class SharedLimits final : public SharedLimitKeeper {
 public:
  // In one partition. A job that needs a further one waits (consumer/limits/limit_room.h).
  static constexpr std::size_t kMax = 1 << 16;

  SharedLimits(View& view, const Time& now, int account_concurrency, std::size_t max = kMax)
      : view_(view), now_(now), account_concurrency_(account_concurrency), max_(max) {}

  [[nodiscard]] SharedLimit& find_or_make(const std::string& name, const LimitPolicy& policy);
  // Makes the limits that have rows: at most `max_rows` per call, from the key `from` on (empty:
  // the first), which is set to where the next call continues. Returns whether there are more.
  [[nodiscard]] bool restore_some(std::string& from, std::size_t max_rows);
  // A target from the owner. Returns the limit, which may have more room now; null if the target is
  // old.
  [[nodiscard]] SharedLimit* take_target(const std::string& name, const SlotTarget& target);
  void set_control(const Control* control);
  static constexpr std::size_t kMinLookedAtPerStep = 1000;  // or an eighth of them
  // Looks at the next of them and forgets those of which nothing is left. Erases at most `rows`
  // rows, and subtracts those that it has erased.
  void forget_idle(std::size_t& rows);
  template <typename Function>
  void each(Function function) {
    for (auto& [number, limit] : all_) function(*limit);
  }

  // The line has begun to wait, and needs these limits as well as soon as it no longer waits.
  void waits(const Line& line, std::vector<SharedLimit*> needs);

  using Report = std::function<void(const SharedLimit& limit, const SlotReport& report)>;
  using Room = std::function<bool()>;  // whether the commit that is being built takes more
  // Sends the reports that are due, as long as there is room; the others follow in the next step.
  void settle(bool leaving, const Room& room, const Report& report);
  // The last settle() has left reports, because there was no room.
  [[nodiscard]] bool held_up() const { return held_up_; }
  void touch(SharedLimit& limit) { touched(limit, nullptr); }
  [[nodiscard]] bool any() const { return !all_.empty(); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::size_t max() const { return max_; }
  [[nodiscard]] bool knows(std::string_view name) const { return by_name_.contains(name); }

  [[nodiscard]] std::optional<Time> next_time() const;
  void touched(SharedLimit& limit, const Line* left) override;

 private:
  struct TimedLess {
    bool operator()(const SharedLimit* a, const SharedLimit* b) const {
      return *a->timed != *b->timed ? *a->timed < *b->timed : a->number < b->number;
    }
  };
  SharedLimit& make(const std::string& name, const LimitPolicy& policy);
  void put(SharedLimit& limit);
  void watch(SharedLimit& limit);

  View& view_;
  const Time& now_;
  const int account_concurrency_;
  const std::size_t max_;
  std::uint64_t numbers_ = 0;
  std::uint64_t looked_to_ = 0;  // the number of the one that forget_idle() looks at next
  const Control* control_ = nullptr;
  absl::btree_map<std::uint64_t, std::unique_ptr<SharedLimit>> all_;  // by number
  absl::flat_hash_map<std::string_view, SharedLimit*, TextHash, TextEqual> by_name_;
  bool leaving_ = false;
  // The limits that must be settled, in an order that is the same in every process.
  struct NumberLess {
    bool operator()(const SharedLimit* a, const SharedLimit* b) const {
      return a->number < b->number;
    }
  };
  absl::btree_set<SharedLimit*, NumberLess> touched_;
  bool held_up_ = false;
  absl::btree_set<SharedLimit*, TimedLess> timed_;
  absl::flat_hash_map<const Line*, std::vector<SharedLimit*>> behind_;
};

}  // namespace penstock
