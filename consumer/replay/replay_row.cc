#include "consumer/replay/replay_row.h"

#include "state/rows/encoding.h"

namespace penstock {
namespace {

constexpr std::uint8_t kReplayRowVersion = 1;
constexpr std::uint8_t kWasRead = 1, kWasCancelled = 2;

// Calls `visit` for each number, in the order of the row.
template <typename Counts, typename Visit>
void each_count(Counts& counts, Visit visit) {
  visit(counts.scanned);
  visit(counts.matched);
  for (auto& left : counts.left_out) visit(left);
  visit(counts.admitted);
  visit(counts.sent);
  visit(counts.forwarded);
  visit(counts.received);
  for (auto& ended : counts.ended) visit(ended);
}

}  // namespace

std::string ReplayRow::encode() const {
  std::string out;
  const auto put = [&out](std::int64_t number) {
    put_varint(out, static_cast<std::uint64_t>(number));
  };
  put_u8(out, kReplayRowVersion);
  put_u8(out, static_cast<std::uint8_t>((read ? kWasRead : 0) | (cancelled ? kWasCancelled : 0)));
  put(next.value);
  each_count(counts, put);
  put_varint(out, resumes);
  put(base_ended);
  put(base_dead);
  put_i64(out, to_ms(started_at));
  return out;
}

Result<ReplayRow> ReplayRow::decode(std::string_view bytes) {
  Cursor cursor(bytes);
  if (const int version = cursor.u8(); version != kReplayRowVersion) {
    return failure("a replay's row has format " + std::to_string(version) +
                   ", this version reads " + std::to_string(kReplayRowVersion));
  }
  ReplayRow row;
  const auto take = [&cursor](std::int64_t& number) {
    number = static_cast<std::int64_t>(cursor.varint());
  };
  const std::uint8_t flags = cursor.u8();
  row.read = (flags & kWasRead) != 0;
  row.cancelled = (flags & kWasCancelled) != 0;
  take(row.next.value);
  each_count(row.counts, take);
  row.resumes = cursor.varint();
  take(row.base_ended);
  take(row.base_dead);
  row.started_at = time_from_ms(cursor.i64());
  if (cursor.failed() || !cursor.at_end())
    return failure("a replay's row is cut short or too long");
  return row;
}

}  // namespace penstock
