#include "state/job_row.h"

#include "state/encoding.h"

namespace penstock {
namespace {

constexpr std::uint8_t kRowVersion = 1;
constexpr std::uint8_t kSharing = 's';

Time read_time(Cursor& cursor) { return time_from_ms(cursor.i64()); }

int read_count(Cursor& cursor) { return static_cast<int>(cursor.varint()); }

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::kScheduled: return "scheduled";
    case JobState::kReady: return "ready";
    case JobState::kWaiting: return "waiting";
    case JobState::kRunning: return "running";
    case JobState::kRetrying: return "retrying";
    case JobState::kSucceeded: return "succeeded";
    case JobState::kDead: return "dead";
    case JobState::kCancelled: return "cancelled";
    case JobState::kDuplicate: return "duplicate";
    case JobState::kExpired: return "expired";
  }
  return "unknown";
}

std::string JobRow::encode() const {
  std::string out;
  out.reserve(96 + type.size() + id.size() + account.size() + reason.size() + cursor.size() +
              value.size());
  put_u8(out, kRowVersion);
  put_u8(out, static_cast<std::uint8_t>(state));
  put_varint(out, static_cast<std::uint64_t>(attempt));
  put_varint(out, static_cast<std::uint64_t>(crashes));
  put_i64(out, offset.value);
  for (const Time time : {admitted_at, run_at, started_at, ended_at, expires_at}) {
    put_i64(out, to_ms(time));
  }
  put_varint(out, static_cast<std::uint64_t>(follow_ups));
  for (const std::string* text : {&type, &id, &account, &reason, &cursor, &value}) {
    put_text(out, *text);
  }
  put_varint(out, headers.size());
  for (const Header& header : headers) {
    put_text(out, header.name);
    put_text(out, header.value);
  }
  if (priority == 0 && weight == 1 && bulk.empty()) return out;
  put_u8(out, kSharing);
  put_i64(out, priority);
  put_varint(out, static_cast<std::uint64_t>(weight));
  put_text(out, bulk);
  put_i64(out, bulk_index);
  return out;
}

Result<JobRow> JobRow::decode(std::string_view bytes) {
  Cursor cursor(bytes);
  if (const int version = cursor.u8(); version != kRowVersion) {
    return failure("a job row has format " + std::to_string(version) + ", this version reads " +
                   std::to_string(kRowVersion));
  }
  JobRow row;
  row.state = static_cast<JobState>(cursor.u8());
  row.attempt = read_count(cursor);
  row.crashes = read_count(cursor);
  row.offset = Offset{cursor.i64()};
  for (Time* time : {&row.admitted_at, &row.run_at, &row.started_at, &row.ended_at, &row.expires_at}) {
    *time = read_time(cursor);
  }
  row.follow_ups = read_count(cursor);
  for (std::string* text : {&row.type, &row.id, &row.account, &row.reason, &row.cursor, &row.value}) {
    *text = cursor.text();
  }
  const std::uint64_t headers = cursor.varint();
  for (std::uint64_t i = 0; i < headers && !cursor.failed(); ++i) {
    std::string name(cursor.text());
    row.headers.push_back({std::move(name), std::string(cursor.text())});
  }
  if (!cursor.failed() && !cursor.at_end() && cursor.u8() == kSharing) {
    row.priority = static_cast<int>(cursor.i64());
    row.weight = read_count(cursor);
    row.bulk = cursor.text();
    row.bulk_index = cursor.i64();
  }
  if (cursor.failed() || !cursor.at_end()) return failure("a job row is cut short or too long");
  return row;
}

}  // namespace penstock
