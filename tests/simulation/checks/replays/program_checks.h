// What the checker holds the program of replays against: it gets the records that a replay is to
// copy and no others, and what it has answered is known. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/checks/replays/replay_model.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

class ProgramChecks {
 public:
  explicit ProgramChecks(Rules& rules) : rules_(rules) {}

  void begins(const ReplayPlan& plan);
  // A worker asks, and later has its answer, unless its process has ended.
  void asked(const std::vector<std::string>& program, std::string_view line);
  void answered(const std::vector<std::string>& program, std::string_view line);

  [[nodiscard]] bool has_answered(const std::string& replay, const std::string& line) const {
    const auto found = answered_.find(replay);
    return found != answered_.end() && found->second.contains(line);
  }

 private:
  Rules& rules_;
  std::map<std::string, std::set<std::string>> lines_, answered_;  // by replay
};

}  // namespace penstock::simulation
