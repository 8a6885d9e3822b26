#include "api/dead/dead_filter.h"

#include "topics/values/printable.h"
#include "topics/values/rfc3339.h"
#include "topics/values/whole_number.h"

namespace penstock {

Status DeadFilter::add_reason(std::string_view reason) {
  if (dead_reason_of(reason)) {
    reasons.emplace(reason);
    return {};
  }
  std::string known;
  for (const DeadReason each : kDeadReasons)
    known += (known.empty() ? "" : ", ") + std::string(to_string(each));
  return failure("found reason " + quoted_text(reason) + ", expected one of " + known);
}

bool DeadFilter::matches_letter(const DeadEntry& entry) const {
  if (!reasons.empty() && !reasons.contains(entry.reason)) return false;
  if (!account.empty() && entry.key != account) return false;
  if (from && (!entry.at || *entry.at < *from)) return false;
  return !to || (entry.at && *entry.at < *to);
}

std::optional<DeadEntry> DeadFilter::match(DeadEntryReader& reader, PartitionId partition,
                                           const LogRecord& record) const {
  DeadEntry entry = reader.read_letter(partition, record);
  if (!matches_letter(entry)) return std::nullopt;
  reader.read_value(entry, record);
  if (!type.empty() && entry.type != type) return std::nullopt;
  return entry;
}

Result<Time> parse_dead_time(std::string_view text) {
  if (const auto time = parse_rfc3339(text)) return *time;
  const auto ms = whole_number<std::int64_t>(text);
  if (ms && *ms >= 0 && *ms <= to_ms(kMaxTime)) return time_from_ms(*ms);
  return failure("found " + quoted_text(text) +
                 ", expected a time such as 2026-03-01T12:00:00Z, or milliseconds since 1970");
}

}  // namespace penstock
