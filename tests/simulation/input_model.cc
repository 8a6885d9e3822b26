#include "tests/simulation/input_model.h"

#include "tests/simulation/checks/jobs/unique_checks.h"
#include "tests/simulation/settings.h"
#include "topics/names.h"
#include "topics/partitioner.h"

namespace penstock::simulation {
namespace {

std::optional<std::string_view> header_of(const LogRecord& record, std::string_view name) {
  std::optional<std::string_view> found;
  for (const HeaderView& one : record.headers) {
    if (one.name == name) found = one.value;
  }
  return found;
}

}  // namespace

std::string name_of(const Job& job) { return job.account + "/" + job.id; }

Job* InputModel::find(const Digest& digest) {
  const auto found = by_digest_.find(digest);
  return found == by_digest_.end() ? nullptr : found->second;
}

const Input& InputModel::read(PartitionId partition, const LogRecord& record, Instant now) {
  auto& inputs = inputs_[static_cast<std::size_t>(partition)];
  return inputs.emplace_back(classify(partition, record, now));
}

// Not the product's code on purpose, but for the decoder, which has a reference of its own.
Input InputModel::classify(PartitionId partition, const LogRecord& record, Instant now) {
  Input input;
  if (const auto message = header_of(record, "penstock-message")) {
    const std::size_t arrow = message->find('>'), hash = message->rfind('#');
    input.message = *message;
    input.source = message->substr(0, arrow);
    input.number = std::stoull(std::string(message->substr(hash + 1)));
    input.oldest =
        std::stoull("0" + std::string(header_of(record, "penstock-oldest").value_or("")));
    std::uint64_t& last = watermarks_[{partition, input.source}];
    input.last = last;
    if (input.number != last + 1) return input;
    last = input.number;
  }
  if (header_of(record, "penstock-slots")) {
    input.taken = Taken::kSlots;
    return input;
  }
  if (header_of(record, "penstock-crashed")) {
    notice(input, record);
    return input;
  }
  const bool derived = header_of(record, "penstock-derived").has_value();
  const auto job =
      decoder_.decode(record.key, record.value, derived ? kMaxDerivedIdBytes : kMaxIdBytes);
  input.taken = Taken::kBad;
  if (!job) return input;
  input.taken = Taken::kMisrouted;
  if (partition_of(job->account, static_cast<int>(inputs_.size())) != partition) return input;
  input.op = job->op;
  input.run_at = job->run_at;
  if (job->op != Op::kEnqueue) {
    command(input, *job);
    return input;
  }
  if (!input.message.empty() && header_of(record, "penstock-replay")) {
    input.taken = Taken::kCopy;
    input.copy = identity_digest(job->account, job->id);
    return input;
  }
  const std::string place = place_name("penstock.sim", partition, record.offset);
  const std::string_view first = header_of(record, "penstock-origin").value_or(place);
  admit(input, partition, record.offset, *job, job->id.empty() ? first : job->id, now);
  return input;
}

void InputModel::command(Input& input, const JobRecord& record) {
  input.taken = Taken::kCommand;
  input.copy = identity_digest(record.account, record.id);
  input.job = find(input.copy);
  if (!input.job) return;
  input.job->plain = false;
  input.job->commanded = true;
  if (record.op == Op::kRetry) ++input.job->reruns;
  if (record.op == Op::kReschedule) input.job->rescheduled = true;
}

// At two deaths it is a suspect, which may have to wait for another; at three it is dead.
void InputModel::notice(Input& input, const LogRecord& record) {
  input.taken = Taken::kNotice;
  input.job = find(record.key.value_or(""), record.value.value_or(""));
  if (!input.job) return;
  ++input.job->deaths;
  if (input.job->deaths < 2) return;
  input.job->plain = false;
  input.job->rescheduled = true;
  input.job->commanded = true;
}

void InputModel::admit(Input& input, PartitionId partition, Offset offset, const JobRecord& record,
                       std::string_view id, Instant now) {
  const Digest digest = identity_digest(record.account, id);
  if (copies_.contains(digest)) {
    input.taken = Taken::kCopy;
    input.copy = digest;
    input.is_twin = true;
    return;
  }
  input.job = find(digest);
  if (input.job) {
    input.taken = Taken::kRepeat;
    ++input.job->repeats;
    return;
  }
  input.taken = Taken::kJob;
  Job& job = jobs_.emplace_back();
  input.job = &job;
  job.account = record.account;
  job.id = id;
  job.type = record.type;
  job.digest = digest;
  job.partition = partition;
  job.offset = offset;
  job.appended = now;
  job.run_at = record.run_at;
  job.expires_at = record.expires_at;
  job.priority = record.priority;
  note_key(job, record.args);
  if (record.bulk) count_chunk(job, *record.bulk);
  job.plain = !record.run_at && !record.expires_at && record.type == kType;
  by_digest_[digest] = &job;
  lines_[job.account].push_back(&job);
}

void InputModel::note_key(Job& job, std::string_view args) {
  const UniqueType* const type = unique_type(job.type);
  if (!type) return;
  job.rescheduled = type->on_conflict == OnConflict::kDebounce;  // by whoever comes after it
  job.unique_key = job.account + "/" + job.type + "/" + args[args.find("\"k\":") + 4];
  keys_[job.unique_key].push_back(&job);
}

void InputModel::count_chunk(Job& job, const BulkRef& chunk) {
  job.bulk_id = chunk.id;
  Bulk& bulk = bulks_[{job.account, job.bulk_id}];
  if (bulk.size == 0) bulk = {job.account, job.bulk_id, chunk.size, {}, 0};
  if (chunk.index >= bulk.size || !bulk.chunks.emplace(chunk.index, &job).second) return;
  job.bulk = &bulk;
}

}  // namespace penstock::simulation
