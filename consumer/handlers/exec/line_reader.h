// Lines out of a descriptor that does not block, of at most `max_line_bytes`. One thread uses it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

class LineReader {
 public:
  static constexpr std::size_t kChunkBytes = 64 << 10;  // one fill's

  explicit LineReader(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  enum class Fill { kMore, kDrained, kEnded };
  // Takes in what is there, a chunk at most. Kept lines from next() are no longer valid.
  [[nodiscard]] Fill fill(int fd);
  // The next whole line, without its line break.
  [[nodiscard]] std::optional<std::string_view> next();
  // What has come of a line that is not whole, and takes it out.
  [[nodiscard]] std::string take_rest();
  // The line that is not whole has passed the maximum.
  [[nodiscard]] bool is_too_long() const { return buffer_.size() - begin_ > max_line_bytes_; }

 private:
  const std::size_t max_line_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the line that comes next
  std::size_t searched_ = 0;  // no line break lies between begin_ and here
};

}  // namespace penstock
