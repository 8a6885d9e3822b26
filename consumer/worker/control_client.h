// Sets limits and pauses and reads what is set, for callers of the control topic outside of the
// loops (the command line, the HTTP API). Every call opens a session of its own and blocks for at
// most kPatience. May be used from any thread, but by one call at a time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "consumer/control/control.h"
#include "topics/log.h"

namespace penstock {

class ControlClient {
 public:
  static constexpr std::chrono::seconds kPatience{30};

  ControlClient(Log& log, std::string prefix) : log_(log), prefix_(std::move(prefix)) {}

  // Returns once the log has acknowledged it. An empty `value` restores the configuration.
  [[nodiscard]] Status set(const std::string& key, const std::optional<std::string>& value);
  // Everything that is set now.
  [[nodiscard]] Result<Control> read();

 private:
  Log& log_;
  std::string prefix_;
};

}  // namespace penstock
