// The input of one tenure: finds the partition's position in the input topic, checks that the topic
// is still the one that the state belongs to, reads the records into the task, and tells the group
// how far commits that count have come.
//
// What always holds:
//  - The position in the state is authoritative. A commit contains it only once it is verified.
//  - Nothing is taken after stop().
// Belongs to the loop's thread.
#pragma once

#include <optional>
#include <string>

#include "consumer/loop/tenure/tenure_core.h"

namespace penstock {

class TenureInput {
 public:
  explicit TenureInput(TenureCore& core);

  // The rows are restored: finds the input position, and reads on from there.
  void find();
  // The tenure leaves or has ended.
  void stop();

  void on_group_offset(const Result<std::optional<Offset>>& offset, Now now);
  void on_bounds(const Result<Bounds>& bounds, Now now);
  void on_records(std::span<const LogRecord> records, Now now);
  void on_out_of_range();
  void on_truncated(Offset position, Now now);

  void ask_again_if_due(Now now);
  // Goes back to records that the task had no room for.
  void read_again_if_room();
  void commit_offset_if_due(Now now);

  // A commit counts. True: it proves that the state was lost, so the queue and the tenure end.
  [[nodiscard]] bool refuse_counted(Now now);
  // A commit counts that contains this position.
  void counted(Offset next) { offset_to_commit_ = counted_ = next; }
  [[nodiscard]] Offset counted() const { return counted_; }
  // The timestamp of the first record that has arrived and for which the task had no room; nothing
  // if it has taken all.
  [[nodiscard]] std::optional<Time> left_since() const { return left_since_; }
  // The state's input position has been verified, so commits may contain it.
  [[nodiscard]] bool placed() const { return placed_; }

 private:
  static constexpr int kMaxBadBounds = 4;
  static constexpr std::chrono::milliseconds kAskBoundsAgain{100};
  static constexpr std::chrono::seconds kCommitOffsetEvery{1};

  void found();
  void read();
  void stop_reading();

  TenureCore& core_;
  TopicPartition from_;
  bool stopped_ = false;
  bool reading_ = false;
  bool asked_bounds_ = false;
  bool asked_group_offset_ = false;
  std::optional<Instant> ask_bounds_at_;  // when to ask again after an error
  bool placed_ = false;
  // why the state cannot be used; reported once a commit counts
  std::optional<std::string> refusal_;
  int bad_bounds_ = 0;   // answers for another topic than the state's
  bool reread_ = false;  // the task has left records: they are read again from its position
  std::optional<Time> left_since_;
  std::optional<Offset> offset_to_commit_;
  Offset counted_{0};  // the input position of the last commit that counts
  Instant offset_committed_at_{};
};

}  // namespace penstock
