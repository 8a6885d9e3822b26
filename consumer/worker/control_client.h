// Sets limits and pauses and reads what is set, for callers of the control topic outside of the
// loops (the command line, the HTTP API). Every call opens a session of its own and blocks for at
// most kPatience. May be used from any thread, but by one call at a time.
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

  // Returns once the log has acknowledged it. An empty `value` restores the configuration.
  [[nodiscard]] Status set(const std::string& key, const std::optional<std::string>& value);
  // Says that all workers of the queue, or of kSlotsQueue, know the newest format of its state that
  // this version knows (state/store/state_format.h), and returns that.
  [[nodiscard]] Result<std::uint32_t> finish_upgrade(std::string_view queue);
  // Everything that is set now.
  [[nodiscard]] Result<Control> read();

 private:
  Log& log_;
  std::string prefix_;
};

// What is set, asked again and again: one session reads the topic once and then only what is new.
// Belongs to one thread. The log must outlive it.
class ControlFollower {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ControlFollower>> open(Log& log,
                                                                     const std::string& prefix);
  ~ControlFollower();

  // Everything that is set now. Valid until the next call. Blocks for at most
  // ControlClient::kPatience.
  [[nodiscard]] Result<const Control*> read();

 private:
  struct Reader;
  explicit ControlFollower(std::unique_ptr<Reader> reader);
  std::unique_ptr<Reader> reader_;
};

}  // namespace penstock
