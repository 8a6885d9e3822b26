#include "tests/simulation/checks/replays/program_checks.h"

#include "tests/simulation/replay_program.h"

namespace penstock::simulation {
namespace {

// As the model writes it.
std::string text_of(std::string_view line) {
  return nlohmann::json::parse(line, nullptr, false).dump();
}

}  // namespace

void ProgramChecks::begins(const ReplayPlan& plan) {
  for (const auto& records : plan.found) {
    for (const FoundRecord& one : records) {
      if (!one.line.empty()) lines_[plan.name].insert(one.line);
    }
  }
}

void ProgramChecks::asked(const std::vector<std::string>& program, std::string_view line) {
  const std::string replay = program.back();
  const bool right = program == program_of(replay) && lines_[replay].contains(text_of(line));
  rules_.check(Rule::kThrough, right, [&] {
    return "the program of " + replay + " gets " + std::string(line.substr(0, 200));
  });
}

void ProgramChecks::answered(const std::vector<std::string>& program, std::string_view line) {
  answered_[program.back()].insert(text_of(line));
}

}  // namespace penstock::simulation
