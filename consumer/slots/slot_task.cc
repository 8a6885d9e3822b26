#include "consumer/slots/slot_task.h"

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "topics/names.h"
#include "topics/values/check.h"

namespace penstock {

SlotTask::SlotTask(const std::string& prefix, PartitionId partition, View& view, Outbox& outbox,
                   const StepBounds& bounds, std::uint32_t newest_format)
    : prefix_(prefix),
      view_(view),
      outbox_(outbox),
      arrivals_(view, slots_topic(prefix) + "/" + std::to_string(partition)),
      bounds_(bounds),
      format_(view, newest_format) {}

void SlotTask::put_number(std::string_view key, std::uint32_t value) {
  std::string bytes;
  put_u32(bytes, value);
  view_.put(key, bytes);
}

void SlotTask::restored(std::uint32_t generation, Offset, std::uint64_t seq, Now) {
  commit_seq_ = seq + 1;
  std::string bytes;
  if (view_.get(keys::kMetaInputNext, &bytes)) input_next_ = Offset{Cursor(bytes).i64()};
  arrivals_.restored();
  put_number(keys::kMetaGeneration, generation);
  format_.restored();
  dirty_ = true;
  restore_from_ = std::string(1, keys::kAllotment);
}

void SlotTask::restore_some(Now) {
  if (!restore_from_) return;
  std::size_t left = bounds_.restored_rows;
  bool more = false;
  const std::string from = *restore_from_;
  view_.scan(from, keys::after_prefix(std::string(1, keys::kAllotment)),
             [&](std::string_view key, std::string_view value) {
               more = left-- == 0;
               if (more) {
                 restore_from_ = key;
                 return false;
               }
               const std::string name(key.substr(1));
               Limit& limit = limits_[name];
               limit.allotment = Allotment::decode(value);
               limit.row = value;
               // What operators have set may have changed since the row was written.
               touched_.insert(name);
               return true;
             });
  if (!more) restore_from_.reset();
}

// -- Reports

void SlotTask::admit(std::span<const LogRecord> records, Now) {
  for (const LogRecord& record : records) {
    if (record.offset < input_next_) continue;
    if (!wants_input()) return;
    admit_one(record);
    input_next_ = record.offset.next();
    dirty_ = true;
  }
}

// A message is taken whatever it contains: if it were not, its source's later messages could never
// be.
void SlotTask::admit_one(const LogRecord& record) {
  const auto message = arrivals_.addressed(record.headers);
  const bool taken = message && arrivals_.take(*message, record.offset);
  const auto report = record.value ? parse_slot_report(*record.value) : failure("a tombstone");
  if (!taken || !record.key || !report || !check_queue_name(prefix_, report->from.queue)) {
    ++ignored_;
    return;
  }
  ++reports_;
  const std::string name(*record.key);
  Limit& limit = limits_[name];
  limit.allotment.take(*report);
  // Not only when it is settled: what is taken from the input is in the rows of the same commit.
  put_row(name, limit);
  touched_.insert(name);
}

void SlotTask::skip_to(Offset next) {
  arrivals_.skipped_to(next);
  input_next_ = next;
  dirty_ = true;
}

void SlotTask::set_control(const Control* control, Now) {
  control_ = control;
  if (control) format_.finish(control->finished_format(kSlotsQueue));
  for (const auto& [name, limit] : limits_) touched_.insert(name);
}

// -- Targets

void SlotTask::exchange_slots(const SlotStanding& standing, Now now) {
  while (!turns_.empty() && turns_.begin()->first <= now.wall) {
    touched_.insert(turns_.begin()->second);
    turns_.erase(turns_.begin());
  }
  // Until the settings of operators are known, a limit that was halted would be allotted.
  while (!touched_.empty() && standing.control_read && wants_input()) {
    const std::string name = *touched_.begin();
    touched_.erase(touched_.begin());
    settle(name, now);
  }
  held_up_ = !touched_.empty();
}

// The strictest of what the partitions with demand say.
LimitOverride SlotTask::in_force(const std::string& name, const Allotment& allotment) const {
  std::optional<LimitOverride> strictest;
  for (const SaidLimit& said : allotment.said()) {
    const LimitOverride limit =
        set_over(said.limit, control_ ? control_->limit(name, said.written) : std::nullopt);
    strictest = strictest ? stricter(*strictest, limit) : limit;
  }
  return *strictest;
}

void SlotTask::settle(const std::string& name, Now now) {
  const auto found = limits_.find(name);
  if (found == limits_.end()) return;
  Limit& limit = found->second;
  Allotment& allotment = limit.allotment;
  const int of = slots_to_allot(in_force(name, allotment));
  const bool turn = limit.turn_at && *limit.turn_at <= now.wall && allotment.settled();
  for (const Allotment::Change& change : allotment.allot(of, turn)) send(name, change);
  if (turn) limit.turn_at.reset();
  plan_turn(name, limit, now);
  // Partitions keep their version of the target, so a limit that is made again continues from it.
  if (allotment.unused()) {
    limits_.erase(found);
    return view_.erase(keys::allotment(name));
  }
  put_row(name, limit);
}

void SlotTask::put_row(const std::string& name, Limit& limit) {
  std::string row = limit.allotment.encode();
  // settle() comes here even if nothing has changed.
  if (row == limit.row) return;
  limit.row = row;
  view_.put(keys::allotment(name), std::move(row));
}

// Slots rotate again only when the last rotation has arrived: a partition whose jobs take long is
// not asked for more and more.
void SlotTask::plan_turn(const std::string& name, Limit& limit, Now now) {
  if (limit.turn_at) turns_.erase({*limit.turn_at, name});
  if (!limit.allotment.unequal()) return limit.turn_at.reset();
  if (!limit.turn_at) limit.turn_at = now.wall + kTurn;
  // If the time is over and a partition has not answered yet, its answer brings the limit here
  // again.
  if (*limit.turn_at > now.wall) turns_.insert({*limit.turn_at, name});
}

void SlotTask::send(const std::string& name, const Allotment::Change& change) {
  OutboxMessage message;
  message.key = name;
  message.value = to_json(SlotTarget{change.target.version, change.target.slots, change.target.of});
  message.headers.push_back({std::string(kSlotsHeader), "1"});
  outbox_.send({QueueNames(prefix_, change.to.queue).topic(), change.to.partition},
               std::move(message), commit_seq_);
  ++targets_;
}

std::optional<Time> SlotTask::next_time() {
  if (!touched_.empty() && !held_up_) return Time{};
  return turns_.empty() ? std::nullopt : std::optional(turns_.begin()->first);
}

// -- Commit

void SlotTask::save(std::uint64_t seq) {
  commit_seq_ = seq + 1;
  std::string bytes;
  put_i64(bytes, input_next_.value);
  view_.put(keys::kMetaInputNext, bytes);
  dirty_ = false;
}

}  // namespace penstock
