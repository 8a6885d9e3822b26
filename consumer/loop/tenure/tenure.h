// One partition in this process, from its claim to its end: binds the owner (state log), the outbox
// and the task together (TenureCore), and drives them through the parts of the tenure: its input,
// its attempts and its commits.
//
// What always holds: a tenure never deletes itself; ended() tells the loop to do so. Belongs to one
// loop and its thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "consumer/loop/tenure/tenure_attempts.h"
#include "consumer/loop/tenure/tenure_commits.h"
#include "consumer/loop/tenure/tenure_core.h"
#include "consumer/loop/tenure/tenure_input.h"
#include "consumer/loop/tenure/tenure_replay.h"

namespace penstock {

// What a tenure that has ended leaves behind.
struct TenureEnd {
  std::string reason;
  bool cut_off = false;  // an attempt was cut off in order to leave
  LastTenure tenure;
  TaskCounters counters;
  std::uint64_t commits = 0;
  std::unique_ptr<Store> store;
};

class Tenure final : public OwnerHost {
 public:
  static constexpr const char* kReleased = "released";  // a normal end, which is not reported

  Tenure(TenureOptions options, std::unique_ptr<Store> store, TenureParts& parts);

  void start() { core_.owner.start(); }

  // Called by the loop when something arrives for this partition.
  void on_bounds(TopicId topic, const Result<Bounds>& bounds, Now now);
  void on_group_offset(const Result<std::optional<Offset>>& offset, Now now);
  void on_records(TopicId topic, std::span<const LogRecord> records, Now now);
  void on_out_of_range(TopicId topic, Now now);
  void on_end(TopicId topic, Offset end);
  void on_read_refused(TopicId topic, std::string_view detail);
  void on_truncated(TopicId topic, Offset position, Now now);
  void on_appended(const TenureAppend& append, const Appended& result, Now now);
  void emit_outbox_again();

  // One step: advances time and starts up to `capacity` attempts. Returns the unused capacity.
  [[nodiscard]] int step(int capacity, Now now);
  // The partition's memory is read in several steps, before it takes input or starts anything.
  [[nodiscard]] bool restoring() const {
    return core_.task && !ended() && (outbox_from_ || core_.task->restoring());
  }
  void restore_some(Now now);
  // What operators have set, which was read to its end; it lacks that until the first call.
  void set_control(Now now);
  [[nodiscard]] bool lacks_control() const { return lacks_control_; }
  [[nodiscard]] std::chrono::nanoseconds idle_for(Now now);

  // Leaves the partition: nothing new starts, and running attempts are asked to stop but may
  // continue until `until`. Then the partition is released, or given up if something still runs.
  void leave(Instant until);
  void lose(const std::string& reason) { core_.owner.drop(reason); }

  [[nodiscard]] bool runs() const { return core_.owner.phase() == Owner::Phase::kRunning; }
  [[nodiscard]] bool leaving() const { return leave_until_.has_value(); }
  [[nodiscard]] bool ended() const { return core_.owner.ended(); }
  [[nodiscard]] std::uint64_t number() const { return core_.options.tenure; }
  // Once it has ended, and only once.
  [[nodiscard]] TenureEnd take_end();

  [[nodiscard]] TenureAttempts& attempts() { return attempts_; }
  [[nodiscard]] TenureCommits& commits() { return commits_; }
  // The task of a queue's partition, and that of a slots partition; null before the rows are
  // restored.
  [[nodiscard]] Task* task() { return core_.jobs; }
  [[nodiscard]] SlotTask* slot_task() { return core_.slots; }
  [[nodiscard]] const Owner& owner() const { return core_.owner; }
  [[nodiscard]] const Outbox& outbox() const { return core_.outbox; }
  // When the oldest record was written that has arrived and for which there was no room.
  [[nodiscard]] std::optional<Time> left_since() const { return input_.left_since(); }
  // What is waiting for its commit leaves no room for another outcome.
  [[nodiscard]] bool crowded() const { return core_.crowded(); }

  // OwnerHost
  void restored(Now now) override;
  void counted(std::uint64_t seq, Now now) override;
  void released() override;
  void dropped(const std::string& reason) override;
  void broken(const std::string& reason) override { core_.broken(reason); }
  void refused(const std::string& reason, Now now) override;

 private:
  void renew_lease();
  void see_claim_through(Now now);
  void leave_step(Now now);

  TenureCore core_;
  TenureInput input_;
  TenureAttempts attempts_;
  TenureCommits commits_;
  TenureReplay replay_;
  std::optional<std::string> outbox_from_;  // the row at which the outbox's restore continues
  std::optional<Instant> leave_until_;
  bool lacks_control_ = true;
  bool cut_off_ = false;
  std::string end_reason_;
};

}  // namespace penstock
