#include "api/gateway/job_command.h"

#include "api/request/problem.h"

namespace penstock {

std::string command_record(const AskedCommand& command, const std::string& id) {
  nlohmann::ordered_json record{{"op", command.op}, {"id", id}};
  if (command.run_at) record["run_at"] = to_ms(*command.run_at);
  return json_text(record);
}

}  // namespace penstock
