// position := version:u8 = 3, at:i64, epoch:i64, seq:u64, hash:u64, released:u8, root:i64,
//             log:u64 u64
#include "state/store/store.h"

#include "state/rows/encoding.h"

namespace penstock {
namespace {
constexpr std::uint8_t kPositionVersion = 3;
}

std::string encode_position(const LogPosition& position) {
  std::string out;
  put_u8(out, kPositionVersion);
  put_i64(out, position.at.value);
  put_i64(out, position.epoch.value);
  put_u64(out, position.seq);
  put_u64(out, position.hash);
  put_u8(out, position.released ? 1 : 0);
  put_i64(out, position.root.value);
  put_u64(out, position.log.high);
  put_u64(out, position.log.low);
  return out;
}

std::optional<LogPosition> decode_position(std::string_view bytes) {
  Cursor cursor(bytes);
  // No failure: the rows are only a copy, which is discarded and restored from the log.
  if (cursor.u8() != kPositionVersion) return std::nullopt;
  LogPosition position;
  position.at = Offset{cursor.i64()};
  position.epoch = Offset{cursor.i64()};
  position.seq = cursor.u64();
  position.hash = cursor.u64();
  position.released = cursor.u8() != 0;
  position.root = Offset{cursor.i64()};
  position.log.high = cursor.u64();
  position.log.low = cursor.u64();
  if (cursor.failed() || !cursor.at_end()) return std::nullopt;
  return position;
}

}  // namespace penstock
