#include "consumer/loop/tenure/tenure_input.h"

#include <algorithm>
#include <utility>

#include "consumer/loop/tenure/input_topic.h"
#include "state/rows/keys.h"

namespace penstock {

TenureInput::TenureInput(TenureCore& core)
    : core_(core), from_{core.parts.topics.of(core.names().topic()), core.partition()} {}

// If there is no position in the state, the group must have no offset either: an offset would mean
// that the state was lost, and with it the record of which jobs have been done.
void TenureInput::find() {
  counted_ = core_.task->input_next();
  std::string position;
  if (core_.view.get(keys::kMetaInputNext, &position)) return found();
  asked_group_offset_ = true;
  core_.parts.session.group_offset(from_.partition);
}

void TenureInput::on_group_offset(const Result<std::optional<Offset>>& offset, Now now) {
  // An answer to an earlier tenure of the partition is ignored.
  if (!std::exchange(asked_group_offset_, false) || stopped_) return;
  if (!offset) return core_.owner.drop(offset.error().message);
  // Offset 0 says that nothing was taken.
  if (!*offset || (*offset)->value <= 0) return found();
  refusal_ = lost_state(core_.names(), **offset);
  // The offset may come from a later owner of which this one has not heard yet. It proves a lost
  // state only if a commit that is sent after this answer counts. That commit has no rows, so that
  // the next process asks again.
  (void)core_.owner.commit(Batch{}.bytes(), now);
}

void TenureInput::found() {
  placed_ = asked_bounds_ = true;
  core_.parts.session.bounds(from_);
}

bool TenureInput::refuse_counted(Now now) {
  if (!refusal_) return false;
  core_.parts.refuse(*refusal_, now);
  core_.owner.drop("refused: " + *refusal_);
  return true;
}

// -- Reading

void TenureInput::read() {
  reading_ = true;
  core_.parts.session.read(from_, core_.task->input_next());
}

void TenureInput::stop_reading() {
  if (std::exchange(reading_, false)) core_.parts.session.stop_reading(from_);
}

void TenureInput::stop() {
  stopped_ = true;
  stop_reading();
}

void TenureInput::on_bounds(const Result<Bounds>& bounds, Now now) {
  if (!asked_bounds_ || stopped_) return;
  if (!bounds) {
    ask_bounds_at_ = now.boot + kAskBoundsAgain;
    return;
  }
  PartitionTask& task = *core_.task;
  const Offset next = task.input_next();
  const Status same = check_input_topic(core_.view, core_.names(), next, *bounds);
  if (!same && ++bad_bounds_ < kMaxBadBounds) {
    // it may be the late answer to an earlier tenure's question
    return core_.parts.session.bounds(from_);
  }
  asked_bounds_ = false;
  if (!same) return core_.parts.refuse(same.error().message, now);
  note_input_topic(core_.view, bounds->topic);
  if (next < bounds->start) {
    // At a queue's first start, what was removed earlier was never this partition's to lose.
    if (next.value > 0) {
      core_.notice(std::to_string(bounds->start.value - next.value) +
                   " records were removed by retention before they were taken: they are lost");
    }
    task.skip_to(bounds->start);
    left_since_.reset();
  }
  read();
}

void TenureInput::on_records(std::span<const LogRecord> records, Now now) {
  if (!reading_ || reread_) return;
  PartitionTask& task = *core_.task;
  // What is admitted needs a commit, and none can be made now. The records are read again later.
  if (!core_.owner.waits_for_room()) task.admit(records, now);
  for (const std::string& text : task.arrivals().take_notices()) core_.notice(text);
  // The task has stopped before the end, because a step is bounded or there is no room. Further
  // records would leave a gap, so they are ignored until it is read again.
  if (records.empty()) return;
  left_since_.reset();
  if (task.input_next() > records.back().offset) return;
  reread_ = true;
  const auto left = std::find_if(records.begin(), records.end(), [&](const LogRecord& record) {
    return record.offset >= task.input_next();
  });
  left_since_ = left->timestamp;
}

void TenureInput::on_out_of_range() {
  if (!std::exchange(reading_, false)) return;
  // The records at the position have been removed. The bounds tell whether by retention or because
  // the topic is another one.
  asked_bounds_ = true;
  core_.parts.session.bounds(from_);
}

// The input position is in the log again, or will be. Reading on from there would skip the records
// that have taken the offsets of the lost ones.
void TenureInput::on_truncated(Offset position, Now now) {
  if (!std::exchange(reading_, false)) return;
  core_.parts.refuse(truncated_input(core_.names(), from_.partition, position), now);
}

// -- The step

void TenureInput::ask_again_if_due(Now now) {
  if (!ask_bounds_at_ || now.boot < *ask_bounds_at_) return;
  ask_bounds_at_.reset();
  core_.parts.session.bounds(from_);
}

void TenureInput::read_again_if_room() {
  if (!reread_ || stopped_ || !core_.task->wants_input() || core_.owner.waits_for_room()) return;
  reread_ = false;
  stop_reading();
  read();
}

void TenureInput::commit_offset_if_due(Now now) {
  if (!offset_to_commit_ || now.boot - offset_committed_at_ <= kCommitOffsetEvery) return;
  offset_committed_at_ = now.boot;
  core_.parts.session.commit_offset(from_.partition, *offset_to_commit_);
  offset_to_commit_.reset();
}

}  // namespace penstock
