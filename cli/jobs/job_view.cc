#include "cli/jobs/job_view.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "cli/jobs/job_selection.h"

namespace penstock {
namespace {

constexpr std::array<const char*, 12> kMembers{"id",      "queue",   "type",         "account",
                                               "state",   "attempt", "max_attempts", "run_at",
                                               "created", "started", "reason",       "why"};
constexpr std::size_t kNameColumns = 14;

std::optional<Colour> colour_of(std::string_view state) {
  if (state == "succeeded" || state == "running") return Colour::kGreen;
  if (state == "dead") return Colour::kRed;
  if (state == "retrying") return Colour::kYellow;
  return is_live(state) ? std::nullopt : std::optional(Colour::kDim);
}

std::string attempts_of(const JobJson& job) {
  const std::string most = text_of(job, "max_attempts");
  return text_of(job, "attempt") + (most.empty() ? "" : "/" + most);
}

// Such as "3 of 10".
std::string progress_of(const JobJson& progress) {
  return progress.is_object() ? text_of(progress, "n") + " of " + text_of(progress, "total")
                              : std::string();
}

std::string explanation_of(const JobJson& job) {
  std::string why = text_of(job, "why");
  return why.empty() ? text_of(job, "reason") : why;
}

}  // namespace

JobJson job_object(const JobJson& job) {
  JobJson object = JobJson::object();
  for (const char* name : kMembers) {
    const auto it = job.find(name);
    object[name] = it == job.end() ? JobJson() : *it;
  }
  for (const auto& [name, value] : job.items()) {
    if (!object.contains(name)) object[name] = value;
  }
  return object;
}

std::vector<std::string> job_titles() {
  return {"ID", "TYPE", "ACCOUNT", "STATE", "ATTEMPT", "RUN AT", "WHY"};
}

std::vector<Cell> job_row(const JobJson& job) {
  const std::string state = text_of(job, "state");
  return {{text_of(job, "id")},      {text_of(job, "type")}, {text_of(job, "account")},
          {state, colour_of(state)}, {attempts_of(job)},     {text_of(job, "run_at")},
          {explanation_of(job)}};
}

std::vector<std::string> job_lines(const JobJson& job) {
  std::vector<std::string> lines;
  const JobJson object = job_object(job);
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    std::string line = printable(name) + ":";
    line.resize(std::max(line.size() + 1, kNameColumns), ' ');
    lines.push_back(
        line + printable(name == "progress" ? progress_of(value) : text_of(job, name.c_str())));
  }
  return lines;
}

}  // namespace penstock
