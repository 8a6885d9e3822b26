// A limit that the whole group shares, as one partition sees it: of the limit's slots it has those
// that the limit's owner, a task of the slots topic, has allotted to it; of the limit's rate it has
// the same fraction (docs/limits.md).
//
// What always holds:
//  - No attempt starts beyond the newest target. While the limit is lower than it was when that
//    target was made, none starts beyond the target's part of the lower number either, rounded
//    down. So all partitions together stay below the lower number even before the owner has divided
//    it again.
//  - A target is answered once no more attempts run than it allows, and from then on no more start.
//  - The partition releases unused slots by itself: it keeps fewer, and its report says so.
//
// Demand is capped at the limit and damped: it rises at once, then in steps; it falls when it has
// been lower for kLowerAfter. So where work is steady, no reports are sent. A partition that is
// delayed by the rate asks for all of it: a rate is split evenly between the partitions that have
// work.
#pragma once

#include <string>

#include "consumer/limits/limit.h"
#include "consumer/limits/slot_message.h"

namespace penstock {

class SharedLimit;

// Keeps the shared limits of a partition.
class SharedLimitKeeper {
 public:
  virtual ~SharedLimitKeeper() = default;
  // What must be reported about the limit may have changed. `left`: this line no longer waits at
  // it.
  virtual void touched(SharedLimit& limit, const Line* left) = 0;
};

class SharedLimit final : public Limit {
 public:
  static constexpr Duration kRaiseGap{50};
  static constexpr Duration kLowerAfter{500};
  static constexpr Duration kLowerRateAfter{5000};

  SharedLimit(std::string name, const LimitPolicy& policy, const Time& now,
              SharedLimitKeeper& keeper)
      : Limit(std::move(name), policy, now), keeper_(keeper) {}

  [[nodiscard]] std::int64_t room() const override;
  [[nodiscard]] std::string what() const override;
  [[nodiscard]] std::optional<Time> opens_at() const override;
  [[nodiscard]] bool ends_by_itself() const override {
    return target_.slots > 0 && Limit::ends_by_itself();
  }
  void take(std::uint64_t attempt, std::string_view job) override;
  void release(std::uint64_t attempt) override;
  // The first job of this tenure that asks replaces what was known of the configuration before.
  [[nodiscard]] bool ask(const LimitPolicy& policy) override;
  void set(const Control* control) override;
  [[nodiscard]] bool idle() const override;

  // A target from the owner. False: it is older than the newest one known.
  [[nodiscard]] bool set_target(const SlotTarget& target);
  // The report that must be sent now, if any; it counts as sent. `leaving`: no further attempt will
  // start here.
  [[nodiscard]] std::optional<SlotReport> settle(Time now, int account_concurrency, bool leaving);
  // When to settle again even if nothing happens.
  [[nodiscard]] std::optional<Time> look_at() const { return look_at_; }

  [[nodiscard]] const SlotTarget& target() const { return target_; }

  //   row := "1" version:u64 slots:varint of:varint told_version:u64 told_demand:varint
  //          written:text told:text
  [[nodiscard]] std::string encode() const;
  void restore(std::string_view row);
  // What was last reported about the limit of a row, before any job has asked for it.
  [[nodiscard]] static LimitPolicy policy_of(std::string_view name, std::string_view row);

  // Kept by the keeper.
  int behind = 0;  // lines that wait for another limit and need this one too
  bool is_touched = false;
  bool has_row = false;
  std::uint64_t number = 0;   // in the order in which they were made
  std::optional<Time> timed;  // where the keeper has it among those to look at

 protected:
  [[nodiscard]] std::optional<int> slots() const override;
  [[nodiscard]] std::optional<Gcra> pace() const override;
  void changed(const Line* left) override { keeper_.touched(*this, left); }

 private:
  [[nodiscard]] bool is_lowered() const;  // since the target was made
  [[nodiscard]] int cap() const;
  [[nodiscard]] int wanted(int account_concurrency) const;
  void declare(int wanted, Time now);
  void raise(int wanted, Time now);
  void lower(int wanted, Time now);

  struct Told {
    std::uint64_t version = 0;
    int demand = 0;
    std::string written = {};
    std::string limit = {};  // what the configuration says, as JSON; empty: nothing was told of it
    friend bool operator==(const Told&, const Told&) = default;
  };

  SharedLimitKeeper& keeper_;
  SlotTarget target_;
  Told told_;
  bool asked_for_ = false;  // by a job of this tenure: only then is the configuration known
  int demand_ = 0;          // declared
  int most_used_ = 0;       // since it was settled last
  Time raised_at_{};
  std::optional<Time> lower_at_;
  int peak_ = 0;  // since the demand was lower than declared
  std::optional<Time> look_at_;
};

}  // namespace penstock
