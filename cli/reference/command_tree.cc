#include "cli/reference/command_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace penstock {
namespace {

// CLI11 appends what its checks expect to the name of a value's type.
constexpr std::array<std::string_view, 6> kCheckTexts{":{",        ":POSITIVE", ":NONNEGATIVE",
                                                      ":INT in [", ":FLOAT in", ":NUMBER"};

std::vector<std::string> choices_in(std::string_view type) {
  std::vector<std::string> choices;
  const std::size_t begin = type.find(":{");
  const std::size_t end = type.find('}', begin == type.npos ? 0 : begin);
  if (begin == type.npos || end == type.npos) return choices;
  std::string_view list = type.substr(begin + 2, end - begin - 2);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    choices.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return choices;
}

std::string value_in(std::string type) {
  for (const std::string_view text : kCheckTexts) {
    const std::size_t at = type.find(text);
    if (at != type.npos) type.resize(at);
  }
  return type;
}

OptionDoc option_doc(const CLI::Option& option) {
  OptionDoc doc;
  for (const std::string& name : option.get_lnames()) doc.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) doc.names.push_back("-" + name);
  const std::string type = option.get_type_name();
  doc.value = doc.names.empty() ? option.get_name(true) : value_in(type);
  doc.choices = choices_in(type);
  doc.description = option.get_description();
  doc.env = option.get_envname();
  doc.required = option.get_required();
  doc.takes = option.get_expected_max() == 0   ? TakesValue::kNo
              : option.get_expected_min() == 0 ? TakesValue::kIfGiven
                                               : TakesValue::kYes;
  doc.repeats = option.get_expected_max() > 1;
  return doc;
}

CommandDoc command_doc(const CLI::App& app, const std::string& parent) {
  CommandDoc doc{parent + app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) doc.options.push_back(option_doc(*option));
  }
  std::stable_partition(doc.options.begin(), doc.options.end(),
                        [](const OptionDoc& option) { return option.is_positional(); });
  for (const CLI::App* child : app.get_subcommands(nullptr)) {
    if (!child->get_group().empty()) doc.commands.push_back(command_doc(*child, doc.path + " "));
  }
  return doc;
}

void append(const CommandDoc& command, std::vector<const CommandDoc*>& all) {
  all.push_back(&command);
  for (const CommandDoc& child : command.commands) append(child, all);
}

}  // namespace

std::string CommandDoc::name() const {
  const std::size_t space = path.rfind(' ');
  return space == path.npos ? path : path.substr(space + 1);
}

CommandDoc document(const CLI::App& root) { return command_doc(root, ""); }

std::vector<const CommandDoc*> all_commands(const CommandDoc& root) {
  std::vector<const CommandDoc*> all;
  append(root, all);
  return all;
}

std::vector<std::string> value_options(const CommandDoc& root) {
  std::map<std::string, bool> takes;
  for (const CommandDoc* command : all_commands(root)) {
    for (const OptionDoc& option : command->options) {
      for (const std::string& name : option.names) {
        const auto [at, is_new] = takes.emplace(name, true);
        at->second = at->second && option.takes == TakesValue::kYes;
      }
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, always] : takes) {
    if (always) names.push_back(name);
  }
  return names;
}

}  // namespace penstock
