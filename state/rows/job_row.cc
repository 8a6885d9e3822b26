#include "state/rows/job_row.h"

#include "state/rows/encoding.h"

namespace penstock {
namespace {

constexpr std::uint8_t kRowVersion = 1;
constexpr std::uint8_t kSharing = 's', kOrigin = 'o', kUnique = 'k', kGoingOn = 'g', kAsked = 'a',
                       kSnoozed = 'z', kCopy = 'p';

Time read_time(Cursor& cursor) { return time_from_ms(cursor.i64()); }

int read_count(Cursor& cursor) { return static_cast<int>(cursor.varint()); }

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::kScheduled:
      return "scheduled";
    case JobState::kReady:
      return "ready";
    case JobState::kWaiting:
      return "waiting";
    case JobState::kRunning:
      return "running";
    case JobState::kRetrying:
      return "retrying";
    case JobState::kSucceeded:
      return "succeeded";
    case JobState::kDead:
      return "dead";
    case JobState::kCancelled:
      return "cancelled";
    case JobState::kDuplicate:
      return "duplicate";
    case JobState::kExpired:
      return "expired";
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
  put_seq(out, seq);
  put_varint(out, static_cast<std::uint64_t>(offset.value));
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
    put_optional(out, header.value);
  }
  // From here on, each section is written only if it differs from what assign() sets without it.
  // Most jobs need none of them.
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
  if (unique != Digest{}) {
    put_u8(out, kUnique);
    put_digest(out, unique);
  }
  if (batch.given() || turn.given() || ran > Duration{0} || progress >= 0) {
    put_u8(out, kGoingOn);
    put_seq(out, batch);
    put_seq(out, turn);
    for (const std::int64_t number : {ran.count(), progress, progress_total}) put_i64(out, number);
  }
  if (cancel_asked()) {
    put_u8(out, kAsked);
    put_u8(out, static_cast<std::uint8_t>(asked));
  }
  if (snoozes > 0) {
    put_u8(out, kSnoozed);
    put_varint(out, static_cast<std::uint64_t>(snoozes));
  }
  if (is_copy()) {
    put_u8(out, kCopy);
    put_text(out, replay);
  }
  return out;
}

namespace {

// The members of fixed meaning that follow the version.
void read_start(Cursor& reader, JobRow& row) {
  row.state = static_cast<JobState>(reader.u8());
  row.attempt = read_count(reader);
  row.crashes = read_count(reader);
  row.seq = reader.seq();
  row.offset = Offset{static_cast<std::int64_t>(reader.varint())};
  for (Time* time :
       {&row.admitted_at, &row.run_at, &row.started_at, &row.ended_at, &row.expires_at}) {
    *time = read_time(reader);
  }
}

}  // namespace

Time row_ready_since(std::string_view bytes) {
  Cursor reader(bytes);
  (void)reader.u8();  // version
  JobRow row;
  read_start(reader, row);
  return ready_since(row);
}

Status JobRow::assign(std::string_view bytes) {
  Cursor reader(bytes);
  if (const int version = reader.u8(); version != kRowVersion) {
    return failure("a job row has format " + std::to_string(version) + ", this version reads " +
                   std::to_string(kRowVersion));
  }
  read_start(reader, *this);
  follow_ups = read_count(reader);
  for (std::string* text : {&type, &id, &account, &reason, &cursor, &value}) {
    *text = reader.text();
  }
  // The row may have been used before, and neither the headers nor the sections below are always in
  // the bytes.
  headers.clear();
  const std::uint64_t count = reader.varint();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    std::string name(reader.text());
    headers.push_back({std::move(name), reader.optional()});
  }
  priority = 0;
  weight = 1;
  bulk.clear();
  bulk_index = -1;
  origin.clear();
  replay.clear();
  batch = {};
  turn = {};
  ran = Duration{0};
  progress = -1;
  progress_total = 0;
  snoozes = 0;
  unique = {};
  asked = Asked::kNothing;
  // The sections come in the order of encode(), so each is looked for once. One that is unknown or
  // out of order is left over at the end, which is an error.
  const auto begins = [&reader](std::uint8_t section) {
    return !reader.failed() && reader.rest_begins_with(section) && reader.u8() == section;
  };
  if (begins(kSharing)) {
    priority = static_cast<int>(reader.i64());
    weight = read_count(reader);
    bulk = reader.text();
    bulk_index = reader.i64();
  }
  if (begins(kOrigin)) origin = reader.text();
  if (begins(kUnique)) {
    unique.high = reader.u64();
    unique.low = reader.u64();
  }
  if (begins(kGoingOn)) {
    std::int64_t ran_ms = 0;
    batch = reader.seq();
    turn = reader.seq();
    for (std::int64_t* number : {&ran_ms, &progress, &progress_total}) *number = reader.i64();
    ran = Duration{ran_ms};
  }
  if (begins(kAsked)) asked = static_cast<Asked>(reader.u8());
  if (begins(kSnoozed)) snoozes = read_count(reader);
  if (begins(kCopy)) replay = reader.text();
  if (reader.failed() || !reader.at_end()) return failure("a job row is cut short or too long");
  return {};
}

std::size_t JobRow::header_bytes() const {
  std::size_t bytes = 0;
  for (const Header& header : headers)
    bytes += size_of(view_of(header)) + 1 + 2 * sizeof(std::uint32_t);
  return bytes;
}

Result<JobRow> JobRow::decode(std::string_view bytes) {
  JobRow row;
  if (Status status = row.assign(bytes); !status) return tl::unexpected(status.error());
  return row;
}

}  // namespace penstock
