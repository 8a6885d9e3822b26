#include "cli/program/program.h"

#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "consumer/config/config_json.h"
#include "consumer/config/spelling.h"
#include "topics/kafka/kafka_log.h"

namespace penstock {
namespace {

constexpr const char* kDefaultConfig = "penstock.json";
constexpr std::string_view kNotConverted = "Could not convert: ";  // CLI11's
constexpr const char* kBrokersProperty = "bootstrap.servers";

// The innermost command that was named.
const CLI::App* named_command(const CLI::App& app) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  return deepest;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* child : command.get_subcommands(nullptr)) names.push_back(child->get_name());
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// The command or option that the user may have meant, including the global options.
std::string suggestion(const CLI::App& command, std::string_view unknown) {
  std::vector<std::string> known = command_names(command);
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) known.push_back(option->get_name());
  }
  const std::vector<std::string_view> words(known.begin(), known.end());
  const auto nearest = nearest_word(unknown.substr(0, unknown.find('=')), words);
  return nearest ? "; did you mean " + std::string(*nearest) + "?" : std::string();
}

std::string check_property(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != text.npos && equals > 0) return {};
  // The value is not shown, because it may be a secret.
  return "found no " + std::string(equals == 0 ? "property before" : "value after") +
         " a \"=\", expected property=value";
}

// An empty text must not count as a missing one: `jobs cancel "$ID" --account acme` with an ID that
// was never set must not cancel every job of the account.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* const option : app.get_options([](CLI::Option*) { return true; })) {
    // A flag, or an option that may be given without a value.
    if (option->get_expected_min() == 0) continue;
    option->check([](const std::string& text) {
      return text.empty() ? std::string("found an empty text, expected a value") : std::string();
    });
  }
  for (CLI::App* const child : app.get_subcommands([](CLI::App*) { return true; })) {
    refuse_empty_values(*child);
  }
}

}  // namespace

Program::Program(Output& output, Services services)
    : app_("Background jobs on Kafka", "penstock"),
      output_(output),
      services_(std::move(services)) {
  app_.require_subcommand(1);
  app_.get_formatter()->column_width(28);
  add_global_options();
}

void Program::add_global_options() {
  app_.set_version_flag("--version", "penstock " PENSTOCK_VERSION, "Print the version and exit");
  app_.set_help_flag("-h,--help", "Print this help and exit");
  app_.add_option("--config", config_path_,
                  "The config file (default: penstock.json, if it exists)")
      ->envname("PENSTOCK_CONFIG")
      ->type_name("FILE");
  app_.add_option("--brokers", brokers_, "Kafka's addresses, instead of the config file's")
      ->envname("PENSTOCK_BROKERS")
      ->type_name("HOST:PORT,...");
  app_.add_option("-X", properties_, "A librdkafka property, instead of the config file's")
      // Otherwise, CLI11 lets a repeatable option take all the words that follow it.
      ->allow_extra_args(false)
      ->check(check_property)
      ->type_name("PROPERTY=VALUE");
  app_.add_flag("--json", json_, "Print results as one JSON object per line");
}

CLI::App& Program::add_group(const std::string& name, const std::string& description) {
  CLI::App& group = *app_.add_subcommand(name, description);
  // Global options may also follow the command's name.
  group.fallthrough();
  group.require_subcommand(1);
  return group;
}

CLI::App& Program::add_command(CLI::App& parent, const std::string& name,
                               const std::string& description, std::unique_ptr<Command> command) {
  CLI::App& app = *parent.add_subcommand(name, description);
  app.fallthrough();
  commands_.push_back(std::move(command));
  // Its callback comes after those of its own commands, of which one may have been chosen.
  app.callback([this, &app, added = commands_.back().get()] {
    if (app.get_subcommands().empty()) chosen_ = added;
  });
  return app;
}

int Program::run(const std::vector<std::string>& arguments) {
  // Only now have all commands added their options.
  refuse_empty_values(app_);
  try {
    // CLI11 expects the arguments in reverse order, and reports wrong usage and --help by throwing.
    app_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return static_cast<int>(refuse_usage(error));
  }
  if (json_) output_.use_json();
  Exit exit = chosen_->run(*this);
  // A write error shows only now, and a result that was not written is a failure.
  if (!output_.flush() && exit == Exit::kDone) {
    exit = fail("cannot write to standard output: is the disk full, or the pipe closed?");
  }
  return static_cast<int>(exit);
}

Exit Program::refuse_usage(const CLI::ParseError& error) {
  std::ostringstream text;
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app_.exit(error, text, text);
    std::string shown = text.str();
    if (shown.ends_with('\n')) shown.pop_back();
    output_.line(shown);
    return output_.flush() ? Exit::kDone : Exit::kFailed;
  }
  const std::string help = "; see `" + full_name(*named_command(app_)) + " --help`";
  return usage_error(usage_message(error) + help);
}

// CLI11's own messages for these errors do not say what was found or what is expected.
std::string Program::usage_message(const CLI::ParseError& error) const {
  const CLI::App& command = *named_command(app_);
  const std::vector<std::string> known = command_names(command);
  const auto unknown = app_.remaining(true);
  if (!unknown.empty()) {
    return "found \"" + printable(unknown.front()) + "\", expected " +
           (known.empty() || unknown.front().starts_with('-')
                ? "nothing more after the arguments of `" + full_name(command) + "`"
                : "a command: " + joined(known)) +
           suggestion(command, unknown.front());
  }
  if (!known.empty() && error.get_name() == "RequiredError") {
    return "found no command, expected one: " + joined(known);
  }
  const std::string_view what = error.what();
  if (const std::size_t equals = what.find(" = ");
      what.starts_with(kNotConverted) && equals != what.npos) {  // every such option is an integer
    return std::string(what.substr(kNotConverted.size(), equals - kNotConverted.size())) +
           ": found \"" + printable(what.substr(equals + 3)) + "\", expected a whole number";
  }
  return error.what();
}

Result<Config> Program::config_file() const {
  const bool named = !config_path_.empty();
  std::error_code unreadable;
  if (!named && !std::filesystem::exists(kDefaultConfig, unreadable)) return Config();
  const std::string path = named ? config_path_ : kDefaultConfig;
  auto loaded = load_config(path);
  if (!loaded) return loaded;
  if (const auto bad = find_bad_property(loaded->kafka)) {
    return failure(path + ": " + member_pointer("/kafka", bad->name) + ": " + bad->message);
  }
  return loaded;
}

Result<Config> Program::config() const {
  auto config = config_file();
  if (!config) return config;
  if (!brokers_.empty()) config->kafka[kBrokersProperty] = brokers_;
  for (const std::string& property : properties_) {
    const std::size_t equals = property.find('=');
    const std::string name = property.substr(0, equals), value = property.substr(equals + 1);
    if (const auto bad = find_bad_property({{name, value}}))
      return failure("-X " + printable(name) + ": " + bad->message);
    config->kafka[name] = value;
  }
  return config;
}

Result<Config> Program::config_with_brokers() const {
  auto config = this->config();
  if (config && config->kafka[kBrokersProperty].empty()) {
    return failure(
        "no brokers are given: use --brokers HOST:PORT, set PENSTOCK_BROKERS, or set "
        "/kafka/bootstrap.servers in the config file");
  }
  return config;
}

Exit Program::fail(std::string_view message, Exit exit) {
  output_.error(message);
  return exit;
}

Exit Program::usage_error(std::string_view message) {
  output_.error(message);
  return Exit::kUsage;
}

}  // namespace penstock
