// Sets limits and pauses, and reads what is set: one caller of the control topic outside of the
// loops (the command line, the HTTP API). Every call blocks, for kPatience at most, on a session of
// its own. Safe from any thread, one call at a time on one client.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "consumer/control/control.h"
#include "topics/log.h"

namespace penstock {

class ControlClient {
 public:
  static constexpr std::chrono::seconds kPatience{30};

  ControlClient(Log& log, std::string prefix) : log_(log), prefix_(std::move(prefix)) {}

  // Returns when the log has acknowledged it. No value: what the configuration says.
  [[nodiscard]] Status set(const std::string& key, const std::optional<std::string>& value);
  // Says that all workers of the queue, or of kSlotsQueue, know the newest format of its state that
  // this version knows (state/store/state_format.h), and returns that.
  [[nodiscard]] Result<std::uint32_t> finish_upgrade(std::string_view queue);
  // What is set by now.
  [[nodiscard]] Result<Control> read();

 private:
  Log& log_;
  std::string prefix_;
};

}  // namespace penstock
