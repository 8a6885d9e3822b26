// What a loop's outboxes cannot deliver, by topic: for the log (once when it begins and once when
// it ends), for /readyz and for the metrics. Pure; used on its loop's thread.
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
    std::string error;               // of the latest attempt that failed
  };
  using Topics = std::map<std::string, Topic>;
  using Notice = std::function<void(const std::string& text)>;

  // Begins a check: call add() for every outbox, then end().
  void begin() { seen_.clear(); }
  void add(const Outbox& outbox);
  // Reports topics whose messages have become late, and topics where they no longer are.
  void end(const Notice& notice);

  [[nodiscard]] const Topics& topics() const { return topics_; }
  // Everything in one line; empty: nothing is late.
  [[nodiscard]] std::string text() const;

 private:
  Topics topics_, seen_;
};

}  // namespace penstock
