#include "consumer/task/copies.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "consumer/replay/copy_record.h"
#include "consumer/replay/program_line.h"
#include "topics/partitioner.h"
#include "topics/record/dead_letter.h"

namespace penstock {
namespace {

std::vector<Header> own_headers(const LogRecord& record) {
  std::vector<Header> headers;
  for (const HeaderView& header : record.headers) {
    if (!is_reserved_header(header.name)) headers.push_back(copy_of(header));
  }
  return headers;
}

}  // namespace

struct Copies::Copy {
  const LogRecord& record;
  const JobRecord& job;
  std::string_view id, value, origin;
  Digest digest;
};

// -- What replays read

std::vector<Copies::Source> Copies::sources() {
  std::vector<Source> sources;
  core_.replays.each_reading([&](PartitionReplay& replay) {
    const ReplayTerms& terms = replay.terms();
    sources.push_back({{replay.name(), replay.row().started_at},
                       terms.dead,
                       &terms.through,
                       replay.row().next,
                       replay.end(),
                       replay.reads()});
  });
  return sources;
}

PartitionReplay* Copies::find(const Reading& reading) {
  PartitionReplay* const replay = core_.replays.find(reading.replay);
  const bool same = replay && replay->row().started_at == reading.started_at;
  return same && replay->goes_on() ? replay : nullptr;
}

// A record is copied only once it has become a job itself. Those of the dead topic have been jobs.
Offset Copies::admitted_before(const PartitionReplay& replay) const {
  constexpr Offset kAll{std::numeric_limits<std::int64_t>::max()};
  return replay.terms().dead ? kAll : core_.input_next;
}

bool Copies::takes(const Reading& reading, Offset offset, Now now) {
  const PartitionReplay* const replay = find(reading);
  return replay && replay->reads() && replay->next_copy(now.wall) <= now.wall && core_.has_room() &&
         offset < admitted_before(*replay);
}

bool Copies::is_step_spent() const {
  const StepBudget& budget = core_.scheduler.budget();
  return budget.scanned == 0 || budget.copies_made == 0;
}

bool Copies::takes_directly(const Reading& reading) {
  const PartitionReplay* const replay = find(reading);
  return replay && replay->terms().through.empty();
}

std::size_t Copies::take(const Reading& reading, std::span<const LogRecord> records) {
  PartitionReplay* const replay = find(reading);
  std::size_t taken = 0;
  StepBudget& budget = core_.scheduler.budget();
  for (; replay && taken < records.size(); ++taken) {
    const LogRecord& record = records[taken];
    if (record.offset < replay->row().next) continue;
    if (!may_take(*replay, record.offset)) break;
    --budget.scanned;
    take(*replay, record);
  }
  return taken;
}

bool Copies::may_take(PartitionReplay& replay, Offset offset) {
  if (is_step_spent()) return false;
  if (!core_.has_room() || !replay.reads() || replay.next_copy(core_.now) > core_.now) return false;
  return knows_queue(replay) && offset < admitted_before(replay);
}

// This worker may have been started with an older config than the one that started the replay.
bool Copies::knows_queue(PartitionReplay& replay) {
  const std::string& queue = replay.terms().to_queue;
  if (queue.empty() || core_.host.partitions_of(queue) > 0) return true;
  replay.gate().pause("the config of the worker that owns partition " +
                      std::to_string(core_.options.partition) + " has no queue \"" + queue +
                      "\": add it there, restart the worker, and resume the replay");
  return false;
}

void Copies::lost_before(const Reading& reading, Offset start) {
  if (PartitionReplay* const replay = find(reading)) replay->lost_before(start);
}

void Copies::absent_before(const Reading& reading, Offset end) {
  PartitionReplay* const replay = find(reading);
  if (replay && end >= replay->end()) replay->reached(end);
}

void Copies::take(PartitionReplay& replay, const LogRecord& record,
                  const std::optional<std::string>& answer) {
  if (record.offset >= replay.end()) return replay.reached(record.offset);
  const ReplayFilter::Verdict verdict = replay.filter().judge(record, core_.options.partition);
  if (answer) {
    take_answer(replay, record, verdict, *answer);
  } else if (verdict.left_out) {
    replay.left_out(*verdict.left_out);
  } else if (verdict.matches) {
    ++replay.count().matched;
    copy(replay, record, verdict.job, verdict.of, verdict.source);
  }
  replay.scanned(record.offset);
}

void Copies::copy(PartitionReplay& replay, const LogRecord& record, const JobRecord& job,
                  const std::string& of, const std::string& source) {
  auto& [id, value, origin] = texts_;
  write_copy_id(id, replay.name(), of);
  const Digest digest = identity_digest(job.account, id);
  // What follows gives the cache lines time to arrive before they are looked at.
  replay.ids().prefetch(digest);
  core_.store.identities().prefetch(digest);
  write_copy_record(value, job, id, replay.terms().keep_expiry, core_.now);
  write_copy_origin(origin, replay.name(), of, source);
  if (!replay.is_first(digest, core_.now)) return replay.left_out(LeftOut::kRepeat);
  make(replay, {record, job, id, value, origin, digest});
}

// -- Through a program

std::optional<std::string> Copies::line_for(const Reading& reading, const LogRecord& record) {
  PartitionReplay* const replay = find(reading);
  if (!replay || record.offset >= replay->end()) return std::nullopt;
  const ReplayFilter::Verdict verdict = replay->filter().judge(record, core_.options.partition);
  // A bad record too: repairing it is what such a program is for.
  if (!verdict.matches && !verdict.is_repairable) return std::nullopt;
  return program_line(*record.key, *record.value);
}

bool Copies::take_answered(const Reading& reading, const LogRecord& record,
                           const std::optional<std::string>& answer) {
  PartitionReplay* const replay = find(reading);
  if (!replay || !may_take(*replay, record.offset)) return false;
  --core_.scheduler.budget().scanned;
  if (record.offset >= replay->row().next) take(*replay, record, answer);
  return true;
}

void Copies::take_answer(PartitionReplay& replay, const LogRecord& record,
                         const ReplayFilter::Verdict& verdict, std::string_view answer) {
  ++replay.count().matched;
  const std::optional<ProgramAnswer> changed = parse_program_answer(answer);
  if (!changed) return replay.left_out(LeftOut::kRefused);
  const std::string account = changed->account.value_or(std::string(record.key.value_or("")));
  const auto job = replay.filter().decode(account, changed->record);
  if (!job) return replay.left_out(LeftOut::kRefused);
  std::string of = verdict.of;
  if (!verdict.matches) of = job->id.empty() ? verdict.source : std::string(job->id);
  copy(replay, record, *job, of, verdict.source);
}

void Copies::pause(const Reading& reading, const std::string& reason) {
  if (PartitionReplay* const replay = find(reading)) replay->gate().pause(reason);
}

// -- Where the copies go

void Copies::make(PartitionReplay& replay, const Copy& copy) {
  --core_.scheduler.budget().copies_made;
  const TaskOptions& options = core_.options;
  const std::string& queue = replay.terms().to_queue;
  if (!queue.empty()) {
    const int partitions = core_.host.partitions_of(queue);  // known: see may_take()
    ++replay.count().sent;
    return send(
        copy,
        {QueueNames(options.prefix, queue).topic(), partition_of(copy.job.account, partitions)},
        replay.row().started_at);
  }
  const PartitionId home = partition_of(copy.job.account, options.queue.partitions);
  if (home != options.partition) {
    ++replay.count().forwarded;
    return send(copy, {core_.outgoing.names().topic(), home}, replay.row().started_at);
  }
  LiveJob* const live = fill(copy, replay.terms().keep_expiry);
  // Counted first: the copy may end at once.
  ++replay.count().admitted;
  if (admit(live, copy.job)) return;
  --replay.count().admitted;
  replay.left_out(LeftOut::kRepeat);
}

void Copies::send(const Copy& copy, const Destination& to, Time started_at) {
  core_.outgoing.copy(to, std::string(copy.job.account), std::string(copy.value),
                      own_headers(copy.record), std::string(copy.origin), started_at);
}

// -- Copies that were sent here

void Copies::receive(const LogRecord& record, const JobRecord& job, std::string_view origin,
                     std::string_view queue, Time started_at) {
  // Its replay has left an expiry out that it does not keep.
  LiveJob* const live = fill(
      {record, job, job.id, *record.value, origin, identity_digest(job.account, job.id)}, true);
  live->row.origin = queue;
  core_.replays.received(live->row, started_at);
  if (!admit(live, job)) core_.replays.repeated(replay_of_copy(job.id), queue.empty());
}

// The job of a copy, but for what its record says of every job.
LiveJob* Copies::fill(const Copy& copy, bool keep_expiry) {
  LiveJob* const live = core_.store.make();
  JobRow& row = live->row;
  row.offset = copy.record.offset;
  row.run_at = std::max(copy.job.run_at.value_or(core_.now), core_.now);
  // A row's zero is "never".
  if (keep_expiry && copy.job.expires_at)
    row.expires_at = std::max(*copy.job.expires_at, Time{} + Duration(1));
  row.id.assign(copy.id);
  row.value.assign(copy.value);
  row.replay.assign(copy.origin);
  if (!copy.record.headers.empty()) row.headers = own_headers(copy.record);
  live->digest = copy.digest;
  return live;
}

// False: its id was seen before, and the job is gone.
bool Copies::admit(LiveJob* live, const JobRecord& job) {
  JobRow& row = live->row;
  row.admitted_at = core_.now;
  row.type = job.type;
  row.account = job.account;
  row.priority = job.priority;
  row.weight = job.weight;
  if (core_.store.identities().check_and_admit(live->digest)) {
    ++core_.counters.duplicate;
    core_.store.release(live);
    return false;
  }
  row.seq = core_.seqs.take();
  live->type = core_.type_of(row);
  // If it is folded, it has ended and was counted.
  if (live->type && live->type->policy.unique && !parts_.folding.admit(live, job)) return true;
  ++core_.counters.admitted;
  core_.outgoing.event(EventKind::kAdmitted, row, nullptr, {}, core_.now);
  parts_.placement.place(live);
  return true;
}

void Copies::report() {
  if (core_.outgoing.full()) return;
  for (Replays::Report& report : core_.replays.take_reports(core_.now, core_.outgoing.commit_seq()))
    core_.outgoing.control(std::move(report.key), std::move(report.value));
}

}  // namespace penstock
