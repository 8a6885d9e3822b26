// A child process that answers lines: each line that it gets on its standard input is answered by
// one line on its standard output.
//
// Nothing in an answer says which question it is for, so what comes when nothing was asked is a
// fault: a line before a question has been read, or behind an answer. A banner would otherwise be
// taken for the first answer, and each answer for that of the next question. A line behind an answer
// that is only written after the next question is not told apart from its answer, except behind the
// first answer, where the process must stay silent for kSettle.
//
// The process, with everything that it has started, ends with this object. Belongs to one thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "consumer/handlers/exec/error_lines.h"
#include "consumer/handlers/exec/line_reader.h"
#include "consumer/handlers/process/child_process.h"

namespace penstock {

// Why a process has not answered, to follow its name: "gave no answer within 30 s".
struct LineFault {
  std::string what;
  bool has_ended = false;  // without a word, so another process may be asked the same
};

class LineChild {
 public:
  static constexpr std::chrono::milliseconds kSettle{100};

  // `log` gets what it writes to standard error, and must outlive this.
  LineChild(ChildProcess process, std::size_t max_line_bytes, const LineSink& log)
      : process_(std::move(process)),
        max_line_bytes_(max_line_bytes),
        lines_(max_line_bytes),
        errors_(log) {}

  using Answer = tl::expected<std::string, LineFault>;
  // Asks a line, which has no line break, and waits for its answer; `stops` is called every 100 ms
  // and ends that. After a fault nothing more may be asked.
  [[nodiscard]] Answer ask(std::string line, std::chrono::seconds patience,
                           const std::function<bool()>& stops);
  // Ends its input and waits for its end. A fault: it has written what nothing asked for.
  [[nodiscard]] std::optional<LineFault> finish(std::chrono::seconds patience);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kChunksPerStep = 16;
  static constexpr std::chrono::milliseconds kLook{100};

  // Waits until anything happens, writes of `unsent_` what there is room for, and reads what there
  // is.
  [[nodiscard]] bool step(std::chrono::milliseconds at_most);
  [[nodiscard]] bool has_output() const { return !lines_.is_empty(); }
  // Whether it has not read the question yet, but for its line break.
  [[nodiscard]] bool has_unread() const;
  // Absent: it stays silent.
  [[nodiscard]] std::optional<LineFault> settle(const std::function<bool()>& stops);
  [[nodiscard]] LineFault fault(std::string what);
  [[nodiscard]] LineFault unasked() { return fault("wrote a line that nothing asked for"); }

  ChildProcess process_;
  const std::size_t max_line_bytes_;
  LineReader lines_;
  ErrorLines errors_;
  std::string unsent_;
  bool takes_more_ = true;
  bool has_ended_ = false;  // its standard output is at its end
  bool has_answered_ = false;
};

}  // namespace penstock
