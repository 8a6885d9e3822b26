#include "tests/simulation/checks/replay_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/simulation/settings.h"
#include "topics/partitioner.h"

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

bool has(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
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

ReplayPlan ReplayModel::plan(const std::string& name, const ReplayRecord& record, Copies& copies) {
  ReplayPlan plan{name, record, {}, false};
  plan.counts.resize(static_cast<std::size_t>(partitions_));
  for (PartitionId partition = 0; partition < partitions_; ++partition) {
    const ReplayRange range = record.ranges.at(static_cast<std::size_t>(partition));
    const auto& log = cluster_.partition(topic_of(record), partition);
    for (Offset at = range.from; at < range.to; at = at.next())
      read(plan, partition, log.at(at), copies);
  }
  return plan;
}

void ReplayModel::read(ReplayPlan& plan, PartitionId partition, const LogRecord& record,
                       Copies& copies) {
  const ReplayTerms& terms = plan.record.terms;
  ReplayCounts& counts = plan.counts[static_cast<std::size_t>(partition)];
  ++counts.scanned;
  if (!has(terms.accounts, record.key.value_or(""))) return;
  const auto leave_out = [&](LeftOut reason) {
    ++counts.left_out[static_cast<std::size_t>(reason)];
  };
  if (terms.dead) {
    const std::string reason = own_header(record, "penstock-reason").value_or("");
    if (!has(terms.reasons, reason)) return;
    if (reason.starts_with("bad_") || reason == "too_large") return leave_out(LeftOut::kBad);
  } else if (const auto own = is_own(record)) {
    return leave_out(*own);
  }
  const bool derived = own_header(record, "penstock-derived").has_value();
  const auto job =
      decoder_.decode(record.key, record.value, derived ? kMaxDerivedIdBytes : kMaxIdBytes);
  if (!job) return leave_out(LeftOut::kBad);
  if (job->op != Op::kEnqueue) return leave_out(LeftOut::kCommand);
  if (!has(terms.types, job->type)) return;
  ++counts.matched;
  add(plan, partition, record, *job, copies);
}

void ReplayModel::add(const ReplayPlan& plan, PartitionId partition, const LogRecord& record,
                      const JobRecord& job, Copies& copies) {
  const ReplayTerms& terms = plan.record.terms;
  const std::string place = topic_of(plan.record) + "/" + std::to_string(partition) + "/" +
                            std::to_string(record.offset.value);
  const std::string source = own_header(record, "penstock-source").value_or(place);
  std::string of = job.id.empty() ? source : std::string(job.id);
  const auto copy_of = terms.dead ? own_header(record, "penstock-replay") : std::nullopt;
  if (copy_of) of = nlohmann::json::parse(*copy_of)["of"];
  const std::string id = "replay/" + plan.name + "/" + of;
  Copy& copy = copies[identity_digest(job.account, id)];
  copy.sources.insert(source);
  const PartitionId home = partition_of(job.account, partitions_);
  if (copy.id.empty()) {
    copy.replay = plan.name;
    copy.account = job.account;
    copy.id = id;
    copy.of = of;
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
}

}  // namespace penstock::simulation
