#include "tests/simulation/checks/replays/replay_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "state/rows/keys.h"
#include "tests/simulation/replay_program.h"
#include "tests/simulation/settings.h"
#include "topics/partitioner.h"
#include "topics/values/rfc3339.h"

namespace penstock::simulation {
namespace {

std::optional<std::string> own_header(const LogRecord& record, std::string_view name) {
  std::optional<std::string> found;
  for (const HeaderView& one : record.headers) {
    if (one.name == name) found = std::string(one.value.value_or(""));
  }
  return found;
}

std::string topic_of(const ReplayRecord& record) {
  return record.terms.dead ? names().dead_topic() : names().topic();
}

// Where the record was first stored.
std::string source_of(const ReplayPlan& plan, PartitionId partition, const LogRecord& record) {
  const std::string place = topic_of(plan.record) + "/" + std::to_string(partition) + "/" +
                            std::to_string(record.offset.value);
  return own_header(record, "penstock-source").value_or(place);
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool is_in_time(const ReplayTerms& terms, std::optional<Time> at) {
  if (!terms.from && !terms.to) return true;
  return at && (!terms.from || *at >= *terms.from) && (!terms.to || *at < *terms.to);
}

// A record of the types has their name in it, whatever else is wrong with it.
bool may_be_of_types(const ReplayTerms& terms, const LogRecord& record) {
  const std::string_view value = record.value.value_or("");
  return terms.types.empty() || value.find('\\') != std::string_view::npos ||
         std::any_of(terms.types.begin(), terms.types.end(), [&](const std::string& type) {
           return value.find(type) != std::string_view::npos;
         });
}

// Why a record of the queue's topic is none that could be copied, before it is read.
std::optional<LeftOut> is_own(const LogRecord& record) {
  if (own_header(record, "penstock-crashed") || own_header(record, "penstock-slots"))
    return LeftOut::kCommand;
  if (!own_header(record, "penstock-message")) return std::nullopt;
  if (own_header(record, "penstock-origin")) return LeftOut::kForwarded;
  if (own_header(record, "penstock-replay")) return LeftOut::kCopy;
  return std::nullopt;
}

}  // namespace

std::string name_of(const Copy& copy) { return copy.account + "/" + copy.id; }

const ReplayPlan* Copy::only_plan() const {
  const ReplayPlan* only = nullptr;
  for (const Record& record : records) {
    if (only && record.plan != only) return nullptr;
    only = record.plan;
  }
  return only;
}

bool Copy::is_of(const ReplayPlan& plan) const {
  return std::any_of(records.begin(), records.end(),
                     [&](const Record& record) { return record.plan == &plan; });
}

ReplayRow replay_row(const ReferenceStore& store, const std::string& name) {
  const auto found = store.rows().find(keys::replay(name));
  return found == store.rows().end() ? ReplayRow{} : ReplayRow::decode(found->second).value();
}

ReplayCounts ReplayPlan::counts(PartitionId partition) const {
  ReplayCounts counts;
  for (const FoundRecord& one : found[static_cast<std::size_t>(partition)]) {
    const auto reason = one.lost ? LeftOut::kLost : one.left_out;
    if (reason) ++counts.left_out[static_cast<std::size_t>(*reason)];
    if (one.lost) continue;
    ++counts.scanned;
    counts.matched += one.matches ? 1 : 0;
  }
  return counts;
}

ReplayPlan& ReplayModel::plan(const std::string& name, const ReplayRecord& record, Copies& copies,
                              Copies& sent) {
  ReplayPlan& plan = plans_.emplace_back(ReplayPlan{name, record, {}});
  plan.found.resize(static_cast<std::size_t>(partitions_));
  for (PartitionId partition = 0; partition < partitions_; ++partition) {
    const auto index = static_cast<std::size_t>(partition);
    const ReplayRange range = record.ranges.at(index);
    const auto& log = cluster_.partition(topic_of(record), partition);
    for (Offset at = range.from; at < range.to; at = at.next())
      plan.found[index].push_back(read(plan, partition, log.at(at), plan.sends() ? sent : copies));
  }
  return plan;
}

FoundRecord ReplayModel::read(const ReplayPlan& plan, PartitionId partition,
                              const LogRecord& record, Copies& copies) {
  const ReplayTerms& terms = plan.record.terms;
  FoundRecord found;
  if (!has(terms.accounts, record.key.value_or(""))) return found;
  if (!terms.dead && !is_in_time(terms, record.timestamp)) return found;
  const auto bad = [&] {
    found.left_out = LeftOut::kBad;
    if (!terms.through.empty() && record.key && record.value)
      answered(found, plan, partition, record, {}, copies);
    return found;
  };
  if (terms.dead) {
    const std::string reason = own_header(record, "penstock-reason").value_or("");
    if (!has(terms.reasons, reason)) return found;
    if (!is_in_time(terms, parse_rfc3339(own_header(record, "penstock-at").value_or(""))))
      return found;
    if (reason.starts_with("bad_") || reason == "too_large") return bad();
  } else if (const auto own = is_own(record)) {
    found.left_out = *own;
    return found;
  }
  if (!may_be_of_types(terms, record)) return found;
  const bool derived = own_header(record, "penstock-derived").has_value();
  const auto job =
      decoder_.decode(record.key, record.value, derived ? kMaxDerivedIdBytes : kMaxIdBytes);
  if (!job) return bad();
  if (job->op != Op::kEnqueue) {
    found.left_out = LeftOut::kCommand;
    return found;
  }
  std::string of = job->id.empty() ? source_of(plan, partition, record) : std::string(job->id);
  if (!selects(terms, *job, of)) return found;
  found.matches = true;
  const auto copy_of = terms.dead ? own_header(record, "penstock-replay") : std::nullopt;
  if (copy_of) of = nlohmann::json::parse(*copy_of)["of"];
  if (terms.through.empty()) {
    found.copy = add(plan, partition, record, *job, of, {}, copies);
  } else {
    answered(found, plan, partition, record, of, copies);
  }
  return found;
}

bool ReplayModel::selects(const ReplayTerms& terms, const JobRecord& job,
                          const std::string& id) const {
  if (!has(terms.types, job.type) || !has(terms.ids, id)) return false;
  const auto args = nlohmann::json::parse(job.args);
  return std::all_of(terms.where.begin(), terms.where.end(), [&](const auto& where) {
    const nlohmann::json::json_pointer at(where.pointer.text);
    return args.contains(at) && args[at] == nlohmann::json::parse(where.value);
  });
}

// `of` is empty where the program may make a job of what is none.
void ReplayModel::answered(FoundRecord& found, const ReplayPlan& plan, PartitionId partition,
                           const LogRecord& record, const std::string& of, Copies& copies) {
  const nlohmann::json line = line_of(*record.key, *record.value);
  found.line = line.dump();
  found.matches = true;
  found.left_out = LeftOut::kRefused;
  nlohmann::json answer = answer_to(line);
  if (!answer.is_object()) return;
  const std::string account = answer["account"];
  answer.erase("account");
  const std::string value = answer.dump();
  const auto job = decoder_.decode(account, value, kMaxDerivedIdBytes);
  if (!job || job->op != Op::kEnqueue) return;
  found.left_out.reset();
  const std::string id =
      job->id.empty() ? source_of(plan, partition, record) : std::string(job->id);
  found.copy = add(plan, partition, record, *job, of.empty() ? id : of, found.line, copies);
}

Digest ReplayModel::add(const ReplayPlan& plan, PartitionId partition, const LogRecord& record,
                        const JobRecord& job, std::string of, const std::string& line,
                        Copies& copies) {
  const ReplayTerms& terms = plan.record.terms;
  const std::string id = "replay/" + plan.name + "/" + of;
  const Digest digest = identity_digest(job.account, id);
  const PartitionId home = partition_of(job.account, partitions_);
  Copy& copy = copies[digest];
  copy.records.push_back({&plan, partition, record.offset});
  auto& contents = copy.contents[source_of(plan, partition, record)];
  contents.push_back(content_of(record, job, terms.keep_expiry));
  contents.back().line = line;
  if (copy.id.empty()) {
    copy.replay = plan.name;
    copy.account = job.account;
    copy.id = id;
    copy.of = std::move(of);
    copy.type = job.type;
    copy.home = home;
  }
  if (home != partition) {
    ++copy.sent;
  } else if (copy.offset.value < 0) {
    copy.offset = record.offset;
    copy.type = job.type;
    copy.plain = !job.run_at && !(terms.keep_expiry && job.expires_at);
  }
  return digest;
}

}  // namespace penstock::simulation
