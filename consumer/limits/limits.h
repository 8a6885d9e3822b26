// The limits of one partition: made when a job first asks for one, forgotten when nothing is left
// of it.
//
// What always holds: a job starts with all limits of its type or with none, taken in one step, and
// each once though several of their names be filled in to it, so
// jobs that need several cannot block each other for ever. What a rate has let start is in the rows
// of the commit that says so: after a clean stop nothing starts sooner, after a crash what was not
// yet committed may start once more; slots are in memory alone, as attempts are: after a take-over
// none of them runs.
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
  // Fills in the names of the job's limits, if they are not yet.
  void name(LiveJob* job);
  // The job's attempt holds all of them, in LiveJob::holds, until it is released there; what it has
  // kept from its last iteration it has.
  void started(LiveJob* job) override;
  // Whether the two need the same limits: an attempt takes one slot of each.
  [[nodiscard]] bool may_join(const JobBatch& batch, LiveJob* job) override;

  // What a patient line may keep while its first job waits at `gate`: those that the job takes
  // before it, and where that is a rate, which nobody keeps and time opens, those behind it. None
  // of them has a rate: a start that is kept for one holds off all. Nothing where the gate is none
  // of its limits, or its only one, or one that opens only when somebody far away lets it.
  [[nodiscard]] std::optional<Others> others(const LiveJob& job, const Gate& gate) override;
  // The line waits at `gate`, which its first job, this one, has found closed.
  void parked(LiveJob* job, const Line& line, const Gate& gate) override;
  [[nodiscard]] SharedLimits& shared() { return shared_; }
  // To be opened when limits have been forgotten.
  [[nodiscard]] Gate& room() { return room_; }
  [[nodiscard]] const SharedLimits& shared() const { return shared_; }

  // What operators have set has changed. each(): the limits that may have more room now, in an
  // order that is the same in every process.
  void set_control(const Control* control);
  template <typename Function>
  void each(Function function) {
    for (Limit* const limit : order_) function(*limit);
    shared_.each(function);
  }

  // Makes those of which the log's rows tell, as SharedLimits::restore_some does.
  [[nodiscard]] bool restore_some(std::string& from, std::size_t max_rows);
  // Forgets those of which nothing is left, looking at a bounded number, and erases at most
  // kMaxForgottenPerStep rows. Whether there may be more.
  [[nodiscard]] bool forget_idle();
  // Writes what the rates must not forget, for the commit that is being built.
  void save();
  [[nodiscard]] std::size_t unsaved_bytes() const { return unsaved_bytes_; }

 private:
  [[nodiscard]] Limit& find_or_make(std::string_view account, const std::string& name,
                                    const LimitPolicy& policy);
  using Order = std::array<std::uint8_t, kMaxLimitsOfType>;
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
  // Rows of rates that an earlier owner has left, and that nobody has asked for since: where
  // looking goes on.
  std::optional<std::string> rows_from_;
  bool rows_left_ = false;  // some of them said something yet
};

}  // namespace penstock
