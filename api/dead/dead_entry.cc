#include "api/dead/dead_entry.h"

#include "topics/record/dead_record.h"
#include "topics/record/own_headers.h"
#include "topics/values/rfc3339.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

void take_letter(DeadEntry& entry, std::string_view name, std::string_view value) {
  if (name == kReasonHeader) entry.reason = value;
  if (name == kDetailHeader) entry.detail = value;
  if (name == kSourceHeader) entry.source = value;
  if (name == kAttemptsHeader) entry.attempts = whole_number<int>(value).value_or(0);
  if (name == kDiedAtHeader) entry.at = parse_rfc3339(value);
  if (name == kDerivedHeader) entry.derived = true;
  if (name == kCutHeader) entry.cut_bytes = whole_number<std::uint64_t>(value).value_or(0);
}

}  // namespace

bool DeadEntry::is_job() const {
  const auto known = dead_reason_of(reason);
  return known && is_of_job(*known);
}

DeadEntry DeadEntryReader::read_letter(PartitionId partition, const LogRecord& record) const {
  DeadEntry entry;
  entry.partition = partition;
  entry.offset = record.offset;
  if (record.key) entry.key.emplace(*record.key);
  for (const HeaderView& header : record.headers) {
    if (is_reserved_header(header.name)) {
      take_letter(entry, header.name, header.value.value_or(""));
    } else {
      entry.headers.push_back(copy_of(header));
    }
  }
  return entry;
}

void DeadEntryReader::read_value(DeadEntry& entry, const LogRecord& record) {
  if (!record.value) return;
  entry.value.emplace(*record.value);
  const bool parsed = !document_.parse(*record.value);
  if (parsed && document_.kind(JsonDocument::root()) == '{') {
    document_.each_member(JsonDocument::root(), [&](std::string_view name, JsonToken value) {
      if (document_.kind(value) != '"') return;
      if (name == "type") entry.type = document_.string(value);
      if (name == "id") entry.id = document_.string(value);
    });
  }
  if (entry.id.empty() && entry.is_job()) entry.id = entry.source;
}

}  // namespace penstock
