// A program that answers lines: each line that it gets on its standard input is answered by one line
// on its standard output, in order. A replay sends its records through one (`--through`).
//
// One thread serves it. The program is started when the first line comes, and again when it has
// ended with lines unanswered; those are then asked again. A program that takes longer than
// kPatience for a line, or that cannot be started, fails that line: the caller may ask again. It
// ends with this process, with everything that it has started (consumer/handlers/process).
//
// ask() may be called from any thread, and its answer comes on the program's own thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/handlers/exec/error_lines.h"
#include "topics/values/result.h"

namespace penstock {

class LineProgram {
 public:
  static constexpr std::chrono::seconds kPatience{30};
  static constexpr std::size_t kMaxAnswerBytes = 2 << 20;

  // argv[0] is an absolute path. `log` gets what it writes to standard error.
  LineProgram(std::vector<std::string> argv, LineSink log);
  // Kills it; lines that are not answered never will be.
  ~LineProgram();
  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;

  using Answer = std::function<void(Result<std::string>)>;
  // The line has no line break.
  void ask(std::string line, Answer answer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
