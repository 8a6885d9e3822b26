// The record of a command to a job (docs/job-record.md, Commands). Pure.
#pragma once

#include <optional>
#include <string>

#include "topics/values/types.h"

namespace penstock {

struct AskedCommand {
  std::string op;              // "cancel", "retry", "reschedule" or "delete"
  std::optional<Time> run_at;  // of a reschedule
};

[[nodiscard]] std::string command_record(const AskedCommand& command, const std::string& id);

}  // namespace penstock
