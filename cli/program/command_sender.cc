#include "cli/program/command_sender.h"

#include <nlohmann/json.hpp>

namespace penstock {

std::string record_of(const JobCommand& command) {
  nlohmann::ordered_json record{{"op", command.op}, {"id", command.id}};
  if (command.run_at_ms) record["run_at"] = *command.run_at_ms;
  return record.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace penstock
