#include "consumer/replay/replay_filter.h"

#include <algorithm>

#include "consumer/replay/copy_record.h"
#include "state/log/arrivals.h"
#include "state/log/outbox.h"
#include "topics/names.h"
#include "topics/record/dead_letter.h"
#include "topics/record/dead_record.h"
#include "topics/record/own_headers.h"
#include "topics/record/record_headers.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

// What Penstock's own headers say of a record.
struct OwnHeaders {
  bool message = false, forwarded = false, notice = false, derived = false;
  bool cut = false;  // the key or the headers of a dead record
  std::string_view replay, reason, source, at;
};

OwnHeaders read_headers(const LogRecord& record, const std::string& place) {
  OwnHeaders own;
  for (const HeaderView& header : record.headers) {
    if (!is_reserved_header(header.name)) continue;
    const std::string_view value = header.value.value_or("");
    if (header.name == kMessageHeader) {
      const auto origin = parse_message_header(value);
      own.message = origin && origin->place == place;
    }
    if (header.name == kOriginHeader) own.forwarded = true;
    if (header.name == kCrashHeader || header.name == kSlotsHeader) own.notice = true;
    if (header.name == kDerivedHeader) own.derived = true;
    if (header.name == kCutKeyHeader || header.name == kCutHeadersHeader) own.cut = true;
    if (header.name == kReplayHeader) own.replay = value;
    if (header.name == kReasonHeader) own.reason = value;
    if (header.name == kSourceHeader) own.source = value;
    if (header.name == kDiedAtHeader) own.at = value;
  }
  return own;
}

bool is_of_bad_record(std::string_view text) {
  const auto reason = dead_reason_of(text);
  return reason && !is_of_job(*reason);
}

}  // namespace

ReplayFilter::ReplayFilter(const ReplayTerms& terms, std::string source)
    : terms_(terms),
      source_(std::move(source)),
      ids_(terms.ids.begin(), terms.ids.end()),
      types_(terms.types.begin(), terms.types.end()),
      accounts_(terms.accounts.begin(), terms.accounts.end()),
      reasons_(terms.reasons.begin(), terms.reasons.end()) {}

ReplayFilter::Verdict ReplayFilter::judge(const LogRecord& record, PartitionId partition) {
  Verdict verdict;
  if (!has_key(record)) return verdict;
  // Of dead jobs, the time of death counts, which a header has.
  if (!terms_.dead && !is_in_time(record)) return verdict;
  const auto leave_out = [&](LeftOut reason) {
    verdict.left_out = reason;
    return verdict;
  };
  OwnHeaders own;
  if (!record.headers.empty())
    own = read_headers(record, source_ + "/" + std::to_string(partition));
  const auto source = [&] {
    return own.source.empty() ? place_name(source_, partition, record.offset)
                              : std::string(own.source);
  };
  const auto leave_out_bad = [&] {
    verdict.source = source();
    verdict.is_repairable =
        record.key && record.value && !own.cut && bytes_of(record.headers).own <= kMaxHeadersBytes;
    return leave_out(LeftOut::kBad);
  };
  if (!record.headers.empty() && !terms_.dead) {
    if (own.notice) return leave_out(LeftOut::kCommand);
    if (own.message && own.forwarded) return leave_out(LeftOut::kForwarded);
    if (own.message && !own.replay.empty()) return leave_out(LeftOut::kCopy);
    if (check_headers(record.headers)) return leave_out_bad();
  }
  if (terms_.dead) {
    if (!reasons_.empty() && !reasons_.contains(own.reason)) return verdict;
    const auto at = parse_rfc3339(own.at);
    if (terms_.from && (!at || *at < *terms_.from)) return verdict;
    if (terms_.to && (!at || *at >= *terms_.to)) return verdict;
    // Of a dead record, the reserved headers are Penstock's own.
    const bool fits = bytes_of(record.headers).own <= kMaxHeadersBytes;
    if (!fits || is_of_bad_record(own.reason)) return leave_out_bad();
  }
  if (record.value && !may_be_of_types(*record.value)) return verdict;
  const std::size_t max_id = own.derived ? kMaxDerivedIdBytes : kMaxIdBytes;
  const auto job = decoder_.decode(record.key, record.value, max_id);
  if (!job) return leave_out_bad();
  if (job->op != Op::kEnqueue) return leave_out(LeftOut::kCommand);
  // A text of its own only for what is selected, or has no other id.
  if (job->id.empty()) verdict.source = source();
  const std::string_view id = job->id.empty() ? std::string_view(verdict.source) : job->id;
  if (!selects(*job, id)) return {};
  if (verdict.source.empty()) verdict.source = source();
  if (!own.replay.empty()) verdict.of = copy_origin_member(own.replay, "of");
  if (verdict.of.empty()) verdict.of = id;
  verdict.job = *job;
  verdict.matches = true;
  return verdict;
}

std::optional<JobRecord> ReplayFilter::decode(std::string_view account, std::string_view value) {
  const auto job = decoder_.decode(account, value, kMaxDerivedIdBytes);
  if (!job || job->op != Op::kEnqueue) return std::nullopt;
  return *job;
}

bool ReplayFilter::has_key(const LogRecord& record) const {
  return accounts_.empty() || (record.key && accounts_.contains(*record.key));
}

bool ReplayFilter::is_in_time(const LogRecord& record) const {
  return (!terms_.from || record.timestamp >= *terms_.from) &&
         (!terms_.to || record.timestamp < *terms_.to);
}

// Cheaper than decoding: a record of the type has its name in it, unless some of it is escaped.
bool ReplayFilter::may_be_of_types(std::string_view value) const {
  if (types_.empty() || value.find('\\') != std::string_view::npos) return true;
  return std::any_of(types_.begin(), types_.end(), [&](const std::string& type) {
    return value.find(type) != std::string_view::npos;
  });
}

bool ReplayFilter::selects(const JobRecord& job, std::string_view id) {
  if (!types_.empty() && !types_.contains(job.type)) return false;
  if (!ids_.empty() && !ids_.contains(id)) return false;
  return terms_.where.empty() || has_arguments(job);
}

bool ReplayFilter::has_arguments(const JobRecord& job) {
  args_.parse(job.args);
  return std::all_of(terms_.where.begin(), terms_.where.end(), [&](const auto& where) {
    const JsonTree::Node* const found = args_.find(where.pointer);
    if (!found) return false;
    std::string text;
    append_canonical(text, *found);
    return text == where.value;
  });
}

}  // namespace penstock
