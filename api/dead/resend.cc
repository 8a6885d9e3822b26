#include "api/dead/resend.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace penstock {

std::uint64_t ResendCounts::all_failed() const {
  std::uint64_t sum = 0;
  for (const auto& [reason, count] : failed) sum += count;
  return sum;
}

nlohmann::ordered_json resend_json(const ResendCounts& counts) {
  nlohmann::ordered_json failed = nlohmann::ordered_json::object();
  for (const auto& [reason, count] : counts.failed) failed[reason] = count;
  return {{"listed", counts.listed},
          {"sent", counts.sent},
          {"already", counts.already},
          {"left_out", counts.left_out},
          {"failed", std::move(failed)}};
}

void Resend::fail(const DeadEntry& entry, const NotSent& why) {
  ++counts_.failed[why.reason];
  if (parts_.on_failed) parts_.on_failed(entry, why);
}

std::vector<ResendRecord> Resend::records(const DeadEntry& entry,
                                          const Candidate& candidate) const {
  if (candidate.is_command) return {candidate.record};
  const Standing standing = parts_.ask(candidate.record.account, candidate.id);
  // A job that is not kept leaves its identity, so its record would be a duplicate.
  const bool remembered = candidate.is_retried && parts_.remembers_from && entry.at &&
                          *entry.at >= *parts_.remembers_from;
  if (standing == Standing::kNone && remembered) return {};
  return ResendPlan::records(candidate, standing);
}

Status Resend::take(const DeadEntry& entry) {
  ++counts_.listed;
  Repair repair;
  if (parts_.repair) {
    Result<Repair> answer = parts_.repair(entry);
    if (!answer) {
      ++counts_.failed[std::string(kAnswerReason)];
      return failure(answer.error().message);
    }
    repair = *std::move(answer);
    if (!repair.bad.empty()) return fail(entry, {std::string(kAnswerReason), repair.bad}), Status();
    if (!repair.record) return ++counts_.left_out, Status();
  }
  const auto candidate = plan_.prepare(entry, repair.record ? &*repair.record : nullptr);
  if (!candidate) return fail(entry, candidate.error()), Status();
  const std::vector<ResendRecord> records = this->records(entry, *candidate);
  if (records.empty()) return ++counts_.already, Status();
  ++counts_.sent;
  if (!parts_.sender) return {};
  // Counted even if it fails: finish() subtracts what was not acknowledged.
  return parts_.sender->send(records);
}

Status Resend::finish() {
  if (!parts_.sender) return {};
  Status finished = parts_.sender->finish();
  const std::uint64_t failed = std::min(parts_.sender->failed(), counts_.sent);
  if (failed == 0) return finished;
  counts_.sent -= failed;
  counts_.failed[std::string(kUnansweredReason)] += failed;
  return finished;
}

}  // namespace penstock
