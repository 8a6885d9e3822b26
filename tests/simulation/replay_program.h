// The program that replays send their records through in a run. It answers each record by what is in
// it alone, so the checker knows every answer: some records stay as they are, some are changed, and
// some are left out. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::simulation {

// How the replay of this name calls it.
[[nodiscard]] std::vector<std::string> program_of(std::string_view replay);
// What it reads of a record (docs/replay.md): the record with its account, or what is none.
[[nodiscard]] nlohmann::json line_of(std::string_view account, std::string_view value);
// What it answers.
[[nodiscard]] nlohmann::json answer_to(const nlohmann::json& line);

}  // namespace penstock::simulation
