// The building blocks of the byte formats in this folder: LEB128 varints, fixed-width integers and
// length-prefixed strings. A ByteReader never reads past its end: after a short read, ok() is false
// and every further result is zero or empty. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::embedded {

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

inline void put_bytes(std::string& out, std::string_view bytes) {
  put_varint(out, bytes.size());
  out.append(bytes);
}

// Big-endian, so that keys sort in the order of their numbers. `width` is in bytes.
inline void put_fixed(std::string& out, std::uint64_t value, int width) {
  for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift));
  }
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view input, std::size_t at = 0) : input_(input), at_(at) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool done() const { return at_ == input_.size(); }
  [[nodiscard]] std::size_t at() const { return at_; }

  std::uint8_t byte() {
    if (at_ >= input_.size()) return fail();
    return static_cast<std::uint8_t>(input_[at_++]);
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    return fail();
  }

  std::uint64_t fixed(int width) {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) value = value << 8 | byte();
    return ok_ ? value : 0;
  }

  std::string_view bytes() {
    const std::uint64_t size = varint();
    if (size > input_.size() - at_) {
      fail();
      return {};
    }
    at_ += size;
    return input_.substr(at_ - size, size);
  }

  std::string_view rest() {
    const std::size_t from = at_;
    at_ = input_.size();
    return input_.substr(from);
  }

 private:
  std::uint8_t fail() {
    ok_ = false;
    at_ = input_.size();
    return 0;
  }

  std::string_view input_;
  std::size_t at_;
  bool ok_ = true;
};

}  // namespace penstock::embedded
