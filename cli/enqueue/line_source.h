// Reads a stream line by line, with a bounded line length. Used from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

struct InputLine {
  std::uint64_t number = 0;  // counted from 1
  std::string_view text;     // without the line end; valid until the next line
  bool too_long = false;     // longer than allowed: `text` is only its beginning
};

class LineSource {
 public:
  LineSource(std::istream& in, std::size_t max_bytes);

  [[nodiscard]] std::optional<InputLine> next();
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_; }

 private:
  [[nodiscard]] bool fill();

  std::istream& in_;
  const std::size_t max_bytes_;
  std::vector<char> chunk_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::string line_;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace penstock
