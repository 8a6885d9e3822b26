// The replays of one partition: which of them reads, what their copies do, and the gates at which
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

class Replays final : public Condition {
 public:
  // How long a replay reads before another one that has records to read gets its turn.
  static constexpr Duration kTurn{1000};

  Replays(QueueNames names, PartitionId partition, View& view)
      : names_(std::move(names)), partition_(partition), view_(view) {}

  // Reads the rows of the replays and the ids that they have seen, at most `max_rows` rows of these
  // from `from` on, and returns whether there are more.
  [[nodiscard]] bool restore_some(std::string& from, std::size_t max_rows);
  // Which replays there are; null: not known. Returns the gates that may be open now. Until all rows
  // are restored, this only takes note: what is written then would replace the rows.
  [[nodiscard]] std::vector<Gate*> set_control(const Control* control);
  // Everything in the control topic is known: forgets the replays that are not in it.
  void forget_deleted();

  // -- Reading

  // The replay whose turn it is to read; null: none has anything to read now.
  [[nodiscard]] PartitionReplay* reading(Time now);
  [[nodiscard]] PartitionReplay* find(std::string_view name);
  [[nodiscard]] bool any() const { return !replays_.empty(); }

  // -- Copies; does nothing for other jobs, and for copies that another queue has sent.

  void received(const JobRow& row);
  // The copy that was received last has an id that was seen before. `own`: of a replay of this queue.
  void repeated(std::string_view name, bool own);
  void started(const JobRow& row);
  void stopped(const JobRow& row);
  void ended(const JobRow& row);
  // A copy that had ended begins a new series.
  void runs_again(const JobRow& row);
  // Whether its replay was cancelled: the copy ends instead of starting.
  [[nodiscard]] bool is_cancelled(const JobRow& row);
  [[nodiscard]] const TypeRuntime* type_of(const JobRow& row, const TypeRuntime* type);

  // Condition
  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;
  [[nodiscard]] bool may_join(const JobBatch& batch, LiveJob* job) override;
  void started(LiveJob* job) override { static_cast<void>(job); }

  // -- Reports and commits

  // What the control topic is to be told now, in this commit.
  struct Report {
    std::string key, value;
  };
  [[nodiscard]] std::vector<Report> take_reports(Time now, std::uint64_t commit);
  // When there is something to read or to report; absent: when something else happens.
  [[nodiscard]] std::optional<Time> next_time(Time now);
  [[nodiscard]] bool dirty() const;
  [[nodiscard]] std::size_t unsaved_bytes() const;
  void save(std::uint64_t seq);

 private:
  [[nodiscard]] PartitionReplay& make(std::string_view name);
  [[nodiscard]] PartitionReplay* of(const JobRow& row);

  const QueueNames names_;
  const PartitionId partition_;
  View& view_;
  const Control* control_ = nullptr;
  bool restored_ = false;
  absl::btree_map<std::string, std::unique_ptr<PartitionReplay>, std::less<>> replays_;
  PartitionReplay* last_ = nullptr;  // of the copy that was asked for last: copies come in runs
  std::string turn_;                 // the replay that reads
  Time turn_ends_{};
};

}  // namespace penstock
