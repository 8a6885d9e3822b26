// The program's commands and options as data, read from the tree that --help prints too: what
// completions and the manual page are made of, so that neither can forget one. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

enum class TakesValue : std::uint8_t { kNo, kYes, kIfGiven };

struct OptionDoc {
  std::vector<std::string> names;  // "--queue", "-X"; empty for a positional argument
  std::string value;               // such as "FILE"; of a positional, its name
  std::vector<std::string> choices;
  std::string description;
  std::string env;
  TakesValue takes = TakesValue::kNo;
  bool required = false, repeats = false;

  [[nodiscard]] bool is_positional() const { return names.empty(); }
  [[nodiscard]] bool is_file() const { return value == "FILE"; }
};

struct CommandDoc {
  std::string path;  // "penstock jobs list"
  std::string description;
  std::vector<OptionDoc> options;  // positional ones first
  std::vector<CommandDoc> commands;

  [[nodiscard]] std::string name() const;  // the last word of the path
};

// Commands and options without a group are hidden, and left out.
[[nodiscard]] CommandDoc document(const CLI::App& root);

// The command and everything below it, in order.
[[nodiscard]] std::vector<const CommandDoc*> all_commands(const CommandDoc& root);
// The names of options that take a value in every command that has them.
[[nodiscard]] std::vector<std::string> value_options(const CommandDoc& root);

}  // namespace penstock
