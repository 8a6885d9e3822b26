#include "state/job_row.h"

#include "state/encoding.h"

namespace penstock {
namespace {

constexpr std::uint8_t kRowVersion = 1;
constexpr std::uint8_t kSharing = 's';
constexpr std::uint8_t kOrigin = 'o';

Time read_time(Cursor& cursor) { return time_from_ms(cursor.i64()); }

int read_count(Cursor& cursor) { return static_cast<int>(cursor.varint()); }

// The name of the part that follows; 0: none does.
std::uint8_t next_part(Cursor& cursor) {
  if (cursor.failed() || cursor.at_end()) return 0;
  const std::uint8_t name = cursor.u8();
  return name == 0 ? 0xff : name;
}

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
  if (priority != 0 || weight != 1 || !bulk.empty()) {
    put_u8(out, kSharing);
    put_i64(out, priority);
    put_varint(out, static_cast<std::uint64_t>(weight));
    put_text(out, bulk);
    put_i64(out, bulk_index);
  }
  if (!origin.empty()) {
    put_u8(out, kOrigin);
    put_text(out, origin);
  }
  return out;
}

Status JobRow::assign(std::string_view bytes) {
  Cursor reader(bytes);
  if (const int version = reader.u8(); version != kRowVersion) {
    return failure("a job row has format " + std::to_string(version) + ", this version reads " +
                   std::to_string(kRowVersion));
  }
  state = static_cast<JobState>(reader.u8());
  attempt = read_count(reader);
  crashes = read_count(reader);
  offset = Offset{reader.i64()};
  for (Time* time : {&admitted_at, &run_at, &started_at, &ended_at, &expires_at}) {
    *time = read_time(reader);
  }
  follow_ups = read_count(reader);
  for (std::string* text : {&type, &id, &account, &reason, &cursor, &value}) {
    *text = reader.text();
  }
  headers.clear();
  const std::uint64_t count = reader.varint();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    std::string name(reader.text());
    headers.push_back({std::move(name), std::string(reader.text())});
  }
  priority = 0;
  weight = 1;
  bulk.clear();
  bulk_index = -1;
  origin.clear();
  std::uint8_t part = next_part(reader);
  if (part == kSharing) {
    priority = static_cast<int>(reader.i64());
    weight = read_count(reader);
    bulk = reader.text();
    bulk_index = reader.i64();
    part = next_part(reader);
  }
  if (part == kOrigin) {
    origin = reader.text();
    part = next_part(reader);
  }
  if (part != 0) return failure("a job row has something unknown behind its headers");
  if (reader.failed() || !reader.at_end()) return failure("a job row is cut short or too long");
  return {};
}

Result<JobRow> JobRow::decode(std::string_view bytes) {
  JobRow row;
  if (Status status = row.assign(bytes); !status) return tl::unexpected(status.error());
  return row;
}

}  // namespace penstock
