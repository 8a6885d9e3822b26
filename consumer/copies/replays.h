// The replays of one partition: which of them read, what their copies do, and the gates at which
// the copies of paused ones wait.
//
// Used by the partition's one thread.
#pragma once

#include <absl/container/btree_map.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/copies/partition_replay.h"
#include "consumer/schedule/condition.h"
#include "state/store/view.h"
#include "topics/names.h"

namespace penstock {

// The reason with which copies of a cancelled replay end.
inline constexpr std::string_view kCancelledReplay = "its replay was cancelled";

class Replays final : public Condition {
 public:
  // What the control topic is told in one commit at most.
  static constexpr std::size_t kMaxReports = 16;

  Replays(QueueNames names, PartitionId partition, View& view)
      : names_(std::move(names)), partition_(partition), view_(view) {}

  // Reads the rows of the replays and the ids that they have seen, at most `max_rows` of these from
  // the row `from` on and those of one row more, and returns whether there are more.
  [[nodiscard]] bool restore_some(std::string& from, std::size_t max_rows);
  // Which replays there are, from a control topic that was read to its end; null: not known. Returns
  // the gates that may be open now. Until all rows are restored, this only takes note: what is
  // written then would replace the rows.
  [[nodiscard]] std::vector<Gate*> set_control(const Control* control);
  // Forgets the replays that are not in the control topic.
  void forget_deleted();

  // -- Reading

  // Calls `function` for each replay that goes on and is not read to its end.
  template <typename Function>
  void each_reading(Function function) const {
    for (const auto& [name, replay] : busy_) {
      if (replay->goes_on()) function(*replay);
    }
  }
  [[nodiscard]] PartitionReplay* find(std::string_view name);
  [[nodiscard]] bool any() const { return !replays_.empty(); }

  // -- Copies; does nothing for other jobs, and for copies that another queue has sent.

  // `started_at`: of its replay; zero: not known.
  void received(const JobRow& row, Time started_at);
  // The copy that was received last has an id that was seen before. `own`: of a replay of this queue.
  void repeated(std::string_view name, bool own);
  void started(const JobRow& row);
  void stopped(const JobRow& row);
  void ended(const JobRow& row);
  // A copy that had ended begins a new series.
  void runs_again(const JobRow& row);
  // Whether its replay was cancelled: the copy ends instead of starting.
  [[nodiscard]] bool is_cancelled(const JobRow& row);
  // Whether copies of cancelled replays wait.
  [[nodiscard]] bool has_unwanted() const;
  [[nodiscard]] const TypeRuntime* type_of(const JobRow& row, const TypeRuntime* type);

  // Condition
  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;
  void started(LiveJob* job) override { static_cast<void>(job); }

  // -- Reports and commits

  // What the control topic is to be told now, in this commit.
  struct Report {
    std::string key, value;
  };
  [[nodiscard]] std::vector<Report> take_reports(Time now, std::uint64_t commit);
  // When there is something to read or to report; absent: when something else happens.
  [[nodiscard]] std::optional<Time> next_time(Time now) const;
  [[nodiscard]] bool dirty() const;
  [[nodiscard]] std::size_t unsaved_bytes() const;
  void save(std::uint64_t seq);

 private:
  [[nodiscard]] PartitionReplay& make(std::string_view name);
  [[nodiscard]] PartitionReplay* of(const JobRow& row);
  // The same, to change it.
  [[nodiscard]] PartitionReplay* change(const JobRow& row);
  void note_busy(PartitionReplay& replay) { busy_.try_emplace(replay.name(), &replay); }

  const QueueNames names_;
  const PartitionId partition_;
  View& view_;
  const Control* control_ = nullptr;
  bool restored_ = false;
  absl::btree_map<std::string, std::unique_ptr<PartitionReplay>, std::less<>> replays_;
  // Those with something to read, to save or to report, or with copies. There may be many others,
  // which are over, and no job waits while they are looked at.
  absl::btree_map<std::string_view, PartitionReplay*> busy_;
  bool any_deleted_ = false;         // some of replays_ are not in the control topic
  PartitionReplay* last_ = nullptr;  // of the copy that was asked for last: copies come in runs
};

}  // namespace penstock
