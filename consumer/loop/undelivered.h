// What a loop's outboxes cannot deliver, by topic: for the log (once when it begins and once when
// it is over), for /readyz and for the metrics.
//
// Belongs to its loop and its thread; pure.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "state/log/outbox.h"

namespace penstock {

class Undelivered {
 public:
  struct Topic {
    std::size_t messages = 0;
    int partitions = 0;
    std::chrono::nanoseconds age{};  // of the oldest
    std::string error;               // of the last try that has one
  };
  using Topics = std::map<std::string, Topic>;
  using Notice = std::function<void(const std::string& text)>;

  // A new look begins: add() every outbox, then end().
  void begin() { seen_.clear(); }
  void add(const Outbox& outbox);
  // Tells of topics that have become late, and of those that are no longer.
  void end(const Notice& notice);

  [[nodiscard]] const Topics& topics() const { return topics_; }
  // All of it in one line; empty: nothing is late.
  [[nodiscard]] std::string text() const;

 private:
  Topics topics_, seen_;
};

}  // namespace penstock
