// The frame of the program: global options, the tree of commands, the exit status. Each Command is
// in a file of its own, is registered by `void add_NAME_command(Program&)` and listed in
// cli/commands.cc. Wrong usage and an invalid config end with status 2 and a message on standard
// error. Used from one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/rig/bench.h"
#include "cli/program/command_sender.h"
#include "cli/program/output.h"
#include "consumer/config/config.h"
#include "topics/kafka/kafka_inspection.h"
#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

enum class Exit : int { kDone = 0, kFailed = 1, kUsage = 2, kNotFound = 3 };

class Program;

class Command {
 public:
  virtual ~Command() = default;
  [[nodiscard]] virtual Exit run(Program& program) = 0;
};

// The commands' access to the outside world; tests replace it.
struct Services {
  std::function<Result<std::unique_ptr<Log>>(const Config&)> open_log;
  std::function<Result<std::unique_ptr<CommandSender>>(const Config&)> open_sender;
  std::function<Result<KafkaInspection>(const Config&, const std::vector<std::string>& groups)>
      inspect = {};
  std::span<const Bench> benches = {};
};

class Program {
 public:
  Program(Output& output, Services services);

  // A group only contains commands ("topics"); `parent` is root() or a group.
  [[nodiscard]] CLI::App& root() { return app_; }
  CLI::App& add_group(const std::string& name, const std::string& description);
  // The program owns the command, so options may be bound to its members.
  CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                        std::unique_ptr<Command> command);

  // Parses the arguments, runs the chosen command and returns the exit status.
  [[nodiscard]] int run(const std::vector<std::string>& arguments);

  // The config file (--config, PENSTOCK_CONFIG, or penstock.json if it exists), overridden by
  // --brokers and -X; without a file, the defaults. Checks Kafka's properties, and reports each
  // error at the place where the property was given.
  [[nodiscard]] Result<Config> config() const;
  // The same, but an error if it names no brokers.
  [[nodiscard]] Result<Config> config_with_brokers() const;

  // Whether --brokers or PENSTOCK_BROKERS was given, regardless of the file.
  [[nodiscard]] bool brokers_named() const { return !brokers_.empty(); }

  [[nodiscard]] Output& output() { return output_; }
  [[nodiscard]] const Services& services() const { return services_; }

  // Prints the message, for use as `return program.fail(...)`.
  Exit fail(std::string_view message, Exit exit = Exit::kFailed);
  Exit usage_error(std::string_view message);  // status 2

 private:
  void add_global_options();
  [[nodiscard]] Result<Config> config_file() const;
  [[nodiscard]] Exit refuse_usage(const CLI::ParseError& error);
  [[nodiscard]] std::string usage_message(const CLI::ParseError& error) const;

  CLI::App app_;
  Output& output_;
  Services services_;
  std::vector<std::unique_ptr<Command>> commands_;
  Command* chosen_ = nullptr;

  std::string config_path_;
  std::string brokers_;
  std::vector<std::string> properties_;
  bool json_ = false;
};

}  // namespace penstock
