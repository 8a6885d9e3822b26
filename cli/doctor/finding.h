// What `penstock doctor` has found: one thing that is well, or that is not, with what it endangers
// and what fixes it. Values.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/program/output.h"

namespace penstock {

enum class FindingLevel : std::uint8_t { kGood, kWarning, kBad };

struct Finding {
  std::string check;  // "brokers", "topics", "clock", ...
  FindingLevel level = FindingLevel::kGood;
  std::string what;
  std::string endangers = {};  // not of a good one
  std::string fix = {};        // likewise
};
using Findings = std::vector<Finding>;

[[nodiscard]] Finding good(std::string check, std::string what);

// {"check","level","what","endangers","fix"}; level is "ok", "warning" or "problem".
[[nodiscard]] nlohmann::ordered_json finding_json(const Finding& finding);
void show(Output& output, const Finding& finding);

}  // namespace penstock
