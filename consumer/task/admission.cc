#include "consumer/task/admission.h"

#include <algorithm>
#include <vector>

#include "consumer/job/admitted_record.h"
#include "consumer/replay/copy_record.h"
#include "topics/partitioner.h"
#include "topics/record/own_headers.h"
#include "topics/record/record_headers.h"
#include "topics/values/whole_number.h"

namespace penstock {

struct Admission::Incoming {
  std::string_view origin;  // of a message: where a forwarded record first lay
  bool crash = false;
  bool slots = false;  // a message from the owner of a shared limit
  bool derived = false;
  std::string_view replay, replay_queue;  // of a copy
  Time replay_started{};                  // of a copy of this queue's replay; zero: it says none
};

void Admission::admit(const LogRecord& record) {
  Incoming incoming;
  if (!record.headers.empty()) {
    if (const auto bad = check_headers(record.headers)) return reject(record, incoming, *bad);
    if (!read_headers(record, incoming)) return;
  }
  // The values of these two are no job records, so they must not reach the decoder.
  if (incoming.crash) return parts_.commands.crash_notice(record);
  if (incoming.slots) return parts_.slots.take_target(record);
  const std::size_t max_id = incoming.derived ? kMaxDerivedIdBytes : kMaxIdBytes;
  const auto job = decoder_.decode(record.key, record.value, max_id);
  if (!job) return reject(record, incoming, job.error());
  // Before commands are applied: the job that a command names is in its account's home partition,
  // too.
  const PartitionId home = partition_of(job->account, core_.options.queue.partitions);
  if (home != core_.options.partition) {
    ++core_.counters.forwarded;
    return core_.outgoing.forward(record, origin_of(record, incoming), incoming.derived, home);
  }
  if (job->op != Op::kEnqueue) return parts_.commands.apply(*job);
  if (!incoming.replay.empty() && is_copy_record(job->id, incoming.replay))
    return parts_.copies.receive(record, *job, incoming.replay, incoming.replay_queue,
                                 incoming.replay_started);
  admit_job(record, incoming, *job);
}

// False: a message that was taken before, or that overtook another. It leaves no trace.
bool Admission::read_headers(const LogRecord& record, Incoming& incoming) {
  const auto message = arrivals_.addressed(record.headers);
  for (const HeaderView& header : record.headers) {
    if (!is_reserved_header(header.name)) continue;
    if (header.name == kCrashHeader) incoming.crash = true;
    if (header.name == kDerivedHeader) incoming.derived = true;
    // Only an outbox sets the headers below. The two above count in any record: a crash notice does
    // not come from an outbox, and a dead record that is sent back keeps its derived id.
    if (!message) continue;
    if (header.name == kOriginHeader) incoming.origin = header.value.value_or("");
    if (header.name == kSlotsHeader) incoming.slots = true;
    if (header.name == kReplayHeader) incoming.replay = header.value.value_or("");
    if (header.name == kReplayQueueHeader) incoming.replay_queue = header.value.value_or("");
    if (header.name == kReplayStartedHeader) {
      const auto ms = whole_number<std::int64_t>(header.value.value_or(""));
      incoming.replay_started = time_from_ms(ms.value_or(0));
    }
  }
  if (!message) return true;
  const bool taken = arrivals_.take(*message, record.offset);
  if (!taken) ++core_.counters.messages_ignored;
  core_.counters.message_jumps = arrivals_.jumps();
  core_.counters.messages_missed = arrivals_.missed();
  return taken;
}

std::string Admission::origin_of(const LogRecord& record, const Incoming& incoming) const {
  return incoming.origin.empty() ? core_.outgoing.place_of(record.offset)
                                 : std::string(incoming.origin);
}

void Admission::reject(const LogRecord& record, const Incoming& incoming, const BadRecord& bad) {
  ++core_.counters.bad;
  core_.outgoing.bad_record(record, bad, origin_of(record, incoming), core_.now);
}

void Admission::admit_job(const LogRecord& record, const Incoming& incoming, const JobRecord& job) {
  std::string derived;
  std::string_view id = job.id;
  // The position at which the record was first read stays the same when it is forwarded or read
  // again, and so does the identity that is made from it.
  if (id.empty()) {
    derived = origin_of(record, incoming);
    id = derived;
  }
  const Digest digest = identity_digest(job.account, id);
  // fill() gives the cache lines time to arrive before they are looked at.
  core_.store.identities().prefetch(digest);
  LiveJob* const live = fill(record, job, id);
  const bool duplicate = core_.store.identities().check_and_admit(digest);
  if (duplicate) ++core_.counters.duplicate;
  // If nobody is told of a duplicate, the rest of its row is not needed.
  if (duplicate && !core_.outgoing.tells_events()) return core_.store.release(live);
  live->row.origin.assign(incoming.origin);
  live->digest = digest;
  if (duplicate) {
    core_.outgoing.event(EventKind::kDuplicate, live->row, nullptr, "its id was seen before",
                         core_.now);
    return core_.store.release(live);
  }
  // Only now: a duplicate uses up no sequence number.
  live->row.seq = core_.seqs.take();
  // Counted even if the chunk is folded below. It then ends as a duplicate, which the bulk counts
  // as cancelled; a chunk that never counted would leave the bulk open for ever.
  if (job.bulk && core_.bulks.admitted(job.account, *job.bulk, live->row.seq, core_.now))
    live->row.bulk_index = job.bulk->index;
  live->type = core_.type_of(live->row);
  if (live->type && live->type->policy.unique && !parts_.folding.admit(live, job)) return;
  ++core_.counters.admitted;
  core_.outgoing.event(EventKind::kAdmitted, live->row, nullptr, {}, core_.now);
  parts_.placement.place(live);
}

LiveJob* Admission::fill(const LogRecord& record, const JobRecord& job, std::string_view id) {
  LiveJob* const live = core_.store.make();
  JobRow& row = live->row;
  row.offset = record.offset;
  row.admitted_at = core_.now;
  row.run_at = job.run_at.value_or(core_.now);
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

void Admission::unpark() {
  const auto knows = [this](std::string_view type) {
    return core_.options.types->find(type) != nullptr;
  };
  const std::vector<std::string> keys = core_.store.parked_jobs(knows);
  // Stays true if the loop below ends early: the next step lists what is left.
  unparking_ = !keys.empty();
  for (const std::string& key : keys) {
    if (!core_.has_room()) return;
    LiveJob* const job = core_.store.load(key);
    // An earlier job of this list was folded into it, which has moved or ended it.
    if (!job) continue;
    // Not left to the commit: the next step lists the rows that are still there, and would load the
    // job a second time.
    core_.store.erase_row(job);
    job->type = core_.type_of(job->row);
    // A job with a key was admitted when its type was known, and met the holders then.
    if (job->type->policy.unique && job->row.unique == Digest{}) {
      if (!parts_.folding.admit(job, decode_admitted(decoder_, job->row))) continue;
    }
    parts_.placement.place(job);
  }
}

}  // namespace penstock
