#include "cli/dead/repair_program.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "api/dead/dead_json.h"
#include "consumer/config/handler_spec.h"
#include "topics/values/printable.h"
#include "topics/values/trimmed.h"
#include "topics/values/utf8.h"

namespace penstock {
Result<std::unique_ptr<RepairProgram>> RepairProgram::start(std::string_view spec,
                                                            std::string queue, Output& output) {
  auto handler = parse_handler_spec(spec);
  if (!handler) return failure(handler.error().message);
  auto* const exec = std::get_if<ExecHandler>(&*handler);
  if (!exec) {
    return failure("found " + quoted_text(spec) +
                   ", expected a program, such as \"exec:/usr/bin/jq -c --unbuffered .value\"");
  }
  std::unique_ptr<RepairProgram> program(new RepairProgram(exec->argv, std::move(queue), output));
  auto process = ChildProcess::spawn(program->server_);
  if (!process) return failure(process.error().message);
  program->child_.emplace(*std::move(process), kMaxAnswerBytes, program->log_);
  return program;
}

RepairProgram::RepairProgram(std::vector<std::string> argv, std::string queue, Output& output)
    : queue_(std::move(queue)),
      log_([&output](std::string_view line) { output.note(printable(line)); }),
      server_(std::move(argv)) {}

tl::unexpected<Error> RepairProgram::trouble(const std::string& what) {
  std::string text = server_.argv().front() + " " + what;
  if (child_->has_ended()) {
    if (const auto status = child_->reap()) text += " (" + status->text + ")";
  }
  if (!child_->last_error().empty()) text += ": " + printable(child_->last_error());
  return failure(text + "; repair it and run the same again: what was sent is not run twice");
}

Result<Repair> RepairProgram::repair(const DeadEntry& entry) {
  const auto json = dead_json(entry, queue_, DeadShown::everything());
  auto line = ask(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  if (!line) return failure(line.error().message);
  return read_answer(*line);
}

Result<std::string> RepairProgram::ask(std::string request) {
  // A second line for an earlier record would be taken for the answer to this one.
  if (child_->next()) return trouble("wrote more than one line for a record");
  std::string unsent = std::move(request) + '\n';
  const auto deadline = Clock::now() + kAnswerPatience;
  while (true) {
    if (const auto line = child_->next()) return std::string(*line);
    if (child_->has_ended()) return trouble("ended before it had answered for every record");
    if (child_->is_too_long()) {
      return trouble("wrote a line of more than " + std::to_string(kMaxAnswerBytes) + " bytes");
    }
    if (Clock::now() >= deadline) {
      return trouble("gave no answer within " + std::to_string(kAnswerPatience.count()) +
                     " s (does it buffer its output?)");
    }
    if (const Status stepped = step(unsent, deadline); !stepped)
      return failure(stepped.error().message);
  }
}

Status RepairProgram::step(std::string& unsent, Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  constexpr std::chrono::milliseconds kNone{0}, kLongest{1000};
  switch (child_->step(unsent, std::clamp(left, kNone, kLongest))) {
    case LineChild::Step::kInputClosed:
      // It may answer nevertheless, or end.
      unsent.clear();
      return {};
    case LineChild::Step::kFailed:
      return failure("cannot wait for the program");
    case LineChild::Step::kDone:
      break;
  }
  return {};
}

Repair RepairProgram::read_answer(std::string_view line) {
  Repair repair;
  line = trimmed(line);
  if (line == "null") return repair;
  if (const auto fault = document_.parse(line)) {
    repair.bad = "the program's answer is not JSON: " + fault->detail;
    return repair;
  }
  if (document_.kind(JsonDocument::root()) != '{') {
    repair.bad = "the program's answer is " + excerpt(line) + ", expected a job record or null";
    return repair;
  }
  bool has_account = false;
  document_.each_member(JsonDocument::root(), [&](std::string_view name, JsonToken) {
    has_account = has_account || name == "account";
  });
  if (!has_account) {
    repair.record = RepairedRecord{std::nullopt, std::string(line)};
    return repair;
  }
  const auto job = lines_.read(line);
  if (job) {
    repair.record = RepairedRecord{std::string(job->account), std::string(job->value)};
  } else {
    repair.bad = job.error().message;
  }
  return repair;
}

Status RepairProgram::finish() {
  child_->close_in();
  std::string nothing;
  const auto deadline = Clock::now() + kEndPatience;
  while (!child_->has_ended() && Clock::now() < deadline) {
    if (child_->next()) return trouble("wrote more than one line for a record");
    if (Status stepped = step(nothing, deadline); !stepped) return stepped;
  }
  if (child_->next()) return trouble("wrote more than one line for a record");
  return {};
}

}  // namespace penstock
