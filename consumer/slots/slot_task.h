// The core of a partition of the slots topic: the owner of the shared limits whose names belong to
// this partition. It takes the partitions' reports, allots slots, and sends the partitions their
// targets.
//
// What always holds: what a report or the passing of time changes, the targets that follow from it,
// and the position in the input are in one commit, so no message is sent that the rows do not
// contain. A limit that is in use has one row. Nothing is allotted before the operators' settings
// have been read.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <optional>
#include <string>

#include "consumer/schedule/step_bounds.h"
#include "consumer/slots/allotment.h"
#include "consumer/task/core/partition_task.h"
#include "state/log/outbox.h"
#include "state/store/state_format.h"
#include "state/store/view.h"

namespace penstock {

class SlotTask final : public PartitionTask {
 public:
  // If not all partitions can have the same, the slots rotate after this long.
  static constexpr Duration kTurn{2000};
  static constexpr std::size_t kMaxUnsavedBytes = 1 << 20;

  SlotTask(const std::string& prefix, PartitionId partition, View& view, Outbox& outbox,
           const StepBounds& bounds = {}, std::uint32_t newest_format = kNewestFormat);

  void restored(std::uint32_t generation, Offset epoch, std::uint64_t seq, Now now) override;
  [[nodiscard]] bool restoring() const override { return restore_from_.has_value(); }
  void restore_some(Now now) override;
  void admit(std::span<const LogRecord> records, Now now) override;
  [[nodiscard]] bool wants_input() const override {
    return !restoring() && unsaved_bytes() < kMaxUnsavedBytes && !outbox_.full();
  }
  [[nodiscard]] Offset input_next() const override { return input_next_; }
  void skip_to(Offset next) override;
  [[nodiscard]] Arrivals& arrivals() override { return arrivals_; }
  void set_control(const Control* control, Now now) override;
  void advance(Now) override {}
  void exchange_slots(const SlotStanding& standing, Now now) override;
  [[nodiscard]] std::optional<Time> next_time() override;
  void save(std::uint64_t seq) override;
  [[nodiscard]] bool dirty() const override { return view_.dirty() || dirty_; }
  [[nodiscard]] std::size_t unsaved_bytes() const override { return view_.batch().size(); }

  [[nodiscard]] std::size_t limits() const { return limits_.size(); }
  [[nodiscard]] std::uint64_t reports() const { return reports_; }
  [[nodiscard]] std::uint64_t targets() const { return targets_; }
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }

 private:
  struct Limit {
    Allotment allotment;
    std::optional<Time> turn_at;
    std::string row;  // as it stands in the view
  };
  using Limits = absl::btree_map<std::string, Limit>;

  void admit_one(const LogRecord& record);
  void settle(const std::string& name, Now now);
  [[nodiscard]] LimitOverride in_force(const std::string& name, const Allotment& allotment) const;
  void put_row(const std::string& name, Limit& limit);
  void plan_turn(const std::string& name, Limit& limit, Now now);
  void send(const std::string& name, const Allotment::Change& change);
  void put_number(std::string_view key, std::uint32_t value);

  std::string prefix_;
  View& view_;
  Outbox& outbox_;
  Arrivals arrivals_;
  const StepBounds bounds_;
  StateFormat format_;
  const Control* control_ = nullptr;
  std::optional<std::string> restore_from_;  // the row at which the restoration goes on
  Limits limits_;
  absl::btree_set<std::string> touched_;
  absl::btree_set<std::pair<Time, std::string>> turns_;
  Offset input_next_{0};
  std::uint64_t commit_seq_ = 1;  // of the commit being built
  bool dirty_ = false;
  bool held_up_ = false;  // what is touched waits for more than time
  std::uint64_t reports_ = 0, targets_ = 0, ignored_ = 0;
};

}  // namespace penstock
