// The program of `dead resend --through`: it gets each dead record as one line of JSON
// (api/dead/dead_json.h, complete) on standard input, and answers with one line: the job record to
// send instead, which may have `account`, or null to leave it out. What it writes to standard error
// is passed on.
//
// One record at a time, so that an answer belongs to its record. The program, with everything that
// it has started, ends with this object. Used from one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dead/resend.h"
#include "cli/program/output.h"
#include "consumer/handlers/exec/line_child.h"
#include "producer/json_line.h"
#include "topics/json/json_document.h"

namespace penstock {

class RepairProgram {
 public:
  static constexpr std::size_t kMaxAnswerBytes = 2 << 20;
  static constexpr std::chrono::seconds kAnswerPatience{60};  // for one record
  static constexpr std::chrono::seconds kEndPatience{10};     // after its input has ended

  // `spec` is "exec:/path arg...". `output` must outlive this.
  [[nodiscard]] static Result<std::unique_ptr<RepairProgram>> start(std::string_view spec,
                                                                    std::string queue,
                                                                    Output& output);

  // An error: the program has ended, or does not answer.
  [[nodiscard]] Result<Repair> repair(const DeadEntry& entry);
  // Ends its input and waits for it. An error: it wrote more than was asked for, or failed.
  [[nodiscard]] Status finish();

 private:
  RepairProgram(std::vector<std::string> argv, std::string queue, Output& output);
  [[nodiscard]] Repair read_answer(std::string_view line);
  [[nodiscard]] tl::unexpected<Error> trouble(const LineFault& fault);

  const std::string queue_;
  const LineSink log_;
  ForkServer server_;
  std::optional<LineChild> child_;  // there once it has started
  JsonDocument document_;
  JsonLineReader lines_;
};

}  // namespace penstock
