// The limits of one partition: made when a job first asks for one, forgotten when nothing is left
// of it.
//
// What always holds: a job starts with all limits of its type or with none. It takes them in one
// step, and each of them once, even if several of its names are filled in to the same text; so jobs
// that need several limits cannot wait for each other for ever. Starts that a rate has allowed are
// in the rows of the commit that says so: after a clean stop nothing starts sooner, and after a
// crash only what was not yet committed may start once more. Slots are in memory alone, as attempts
// are: after a take-over no attempt runs.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/job/job_keys.h"
#include "consumer/job/live_job.h"
#include "consumer/limits/limit.h"
#include "consumer/limits/limit_room.h"
#include "consumer/limits/shared_limits.h"
#include "consumer/schedule/condition.h"
#include "state/store/view.h"
#include "topics/record/job_decoder.h"

namespace penstock {

class Limits final : public Condition {
 public:
  static constexpr std::size_t kMinLookedAtPerStep = 1000;  // or an eighth of them

  Limits(std::string queue, int account_concurrency, View& view, const Time& now,
         std::size_t max_shared = SharedLimits::kMax)
      : queue_(std::move(queue)),
        view_(view),
        now_(now),
        shared_(view, now, account_concurrency, max_shared) {}

  // The first of the job's limits that does not let it start; null: it may.
  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;
  // Fills in the names of the job's limits, unless that has been done.
  void name(LiveJob* job);
  // The job's attempt holds all of them (LiveJob::holds) until they are released from there. A job
  // that goes on holding them from its last iteration has them already.
  void started(LiveJob* job) override;
  // Whether the two need the same limits: an attempt takes one slot of each.
  [[nodiscard]] bool may_join(const JobBatch& batch, LiveJob* job) override;

  // What a patient line may keep while its first job waits at `gate`: the limits that the job takes
  // before it and, if `gate` is a rate (whose promise is not kept, and which time opens), also
  // those behind it. None of them has a rate, because a start that is kept for one line delays all
  // others. Nothing if the gate is none of the job's limits, or its only one, or if it opens only
  // when an operator or another partition acts.
  [[nodiscard]] std::optional<Others> others(const LiveJob& job, const Gate& gate) override;
  // The line waits at `gate`, which was closed to its first job, `job`.
  void parked(LiveJob* job, const Line& line, const Gate& gate) override;
  [[nodiscard]] SharedLimits& shared() { return shared_; }
  // The gate that must be opened when limits have been forgotten.
  [[nodiscard]] Gate& room() { return room_; }
  [[nodiscard]] const SharedLimits& shared() const { return shared_; }

  // What operators have set has changed. Afterwards, each() visits the limits that may have more
  // room, in an order that is the same in every process.
  void set_control(const Control* control);
  template <typename Function>
  void each(Function function) {
    for (Limit* const limit : order_) function(*limit);
    shared_.each(function);
  }

  // Makes the limits that have rows, as SharedLimits::restore_some does.
  [[nodiscard]] bool restore_some(std::string& from, std::size_t max_rows);
  // Forgets limits of which nothing is left: looks at a bounded number of them and erases at most
  // kMaxForgottenPerStep rows. Returns whether there may be more.
  [[nodiscard]] bool forget_idle();
  // Writes the state of the rates for the commit that is being built.
  void save();
  [[nodiscard]] std::size_t unsaved_bytes() const { return unsaved_bytes_; }

 private:
  [[nodiscard]] Limit& find_or_make(std::string_view account, const std::string& name,
                                    const LimitPolicy& policy);
  using Order = std::array<std::uint8_t, kMaxLimitsOfJob>;
  [[nodiscard]] static Order order_of(const LiveJob& job);
  // The job's limits in that order, each once, until one for which `function` is false.
  template <typename Function>
  void each_of(const LiveJob& job, Function function);
  void forget_rows();
  // Whether the job needs a shared limit that is not there yet.
  [[nodiscard]] bool needs_another(const LiveJob& job) const;

  std::string queue_;
  View& view_;
  const Time& now_;
  const Control* control_ = nullptr;
  JobDecoder decoder_;
  JobKeys keys_;
  SharedLimits shared_;
  LimitRoom room_{shared_};
  // Limit::owner and name: two accounts may fill in names to the same text.
  using Key = std::pair<std::string_view, std::string_view>;
  absl::flat_hash_map<Key, std::unique_ptr<Limit>> limits_;
  std::vector<Limit*> dirty_;
  std::size_t unsaved_bytes_ = 0;  // of their rows
  std::deque<Limit*> order_;       // all, in the order in which they are looked at
  // The row at which forget_rows() continues: rates that an earlier owner has left, and that no job
  // has asked for since.
  std::optional<std::string> rows_from_;
  bool rows_left_ = false;  // some of them have not elapsed yet
};

}  // namespace penstock
