// Reads lines of at most `max_line_bytes` from a non-blocking descriptor. Belongs to one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

class LineReader {
 public:
  static constexpr std::size_t kChunkBytes = 64 << 10;  // per fill()

  explicit LineReader(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  enum class Fill { kMore, kDrained, kEnded };
  // Reads what is available, at most one chunk. Invalidates the lines that next() has returned.
  [[nodiscard]] Fill fill(int fd);
  // The next complete line, without its line break.
  [[nodiscard]] std::optional<std::string_view> next();
  // Removes and returns the incomplete last line.
  [[nodiscard]] std::string take_rest();
  // Whether no line is left, not even an incomplete one.
  [[nodiscard]] bool is_empty() const { return begin_ == buffer_.size(); }
  // Whether the incomplete line has exceeded the maximum.
  [[nodiscard]] bool is_too_long() const { return buffer_.size() - begin_ > max_line_bytes_; }

 private:
  const std::size_t max_line_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the next line
  std::size_t searched_ = 0;  // no line break is between begin_ and here
};

}  // namespace penstock
