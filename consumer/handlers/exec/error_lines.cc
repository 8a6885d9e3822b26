#include "consumer/handlers/exec/error_lines.h"

#include "consumer/handlers/protocol/reason.h"

namespace penstock {

bool ErrorLines::read(int fd, int max_chunks) {
  for (int chunk = 0; chunk < max_chunks; ++chunk) {
    const LineReader::Fill fill = reader_.fill(fd);
    while (const auto line = reader_.next()) log(*line);
    // A line without end must not fill the memory.
    if (reader_.is_too_long()) log(reader_.take_rest());
    if (fill == LineReader::Fill::kEnded) return false;
    if (fill == LineReader::Fill::kDrained) return true;
  }
  return true;
}

void ErrorLines::end() {
  const std::string rest = reader_.take_rest();
  log(rest);
}

void ErrorLines::log(std::string_view line) {
  const std::string text = one_line(line, kMaxLineBytes);
  if (text.empty()) return;
  last_ = text.substr(0, kMaxQuotedBytes);
  if (log_) log_(text);
}

}  // namespace penstock
