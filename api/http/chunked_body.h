// Extracts a chunked body from a connection's bytes, which may arrive in parts of any size. Pure.
//
//   body    := chunk* last (trailer CRLF)* CRLF       trailers are ignored
//   chunk   := size [";" extension] CRLF data CRLF    size is hexadecimal, extensions are ignored
//   last    := "0"+ [";" extension] CRLF
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/http_head.h"

namespace penstock {

// Status 413.
[[nodiscard]] HttpFault body_too_large(std::size_t max_bytes);

class ChunkedBody {
 public:
  // of a size with its extensions, or of a trailer
  static constexpr std::size_t kMaxLineBytes = 1024;
  static constexpr int kMaxTrailers = 32;

  explicit ChunkedBody(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Appends the part of the body that `bytes` contains to `body`. Returns how many bytes belong to
  // the body: all of them, unless the body is complete or invalid.
  std::size_t take(std::string_view bytes, std::string& body);

  [[nodiscard]] bool done() const { return at_ == At::kDone; }
  [[nodiscard]] const std::optional<HttpFault>& fault() const { return fault_; }

 private:
  enum class At : std::uint8_t { kSize, kData, kDataEnd, kTrailer, kDone };

  std::size_t take_data(std::string_view bytes, std::string& body);
  std::size_t take_line(std::string_view bytes);
  void read_line(std::size_t body_bytes);
  void read_size(std::size_t body_bytes);
  void refuse(int status, std::string detail);

  std::size_t max_bytes_;
  At at_ = At::kSize;
  std::string line_;             // the part that has arrived
  std::uint64_t data_left_ = 0;  // of the chunk
  int trailers_ = 0;
  std::optional<HttpFault> fault_;
};

}  // namespace penstock
