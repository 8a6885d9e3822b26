#include "cli/doctor/finding.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace penstock {
namespace {

const char* level_name(FindingLevel level) {
  return level == FindingLevel::kGood      ? "ok"
         : level == FindingLevel::kWarning ? "warning"
                                           : "problem";
}

std::optional<Colour> colour_of_level(FindingLevel level) {
  return level == FindingLevel::kGood      ? Colour::kGreen
         : level == FindingLevel::kWarning ? Colour::kYellow
                                           : Colour::kRed;
}

}  // namespace

Finding good(std::string check, std::string what) {
  return {std::move(check), FindingLevel::kGood, std::move(what)};
}

nlohmann::ordered_json finding_json(const Finding& finding) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  return {{"check", finding.check},
          {"level", level_name(finding.level)},
          {"what", finding.what},
          {"endangers", or_null(finding.endangers)},
          {"fix", or_null(finding.fix)}};
}

void show(Output& output, const Finding& finding) {
  if (output.is_json()) return output.json(finding_json(finding));
  constexpr std::size_t kLevelColumns = 9, kCheckColumns = 11;
  std::string level = level_name(finding.level), check = finding.check;
  level.resize(kLevelColumns, ' ');
  check.resize(std::max(check.size() + 1, kCheckColumns), ' ');
  output.line(output.painted(level, colour_of_level(finding.level)) + check +
              printable(finding.what));
  const std::string indent(kLevelColumns + kCheckColumns, ' ');
  if (!finding.endangers.empty())
    output.line(indent + "endangers: " + printable(finding.endangers));
  if (!finding.fix.empty()) output.line(indent + "fix: " + printable(finding.fix));
}

}  // namespace penstock
