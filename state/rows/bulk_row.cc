#include "state/rows/bulk_row.h"

#include <algorithm>

#include "state/rows/encoding.h"

namespace penstock {
namespace {

constexpr std::uint8_t kBulkRowVersion = 1;

}  // namespace

Time BulkRow::estimated_end(Time now) const {
  // One end tells no rate.
  if (done() || ended() < 2 || ended() >= size) return {};
  const double each =
      static_cast<double>((last_end - first_end).count()) / static_cast<double>(ended() - 1);
  const double left = each * static_cast<double>(size - ended());
  constexpr double kMaxMs = 1e12;  // 31 years: beyond it no estimate is worth anything
  // A bulk that has stalled would have an estimate in the past.
  return std::max(now, last_end + Duration(static_cast<std::int64_t>(std::min(left, kMaxMs))));
}

std::string BulkRow::encode() const {
  std::string out;
  put_u8(out, kBulkRowVersion);
  for (const std::uint64_t count : {size, admitted, succeeded, dead, cancelled, expired}) {
    put_varint(out, count);
  }
  put_seq(out, first_seq);
  for (const Time time : {first_at, last_at, first_end, last_end, done_at})
    put_i64(out, to_ms(time));
  put_varint(out, on_done_bytes);
  put_i64(out, to_ms(rows_until));
  return out;
}

Result<BulkRow> BulkRow::decode(std::string_view bytes) {
  Cursor cursor(bytes);
  if (const int version = cursor.u8(); version != kBulkRowVersion) {
    return failure("a bulk's row has format " + std::to_string(version) + ", this version reads " +
                   std::to_string(kBulkRowVersion));
  }
  BulkRow row;
  for (std::uint64_t* const count :
       {&row.size, &row.admitted, &row.succeeded, &row.dead, &row.cancelled, &row.expired}) {
    *count = cursor.varint();
  }
  row.first_seq = cursor.seq();
  for (Time* const time :
       {&row.first_at, &row.last_at, &row.first_end, &row.last_end, &row.done_at}) {
    *time = time_from_ms(cursor.i64());
  }
  row.on_done_bytes = cursor.varint();
  row.rows_until = time_from_ms(cursor.i64());
  if (cursor.failed() || !cursor.at_end()) return failure("a bulk's row is cut short or too long");
  return row;
}

}  // namespace penstock
