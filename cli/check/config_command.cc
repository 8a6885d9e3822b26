#include "cli/check/config_command.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/check/config_view.h"

namespace penstock {
namespace {

struct ConfigCheck : Command {
  Exit run(Program& program) override {
    // An error names the place as a JSON pointer.
    const auto config = program.config();
    if (!config) return program.usage_error(config.error().message);
    Output& output = program.output();
    const auto json = config_json(*config);
    if (output.is_json()) {
      output.json(json);
    } else {
      output.line(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    }
    output.note("The config is valid. Above is what is in force, defaults included.");
    return Exit::kDone;
  }
};

}  // namespace

void add_config_command(Program& program) {
  CLI::App& config = program.add_group("config", "Check the config");
  program.add_command(config, "check", "Check the config, and print what is in force",
                      std::make_unique<ConfigCheck>());
}

}  // namespace penstock
