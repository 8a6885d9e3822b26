// A limit as a partition counts it (`limits` of a policy, docs/limits.md): which attempts hold its
// slots, and when its rate lets the next one start. It is a gate: the lines of jobs that it blocks
// wait here.
//
// What always holds: slots are held by a set of attempts, each named by its token's number, so a
// slot is released once, by the attempt that holds it; when an attempt starts, no more attempts
// hold a slot than there are slots. Lowering a limit never stops running attempts. If names that
// are written differently are filled in to the same text, the strictest of these limits is in
// force, regardless of which job asks next.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/limits/slot_message.h"
#include "consumer/policy/limit_policy.h"
#include "consumer/schedule/gate.h"

namespace penstock {

class Limit : public Gate {
 public:
  // `now` is the task's time, which the task keeps. `owner`: the account whose limit it is; empty:
  // it is not the limit of one account.
  Limit(std::string name, const LimitPolicy& policy, const Time& now, std::string_view owner = {})
      : name_(std::move(name)), owner_(owner), now_(now) {
    ask_anew(policy);
    Limit::set(nullptr);
  }

  [[nodiscard]] std::int64_t room() const override;
  [[nodiscard]] std::string what() const override;
  [[nodiscard]] Blocker blocker() const final { return {Waits::kLimit, name_}; }
  [[nodiscard]] std::optional<Time> opens_at() const override;

  virtual void take(std::uint64_t attempt, std::string_view job);
  virtual void release(std::uint64_t attempt) { holders_.erase(attempt); }
  Gate* give_back(std::uint64_t attempt) final { return release(attempt), this; }

  // A job needs the limit, by this policy. True: the policy is new here, and set() must be called.
  [[nodiscard]] virtual bool ask(const LimitPolicy& policy);
  // What operators have set is in force from now on; null: what the configuration says.
  virtual void set(const Control* control);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] const std::string& written() const { return written_; }  // the strictest one's
  [[nodiscard]] const LimitOverride& configured() const { return configured_; }
  [[nodiscard]] const LimitOverride& in_force() const { return in_force_; }
  [[nodiscard]] std::size_t used() const { return holders_.size(); }
  // More attempts hold a slot than there are slots now.
  [[nodiscard]] bool exceeded() const final;
  // Whether a line that waits here waits only for attempts of this partition to end, or for time to
  // pass.
  [[nodiscard]] virtual bool ends_by_itself() const;
  // A new limit would be the same.
  [[nodiscard]] virtual bool idle() const {
    return holders_.empty() && unused() && timer.number == 0 && !rate_dirty && rate_elapsed();
  }

  // The state of the rate, which outlives the process.
  [[nodiscard]] const RateState& rate_state() const { return rate_state_; }
  void set_rate_state(const RateState& state) { rate_state_ = state; }
  [[nodiscard]] bool rate_elapsed() const;
  bool rate_dirty = false;  // it has changed since the last commit
  bool rate_row = false;    // it has a row

 protected:
  // What the partition has of the limit that is in force.
  [[nodiscard]] virtual std::optional<int> slots() const { return in_force_.slots; }
  [[nodiscard]] virtual std::optional<Gcra> pace() const;
  [[nodiscard]] std::string holders_text() const;  // `, by "a", "b"`; empty: no holder
  [[nodiscard]] std::string kept_text() const;     // `; 1 kept for …`; empty: none
  void ask_anew(const LimitPolicy& policy);        // this policy alone counts from now on

 private:
  [[nodiscard]] bool rate_allows() const;

  std::string name_;
  std::string owner_;
  std::vector<SaidLimit> asked_;  // at most one for each name that the configuration writes
  std::string written_;
  LimitOverride configured_;
  LimitOverride in_force_;
  const Time& now_;
  absl::flat_hash_map<std::uint64_t, std::string> holders_;  // attempt -> job's id
  RateState rate_state_;
};

}  // namespace penstock
