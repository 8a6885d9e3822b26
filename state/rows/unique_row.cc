#include "state/rows/unique_row.h"

#include "state/rows/encoding.h"

namespace penstock {
namespace {

constexpr std::uint8_t kUniqueRowVersion = 1;

}  // namespace

std::string UniqueRow::encode() const {
  std::string out;
  put_u8(out, kUniqueRowVersion);
  put_varint(out, holders.size());
  for (const Holder& holder : holders) {
    put_seq(out, holder.seq);
    put_i64(out, to_ms(holder.until));
    put_text(out, holder.id);
  }
  return out;
}

Result<UniqueRow> UniqueRow::decode(std::string_view bytes) {
  Cursor cursor(bytes);
  if (const int version = cursor.u8(); version != kUniqueRowVersion) {
    return failure("a lock's row has format " + std::to_string(version) + ", this version reads " +
                   std::to_string(kUniqueRowVersion));
  }
  UniqueRow row;
  const std::uint64_t count = cursor.varint();
  for (std::uint64_t i = 0; i < count && !cursor.failed(); ++i) {
    Holder holder;
    holder.seq = cursor.seq();
    holder.until = time_from_ms(cursor.i64());
    holder.id = cursor.text();
    row.holders.push_back(std::move(holder));
  }
  if (cursor.failed() || !cursor.at_end()) return failure("a lock's row is cut short or too long");
  return row;
}

}  // namespace penstock
