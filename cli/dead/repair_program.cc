#include "cli/dead/repair_program.h"

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

tl::unexpected<Error> RepairProgram::trouble(const LineFault& fault) {
  return failure(server_.argv().front() + " " + fault.what +
                 "; repair it and run the same again: what was sent is not run twice");
}

Result<Repair> RepairProgram::repair(const DeadEntry& entry) {
  const auto json = dead_json(entry, queue_, DeadShown::everything());
  auto line =
      child_->ask(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                  kAnswerPatience, [] { return false; });
  if (!line) return trouble(line.error());
  return read_answer(*line);
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
  if (const auto fault = child_->finish(kEndPatience)) return trouble(*fault);
  return {};
}

}  // namespace penstock
