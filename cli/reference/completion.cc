#include "cli/reference/completion.h"

#include <algorithm>

namespace penstock {
namespace {

// "penstock/jobs/list": what the scripts call a command.
std::string script_path(const CommandDoc& command) {
  std::string path = command.path;
  std::replace(path.begin(), path.end(), ' ', '/');
  return path;
}

std::string in_single_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string with_spaces(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string with_bars(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

std::vector<std::string> paths_below(const CommandDoc& root) {
  std::vector<std::string> paths;
  for (const CommandDoc* command : all_commands(root)) {
    if (command != &root) paths.push_back(script_path(*command));
  }
  return paths;
}

// The options of a command, and the global ones, which may follow it.
std::vector<const OptionDoc*> options_at(const CommandDoc& root, const CommandDoc& command) {
  std::vector<const OptionDoc*> options;
  const auto has = [&options](const OptionDoc& option) {
    return std::any_of(options.begin(), options.end(), [&option](const OptionDoc* other) {
      return !option.names.empty() && other->names == option.names;
    });
  };
  for (const CommandDoc* of : {&command, &root}) {
    for (const OptionDoc& option : of->options) {
      if (!has(option)) options.push_back(&option);
    }
    if (of == &root) break;
  }
  return options;
}

// "penstock/jobs/list --state": the cases of values.
std::string value_cases(const CommandDoc& command, const OptionDoc& option) {
  std::vector<std::string> cases;
  for (const std::string& name : option.names)
    cases.push_back("\"" + script_path(command) + " " + name + "\"");
  return with_bars(cases);
}

// Finds the command that the words before the cursor name; `words` is the shell's array.
std::string path_loop(const CommandDoc& root, const std::string& begin, const std::string& words) {
  return "  " + begin + "\n    word=" + words +
         "\n"
         "    if ((skip)); then\n"
         "      [[ $word == '=' ]] || skip=0\n"
         "      continue\n"
         "    fi\n"
         "    case \"$word\" in\n"
         "      " +
         with_bars(value_options(root)) +
         ") skip=1 ;;\n"
         "      *) case \"$at/$word\" in\n"
         "        " +
         with_bars(paths_below(root)) +
         ") at=\"$at/$word\" ;;\n"
         "      esac ;;\n"
         "    esac\n"
         "  done\n";
}

// How bash and zsh offer files and words.
struct Offers {
  std::string files;
  std::string words_before, words_after;
};

std::string value_case_block(const CommandDoc& root, const Offers& offers) {
  std::string text = "  case \"$at $option\" in\n";
  for (const CommandDoc* command : all_commands(root)) {
    for (const OptionDoc* option : options_at(root, *command)) {
      if (option->is_positional() || option->takes == TakesValue::kNo) continue;
      if (option->takes == TakesValue::kIfGiven) continue;
      const std::string what =
          option->is_file() ? offers.files
          : !option->choices.empty()
              ? offers.words_before + with_spaces(option->choices) + offers.words_after
              : std::string(":");
      text += "    " + value_cases(*command, *option) + ") " + what + "; return ;;\n";
    }
  }
  return text + "  esac\n";
}

std::vector<std::string> words_at(const CommandDoc& root, const CommandDoc& command) {
  std::vector<std::string> words;
  for (const CommandDoc& child : command.commands) words.push_back(child.name());
  for (const OptionDoc* option : options_at(root, command)) {
    const auto& more = option->is_positional() ? option->choices : option->names;
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

// A name and its description for zsh, which a colon separates.
std::string zsh_entry(std::string name, const std::string& description) {
  for (std::size_t at = name.find(':'); at != name.npos; at = name.find(':', at + 2))
    name.insert(at, "\\");
  return in_single_quotes(name + ":" + description);
}

std::string fish_condition(const CommandDoc& command) {
  return "-n 'test (__penstock_path) = " + script_path(command) + "'";
}

std::string fish_option(const OptionDoc& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.is_file()) {
    text += " -r -F";
  } else if (option.takes == TakesValue::kYes) {
    text += " -x";
  }
  if (!option.choices.empty()) text += " -a " + in_single_quotes(with_spaces(option.choices));
  return text + " -d " + in_single_quotes(option.description);
}

}  // namespace

std::string bash_completion(const CommandDoc& root) {
  const Offers offers{"COMPREPLY=($(compgen -f -- \"$cur\"))", "COMPREPLY=($(compgen -W '",
                      "' -- \"$cur\"))"};
  std::string text =
      "# Completion for bash, made by `penstock completion bash`.\n"
      "_penstock() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} at=penstock word option words= skip=0 i\n"
      "  COMPREPLY=()\n" +
      path_loop(root, "for ((i = 1; i < COMP_CWORD; i++)); do", "${COMP_WORDS[i]}") +
      "  option=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  # bash takes --option=value for three words.\n"
      "  if [[ $option == '=' ]] && ((COMP_CWORD > 1)); then option=${COMP_WORDS[COMP_CWORD - 2]}; "
      "fi\n"
      "  if [[ $cur == '=' ]]; then cur=; fi\n" +
      value_case_block(root, offers) + "  case \"$at\" in\n";
  for (const CommandDoc* command : all_commands(root)) {
    text += "    " + script_path(*command) + ") words='" + with_spaces(words_at(root, *command)) +
            "' ;;\n";
  }
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -F _penstock penstock\n";
}

std::string zsh_completion(const CommandDoc& root) {
  const Offers offers{"_files", "compadd -- ", ""};
  std::string text =
      "#compdef penstock\n"
      "# Completion for zsh, made by `penstock completion zsh`.\n"
      "_penstock() {\n"
      "  local at=penstock word option skip=0 i\n"
      "  local -a commands options\n" +
      path_loop(root, "for ((i = 2; i < CURRENT; i++)); do", "${words[i]}") +
      "  option=${words[CURRENT-1]}\n" + value_case_block(root, offers) + "  case \"$at\" in\n";
  for (const CommandDoc* command : all_commands(root)) {
    text += "    " + script_path(*command) + ")\n      commands=(";
    for (const CommandDoc& child : command->commands)
      text += "\n        " + zsh_entry(child.name(), child.description);
    for (const OptionDoc& option : command->options) {
      if (!option.is_positional()) continue;
      for (const std::string& choice : option.choices)
        text += "\n        " + zsh_entry(choice, option.description);
    }
    text += ")\n      options=(";
    for (const OptionDoc* option : options_at(root, *command)) {
      for (const std::string& name : option->names)
        text += "\n        " + zsh_entry(name, option->description);
    }
    text += ")\n      ;;\n";
  }
  return text +
         "  esac\n"
         "  (( ${#commands} )) && _describe -t commands command commands\n"
         "  _describe -o -t options option options\n"
         "}\n"
         "if [[ ${funcstack[1]} == _penstock ]]; then _penstock \"$@\"; else compdef _penstock "
         "penstock; fi\n";
}

std::string fish_completion(const CommandDoc& root) {
  std::string text =
      "# Completion for fish, made by `penstock completion fish`.\n"
      "function __penstock_path\n"
      "    set -l at penstock\n"
      "    set -l skip 0\n"
      "    set -l typed (commandline -opc)\n"
      "    for word in $typed[2..-1]\n"
      "        if test $skip -eq 1\n"
      "            set skip 0\n"
      "            continue\n"
      "        end\n"
      "        switch $word\n"
      "            case " +
      with_spaces(value_options(root)) +
      "\n"
      "                set skip 1\n"
      "            case '*'\n"
      "                switch $at/$word\n"
      "                    case " +
      with_spaces(paths_below(root)) +
      "\n"
      "                        set at $at/$word\n"
      "                end\n"
      "        end\n"
      "    end\n"
      "    echo $at\n"
      "end\n"
      "complete -c penstock -f\n";
  for (const OptionDoc& option : root.options)
    text += "complete -c penstock" + fish_option(option) + "\n";
  for (const CommandDoc* command : all_commands(root)) {
    const std::string begin = "complete -c penstock " + fish_condition(*command);
    for (const CommandDoc& child : command->commands)
      text += begin + " -a " + child.name() + " -d " + in_single_quotes(child.description) + "\n";
    if (command == &root) continue;
    for (const OptionDoc& option : command->options) {
      if (option.is_positional() && option.choices.empty()) continue;
      text += begin + fish_option(option) + "\n";
    }
  }
  return text;
}

}  // namespace penstock
