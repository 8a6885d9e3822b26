// A child process that is given lines and answers with lines: its process, and what has been read of
// its standard output and error. Who asks what, and how long to wait, is its owner's matter.
//
// The process, with everything that it has started, ends with this object. Belongs to one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "consumer/handlers/exec/error_lines.h"
#include "consumer/handlers/exec/line_reader.h"
#include "consumer/handlers/process/child_process.h"

namespace penstock {

class LineChild {
 public:
  // `log` gets what it writes to standard error, and must outlive this.
  LineChild(ChildProcess process, std::size_t max_line_bytes, const LineSink& log)
      : process_(std::move(process)), lines_(max_line_bytes), errors_(log) {}

  enum class Step {
    kDone,
    kInputClosed,  // it takes nothing any more of what is unsent
    kFailed,       // waiting has failed
  };
  // Waits until anything happens, writes of `unsent` what there is room for, and reads what there
  // is.
  [[nodiscard]] Step step(std::string& unsent, std::chrono::milliseconds at_most);

  // The next line that it has written; good until the next step.
  [[nodiscard]] std::optional<std::string_view> next() { return lines_.next(); }
  [[nodiscard]] bool is_too_long() const { return lines_.is_too_long(); }
  // Its standard output is at its end.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  // The last line of its standard error.
  [[nodiscard]] const std::string& last_error() const { return errors_.last(); }
  void close_in() { process_.close_in(); }
  [[nodiscard]] std::optional<ExitStatus> reap() { return process_.reap(); }

 private:
  static constexpr int kChunksPerStep = 16;

  ChildProcess process_;
  LineReader lines_;
  ErrorLines errors_;
  bool has_ended_ = false;
};

}  // namespace penstock
