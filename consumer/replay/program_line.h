// What a program that a replay sends its records through gets and answers: a line for each record,
// answered by one line.
//
//   line   := the record's JSON object with the member "account"; of a record that is no JSON object,
//             or that breaks a rule of JsonDocument (it is too deep, or repeats a member),
//             {"account": text, "value": text}
//   answer := such an object: the record to copy, whose account is the original's if it has none
//           | null: leave it out
//
// Both keep the text of every other member, so a program that changes nothing changes nothing. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock {

[[nodiscard]] std::string program_line(std::string_view account, std::string_view value);

struct ProgramAnswer {
  std::optional<std::string> account;
  std::string record;  // without it
};
// Absent: null, or anything else that is no object by the same rules.
[[nodiscard]] std::optional<ProgramAnswer> parse_program_answer(std::string_view line);

}  // namespace penstock
