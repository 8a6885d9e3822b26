// What a handler process writes to standard error: every line goes to the worker's log, and the
// last one is kept, because it often says why the process died. Lines longer than kMaxLineBytes are
// logged in parts. Belongs to the executor's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "consumer/handlers/exec/line_reader.h"

namespace penstock {

// Called with each line that a handler process writes to standard error, or that describes how it
// ended.
using LineSink = std::function<void(std::string_view line)>;

class ErrorLines {
 public:
  static constexpr std::size_t kMaxLineBytes = 16 << 10;

  // `log` must outlive this.
  explicit ErrorLines(const LineSink& log) : log_(log) {}

  // A new process writes.
  void begin() { last_.clear(); }
  // Reads and logs what is available in `fd`, at most `max_chunks`. False: its end was reached.
  [[nodiscard]] bool read(int fd, int max_chunks);
  // Logs the incomplete last line.
  void end();
  void log(std::string_view line);
  [[nodiscard]] const std::string& last() const { return last_; }

 private:
  const LineSink& log_;
  LineReader reader_{kMaxLineBytes};
  std::string last_;
};

}  // namespace penstock
