// The shared limits of one partition, in what they have to say to their owners: which of them have changed, which
// are to be looked at when, and their rows.
//
// A job that needs several takes them in the order of their names (Limits), and where it waits for one, it counts
// as demand for those before it and for none behind: partitions that each have a slot of another's limit would
// wait for each other for ever.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "consumer/shared_limit.h"
#include "state/view.h"

namespace penstock {

class SharedLimits final : public SharedLimitKeeper {
 public:
  SharedLimits(View& view, const Time& now, int account_concurrency)
      : view_(view), now_(now), account_concurrency_(account_concurrency) {}

  // A limit that has just been made; its row, if any, is read.
  [[nodiscard]] std::unique_ptr<SharedLimit> make(const std::string& name, const LimitPolicy& policy);
  // Makes those of which rows tell.
  void restore(const std::function<void(const std::string& name, const LimitPolicy& policy)>& make);
  void forget(SharedLimit& limit);

  // The line has begun to wait, and needs these limits too once it need not.
  void waits(const Line& line, std::vector<SharedLimit*> needs);

  using Report = std::function<void(const SharedLimit& limit, const SlotReport& report)>;
  void settle(bool leaving, const Report& report);
  // Something was said or taken: the row of it.
  void put(SharedLimit& limit);
  void touch(SharedLimit& limit) { touched(limit, nullptr); }
  [[nodiscard]] bool any() const { return !all_.empty(); }

  [[nodiscard]] std::optional<Time> next_time() const;
  void touched(SharedLimit& limit, const Line* left) override;

 private:
  struct TimedLess {
    bool operator()(const SharedLimit* a, const SharedLimit* b) const {
      return *a->timed != *b->timed ? *a->timed < *b->timed : a->number < b->number;
    }
  };
  void watch(SharedLimit& limit);

  View& view_;
  const Time& now_;
  const int account_concurrency_;
  std::uint64_t numbers_ = 0;
  absl::btree_map<std::uint64_t, SharedLimit*> all_;  // by number
  bool leaving_ = false;
  std::vector<SharedLimit*> touched_;  // to be settled
  absl::btree_set<SharedLimit*, TimedLess> timed_;
  absl::flat_hash_map<const Line*, std::vector<SharedLimit*>> behind_;
};

}  // namespace penstock
