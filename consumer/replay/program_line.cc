#include "consumer/replay/program_line.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace penstock {
namespace {

using LineJson = nlohmann::ordered_json;

}  // namespace

std::string program_line(std::string_view account, std::string_view value) {
  LineJson json = LineJson::parse(value, nullptr, false);
  LineJson line{{"account", account}};
  if (json.is_object()) {
    // As a producer's line, in which the account comes first.
    json.erase("account");
    for (auto& [name, member] : json.items()) line[name] = std::move(member);
  } else {
    line["value"] = value;
  }
  // What is not UTF-8 is shown as well as it can be.
  return line.dump(-1, ' ', false, LineJson::error_handler_t::replace);
}

std::optional<ProgramAnswer> parse_program_answer(std::string_view line) {
  LineJson json = LineJson::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  ProgramAnswer answer;
  if (const auto account = json.find("account"); account != json.end()) {
    if (!account->is_string()) return std::nullopt;
    answer.account = account->get<std::string>();
    json.erase("account");
  }
  answer.record = json.dump(-1, ' ', false, LineJson::error_handler_t::replace);
  return answer;
}

}  // namespace penstock
