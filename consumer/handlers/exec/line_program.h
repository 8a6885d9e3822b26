// A program that answers lines: each line that it gets on its standard input is answered by one line
// of JSON on its standard output, in order. A replay sends its records through one (`--through`).
//
// One thread serves it, one line at a time. The program is started when the first line comes, and
// again after a failure. A line that it has not answered when it ends is asked once more. Anything
// else fails the line, and the caller may ask again: no answer in time, one that is too long or no
// JSON, a line that nothing asked for (line_child.h), or a program that cannot be started. It ends
// with this process, with everything that it has started (consumer/handlers/process).
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
  LineProgram(std::vector<std::string> argv, LineSink log,
              std::chrono::seconds patience = kPatience);
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
