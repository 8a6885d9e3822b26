// Sends job commands (cancel, retry, reschedule, delete) to a queue's topic. An interface, so that the
// program's commands can be tested without a broker; cli/produce/producer_sender.h is the
// implementation for Kafka. Used from one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "topics/values/result.h"

namespace penstock {

struct JobCommand {
  std::string op;  // "cancel", "retry", "reschedule" or "delete"
  std::string queue;
  std::string account;
  std::string id;
  std::optional<std::int64_t> run_at_ms = {};  // since 1970; with "reschedule"
};

class CommandSender {
 public:
  virtual ~CommandSender() = default;
  // Accepts the command; blocks while the buffer is full. An error means that it was not accepted.
  [[nodiscard]] virtual Status send(const JobCommand& command) = 0;
  // Waits until every accepted command has been acknowledged; the error says how many were not, and
  // why.
  [[nodiscard]] virtual Status finish() = 0;
};

// The value of the record, a JSON object; its key is the account.
[[nodiscard]] std::string record_of(const JobCommand& command);

}  // namespace penstock
