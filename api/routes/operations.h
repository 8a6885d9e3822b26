// Limits and pauses, as set by operators over HTTP. Each is a record in the control topic, so it
// applies to all workers and outlives this one.
//
//   GET    /v1/limits
//   GET    /v1/pauses
//   PUT    /v1/limits/{name}    {"slots": n}, {"rate": "100/s", "burst": n}, or both
//   DELETE /v1/limits/{name}    restores what the configuration says
//   POST   /v1/queues/{q}/pause|resume    the queue or, with `type` or `account`, one of those
//
// Thread-safe if ControlAccess is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/request/message.h"
#include "api/source/source.h"
#include "consumer/config/config.h"
#include "consumer/control/control.h"
#include "topics/values/result.h"

namespace penstock {

// Access to the control topic. Calls may block for a bounded time and come from any thread.
struct ControlAccess {
  // An empty value restores the configuration.
  std::function<Status(const std::string& key, const std::optional<std::string>& value)> set;
  std::function<Result<Control>()> read;
};

class Operations {
 public:
  Operations(Config config, ControlAccess control)
      : config_(std::move(config)), control_(std::move(control)) {}

  // With how much each is used, here.
  [[nodiscard]] ApiReply limits(const std::vector<LimitUse>& uses);
  [[nodiscard]] ApiReply set_limit(const ApiRequest& request, const std::string& name);
  [[nodiscard]] ApiReply reset_limit(const std::string& name);
  [[nodiscard]] ApiReply pauses();
  // `op` is "pause" or "resume".
  [[nodiscard]] ApiReply pause(const ApiRequest& request, const std::string& queue,
                               const std::string& op);

 private:
  [[nodiscard]] ApiReply put_limit(const std::string& name,
                                   const std::optional<LimitOverride>& limit);

  const Config config_;
  ControlAccess control_;
};

}  // namespace penstock
