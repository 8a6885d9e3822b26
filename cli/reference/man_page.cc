#include "cli/reference/man_page.h"

#include <cstdio>
#include <map>

namespace penstock {
namespace {

// Text that roff prints as it is, even at the beginning of a line.
std::string roff(std::string_view text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '"') {
      out += "\\(dq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '\n') {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

std::string sentence(const std::string& text) {
  std::string line = roff(text);
  if (!text.empty() && text.back() != '.') line += '.';
  return line + "\n";
}

std::string names_text(const OptionDoc& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += (text.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  const std::string value = "\\fI" + roff(option.value.empty() ? "VALUE" : option.value) + "\\fR";
  if (option.is_positional()) return value;
  return option.takes == TakesValue::kNo ? text : text + " " + value;
}

std::string synopsis(const CommandDoc& command) {
  std::string text = "\\fB" + roff(command.path) + "\\fR";
  for (const OptionDoc& option : command.options) {
    const std::string name = names_text(option) + (option.repeats ? "..." : "");
    if (option.is_positional()) text += option.required ? " " + name : " [" + name + "]";
  }
  for (const OptionDoc& option : command.options) {
    if (!option.is_positional() && option.required) text += " " + names_text(option);
  }
  if (!command.commands.empty()) return text + " \\fICOMMAND\\fR";
  return text + " [\\fIOPTION\\fR...]";
}

std::string option_text(const OptionDoc& option) {
  std::string text = ".TP\n" + names_text(option) + "\n" + sentence(option.description);
  std::string choices;
  for (const std::string& choice : option.choices)
    choices += (choices.empty() ? "" : ", ") + ("\\fB" + roff(choice) + "\\fR");
  if (!choices.empty()) text += "One of " + choices + ".\n";
  if (!option.env.empty())
    text += "The variable \\fB" + roff(option.env) + "\\fR stands in for it.\n";
  return text;
}

std::string options_text(const CommandDoc& command) {
  std::string text;
  for (const OptionDoc& option : command.options) text += option_text(option);
  return text;
}

std::string environment(const CommandDoc& root) {
  std::map<std::string, std::string> variables{
      {"PENSTOCK_TOKEN", "The token for a worker, instead of the config file's /http/token_file"},
      {"NO_COLOR", "If it is set and not empty, output has no colours"}};
  for (const CommandDoc* command : all_commands(root)) {
    for (const OptionDoc& option : command->options) {
      if (!option.env.empty())
        variables.emplace(option.env, "Stands in for " + option.names.front());
    }
  }
  std::string text;
  for (const auto& [name, meaning] : variables)
    text += ".TP\n\\fB" + roff(name) + "\\fR\n" + sentence(meaning);
  return text;
}

constexpr const char* kExitStatus =
    ".TP\n\\fB0\\fR\nDone.\n"
    ".TP\n\\fB1\\fR\nFailed.\n"
    ".TP\n\\fB2\\fR\nWrong usage, or a config that is not valid.\n"
    ".TP\n\\fB3\\fR\nNot found: there is no such job, bulk, queue, limit, replay or worker.\n";

}  // namespace

std::string man_page(const CommandDoc& root, std::string_view version) {
  std::string text = ".TH PENSTOCK 1 \"\" \"" + roff(version) + "\" \"Penstock\"\n" +
                     ".SH NAME\npenstock \\- background jobs on Kafka\n" + ".SH SYNOPSIS\n" +
                     synopsis(root) + "\n" +
                     ".SH DESCRIPTION\n"
                     "Penstock runs background jobs from Kafka topics. Results go to standard "
                     "output, everything else to standard error.\n"
                     "The options of this section may be given before or after the command.\n" +
                     options_text(root) + ".SH COMMANDS\n";
  for (const CommandDoc* command : all_commands(root)) {
    if (command == &root) continue;
    text += ".SS " + roff(command->path.substr(root.path.size() + 1)) + "\n" + synopsis(*command) +
            "\n.PP\n" + sentence(command->description) + options_text(*command);
  }
  return text + ".SH ENVIRONMENT\n" + environment(root) +
         ".SH FILES\n.TP\n\\fIpenstock.json\\fR\n" +
         sentence("The config file, if it exists and no other is named") + ".SH EXIT STATUS\n" +
         kExitStatus;
}

}  // namespace penstock
