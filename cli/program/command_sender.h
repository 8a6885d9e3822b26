// Puts job commands (cancel, retry, delete) into a queue's topic. An interface, so that the
// commands of the program can be tried without a broker; cli/producer_sender is the one on Kafka.
// For one thread.
#pragma once

#include <string>

#include "topics/values/result.h"

namespace penstock {

struct JobCommand {
  std::string op;  // "cancel", "retry" or "delete"
  std::string queue;
  std::string account;
  std::string id;
};

class CommandSender {
 public:
  virtual ~CommandSender() = default;
  // Takes the command; blocks while the buffer is full. A failure means that it was not taken.
  [[nodiscard]] virtual Status send(const JobCommand& command) = 0;
  // Waits until every command taken so far is acknowledged; says how many are not, and why.
  [[nodiscard]] virtual Status finish() = 0;
};

// The record's value, a JSON object; its key is the account.
[[nodiscard]] std::string record_of(const JobCommand& command);

}  // namespace penstock
