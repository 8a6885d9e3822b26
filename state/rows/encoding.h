// Bytes of rows and log records: fixed-width integers are big-endian, so that keys sort by their
// numbers; lengths and counts are LEB128 varints. A Cursor reads these formats; instead of
// reading past the end it remembers the failure, so that a decoder checks only once, at its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "state/rows/job_seq.h"

namespace penstock {

inline void put_u8(std::string& out, std::uint8_t value) {
  out.push_back(static_cast<char>(value));
}

template <typename Unsigned>
void put_big_endian(std::string& out, Unsigned value) {
  char bytes[sizeof(Unsigned)];
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    bytes[i] =
        static_cast<char>(static_cast<std::uint8_t>(value >> (8 * (sizeof(Unsigned) - 1 - i))));
  }
  // At once, because appending is what costs.
  out.append(bytes, sizeof bytes);
}
inline void put_u32(std::string& out, std::uint32_t value) { put_big_endian(out, value); }
inline void put_u64(std::string& out, std::uint64_t value) { put_big_endian(out, value); }

// With the sign bit flipped, signed numbers sort correctly.
inline void put_i64(std::string& out, std::int64_t value) {
  put_u64(out, static_cast<std::uint64_t>(value) ^ (1ULL << 63));
}

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(value | 0x80)));
    value >>= 7;
  }
  out.push_back(static_cast<char>(static_cast<std::uint8_t>(value)));
}

inline void put_seq(std::string& out, JobSeq seq) {
  put_varint(out, static_cast<std::uint64_t>(seq.value));
}

inline void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out.append(text);
}

inline void put_optional(std::string& out, const std::optional<std::string>& text) {
  put_u8(out, text ? 1 : 0);
  put_text(out, text ? std::string_view(*text) : std::string_view());
}

class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(big_endian<std::uint8_t>()); }
  std::uint32_t u32() { return big_endian<std::uint32_t>(); }
  std::uint64_t u64() { return big_endian<std::uint64_t>(); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64() ^ (1ULL << 63)); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = u8();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }

  JobSeq seq() { return JobSeq{static_cast<std::int64_t>(varint())}; }

  std::string_view bytes(std::uint64_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string_view text() { return bytes(varint()); }
  std::optional<std::string> optional() {
    const bool present = u8() != 0;
    const std::string_view found = text();
    return present ? std::optional<std::string>(found) : std::nullopt;
  }
  std::string_view rest() { return bytes(rest_.size()); }

  [[nodiscard]] bool rest_begins_with(std::uint8_t byte) const {
    return !rest_.empty() && static_cast<std::uint8_t>(rest_.front()) == byte;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  template <typename Unsigned>
  Unsigned big_endian() {
    Unsigned value = 0;
    for (const char byte : bytes(sizeof(Unsigned))) {
      value = static_cast<Unsigned>((static_cast<std::uint64_t>(value) << 8) |
                                    static_cast<std::uint8_t>(byte));
    }
    return value;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace penstock
