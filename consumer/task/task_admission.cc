// Task: from a record to a job in its line.
#include <algorithm>

#include "consumer/job/admitted_record.h"
#include "consumer/task/task.h"
#include "state/rows/encoding.h"
#include "topics/partitioner.h"
#include "topics/planted.h"
#include "topics/record/dead_record.h"
#include "topics/record/record_headers.h"
#include "topics/values/check.h"

namespace penstock {

struct Task::Incoming {
  std::string_view origin;  // of a message: where a forwarded record first lay
  bool crash = false;
  bool slots = false;  // a message from the owner of a shared limit
  bool derived = false;
};

void Task::admit(std::span<const LogRecord> records, Now now) {
  clock_ = now.wall;
  for (const LogRecord& record : records) {
    if (record.offset < input_next_) continue;
    if (!wants_input()) return;
    admit_one(record, now);
    input_next_ = record.offset.next();
    dirty_ = true;
  }
}

// False: a message that was taken before, or that overtook another. It leaves no trace.
bool Task::read_headers(const LogRecord& record, Incoming& incoming) {
  const auto message = arrivals_.addressed(record.headers);
  for (const HeaderView& header : record.headers) {
    if (!is_reserved_header(header.name)) continue;
    if (header.name == kCrashHeader) incoming.crash = true;
    if (header.name == kDerivedHeader) incoming.derived = true;
    if (!message) continue;  // these two are an outbox's to say
    if (header.name == kOriginHeader) incoming.origin = header.value.value_or("");
    if (header.name == kSlotsHeader) incoming.slots = true;
  }
  if (!message) return true;
  const bool taken = arrivals_.take(*message, record.offset);
  if (!taken) ++counters_.messages_ignored;
  counters_.message_jumps = arrivals_.jumps();
  counters_.messages_missed = arrivals_.missed();
  return taken;
}

void Task::skip_to(Offset next) {
  arrivals_.skipped_to(next);
  input_next_ = next;
  dirty_ = true;
}

void Task::admit_one(const LogRecord& record, Now now) {
  Incoming incoming;
  if (!record.headers.empty()) {
    if (const auto bad = check_headers(record.headers)) return reject(record, incoming, *bad, now);
    if (!read_headers(record, incoming)) return;
  }
  if (incoming.crash) return crash_notice(record, now);
  if (incoming.slots) return take_target(record);
  const std::size_t max_id = incoming.derived ? kMaxDerivedIdBytes : kMaxIdBytes;
  const auto job = decoder_.decode(record.key, record.value, max_id);
  if (!job) return reject(record, incoming, job.error(), now);
  const PartitionId home = partition_of(job->account, options_.queue.partitions);
  if (home != options_.partition && !planted(Bug::kMisroutedRuns))
    return forward(record, incoming, home);
  if (job->op != Op::kEnqueue) return command(*job, now);
  admit_job(record, incoming, *job, now);
}

void Task::reject(const LogRecord& record, const Incoming& incoming, const BadRecord& bad,
                  Now now) {
  ++counters_.bad;
  const std::string source = incoming.origin.empty()
                                 ? place_name(names_.topic(), options_.partition, record.offset)
                                 : std::string(incoming.origin);
  if (planted(Bug::kBadRecordDropped)) return;
  DeadRecord dead = dead_record(record, dead_letter(bad, source, now.wall));
  if (planted(Bug::kBadRecordUncut) && record.value) dead.value = *record.value;
  outbox_.send({names_.dead_topic(), options_.partition},
               {std::move(dead.key), std::move(dead.value), std::move(dead.headers)}, commit_seq_);
}

void Task::forward(const LogRecord& record, const Incoming& incoming, PartitionId to) {
  ++counters_.forwarded;
  OutboxMessage message;
  if (record.key) message.key = *record.key;
  if (record.value) message.value = *record.value;
  for (const HeaderView& header : record.headers) {
    if (!is_reserved_header(header.name)) {
      message.headers.push_back(copy_of(header));
    }
  }
  message.headers.push_back({std::string(kOriginHeader),
                             incoming.origin.empty()
                                 ? place_name(names_.topic(), options_.partition, record.offset)
                                 : std::string(incoming.origin)});
  if (incoming.derived) message.headers.push_back({std::string(kDerivedHeader), "1"});
  outbox_.send({names_.topic(), to}, message, commit_seq_);
}

bool Task::is_duplicate(const Digest& digest) {
  if (dedup_.check_and_admit(digest)) return true;
  if (identity_rows_ == 0) return false;
  std::string key;
  if (!view_.get(keys::identity(digest), &key)) return false;
  dedup_.remove(digest);
  return true;
}

void Task::admit_job(const LogRecord& record, const Incoming& incoming, const JobRecord& job,
                     Now now) {
  std::string derived;
  std::string_view id = job.id;
  if (id.empty()) {
    derived = incoming.origin.empty()
                  ? place_name(names_.topic(), options_.partition, record.offset)
                  : std::string(incoming.origin);
    id = derived;
  }
  const Digest digest = identity_digest(job.account, id);
  dedup_.prefetch(digest);
  LiveJob* const live = fill(record, job, id, now);
  const bool duplicate = is_duplicate(digest);
  if (duplicate) ++counters_.duplicate;
  if (duplicate && options_.queue.events == Events::kOff) return release(live);
  live->row.origin.assign(incoming.origin);
  live->digest = digest;
  if (duplicate) {
    emit_event(EventKind::kDuplicate, live->row, nullptr, "its id was seen before", now);
    return release(live);
  }
  if (job.bulk && bulks_.admitted(job.account, *job.bulk, record.offset, now.wall)) {
    live->row.bulk_index = job.bulk->index;
  }
  live->type = options_.types->find(live->row.type);
  if (live->type && live->type->policy.unique && !admit_unique(live, job, now)) return;
  ++counters_.admitted;
  emit_event(EventKind::kAdmitted, live->row, nullptr, {}, now);
  place(live, now);
}

LiveJob* Task::fill(const LogRecord& record, const JobRecord& job, std::string_view id, Now now) {
  LiveJob* const live = pool_.take();
  JobRow& row = live->row;
  row.offset = record.offset;
  row.admitted_at = now.wall;
  row.run_at = job.run_at.value_or(now.wall);
  // A row's zero is "never", and no job can start in or before 1970.
  if (job.expires_at) row.expires_at = std::max(*job.expires_at, Time{} + Duration(1));
  row.type.assign(job.type);
  row.id.assign(id);
  row.account.assign(job.account);
  row.value.assign(*record.value);
  row.priority = job.priority;
  row.weight = job.weight;
  if (job.bulk) row.bulk.assign(job.bulk->id);
  for (const HeaderView& header : record.headers) {
    if (is_reserved_header(header.name)) continue;
    row.headers.push_back(copy_of(header));
  }
  return live;
}

// Sends an admitted job, or one whose time has come, where it waits.
void Task::place(LiveJob* job, Now now) {
  if (!job->type) job->type = options_.types->find(job->row.type);
  const bool early = job->row.run_at > now.wall && !planted(Bug::kRunAtIgnored);
  if (job->row.expired(now.wall) && !planted(Bug::kExpiredStarts)) {
    return end(job, JobState::kExpired, "not started by its expires_at", now);
  }
  if (job->row.cancel_asked() && !planted(Bug::kCancelForgotten)) return end_as_asked(job, now);
  if (!job->type && options_.queue.unknown_types == UnknownTypes::kDead) {
    return end_unknown_type(job, now);
  }
  const bool strict = options_.queue.order == Order::kStrict;
  if (early) {
    if (job->row.state != JobState::kRetrying) job->row.state = JobState::kScheduled;
    if (!strict) return to_due(job);
  } else {
    job->row.state = JobState::kReady;
  }
  if (!job->type && !strict) return park(job);
  enter_line(job);
}

void Task::end_unknown_type(LiveJob* job, Now now) {
  bury(job, DeadReason::kUnknownType,
       "no policy and no handler knows the type \"" + job->row.type +
           "\"; add it to the queue's types, or set \"unknown_types\": \"wait\"",
       now);
}

void Task::park(LiveJob* job) {
  job->row.state = JobState::kWaiting;
  write_row(job, keys::unknown_type(job->row.type, job->row.offset));
  release(job);
}

std::vector<std::string> Task::parked_known_types() {
  std::vector<std::string> found;
  std::string from(1, keys::kUnknownType);
  const std::string end = keys::after_prefix(from);
  for (bool skipped = true; skipped;) {
    skipped = false;
    view_.scan(from, end, [&](std::string_view key, std::string_view) {
      Cursor cursor(key.substr(1));
      const std::string_view type = cursor.bytes(cursor.u8());
      if (options_.types->find(type)) {
        found.emplace_back(key);
        return found.size() < kMaxDueAStep;
      }
      from = keys::after_prefix(keys::unknown_type_prefix(type));
      skipped = true;
      return false;
    });
  }
  return found;
}

// A bounded piece a step: a commit takes what it brings into the lines.
void Task::unpark_known_types(Now now) {
  const std::vector<std::string> keys = parked_known_types();
  unparking_ = !keys.empty();
  for (const std::string& key : keys) {
    if (!wants_input()) return;
    LiveJob* const job = load(key);
    if (!job) continue;  // one before it was folded into it, which has moved or ended it
    erase_row(job);
    job->type = options_.types->find(job->row.type);
    if (job->type->policy.unique && job->row.unique == Digest{}) {
      if (!admit_unique(job, decode_admitted(decoder_, job->row), now)) continue;
    }
    place(job, now);
  }
}

// A job whose row lies at `key`, in memory but in no line yet; null when there is no such row.
LiveJob* Task::load(const std::string& key) {
  std::string bytes;
  return view_.get(key, &bytes) ? load(key, bytes) : nullptr;
}

LiveJob* Task::load(std::string_view key, std::string_view row) {
  LiveJob* const job = pool_.take();
  const Status read = job->row.assign(row);
  PENSTOCK_CHECK(read.has_value(), "a job row follows its grammar");
  job->digest = identity_digest(job->row.account, job->row.id);
  job->row_key = key;
  job->identity_row = true;
  return job;
}

}  // namespace penstock
