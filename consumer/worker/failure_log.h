// Logs failed attempts for `work`: one line each, but at most kMaxLines per type and period.
// Further ones are counted and reported when the period ends, so that a handler that fails all the
// time does not fill a disk.
//
// Thread-safe: the loops of a process share one. Time is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "consumer/task/task.h"

namespace penstock {

// Such as: attempt 2 of 25 of job "a" (webhook.send, account "acme") failed: status 500; again at
// 2026-03-01T11:00:00.250Z
[[nodiscard]] std::string to_string(const FailedAttempt& failed);

class FailureLog {
 public:
  static constexpr int kMaxLines = 10;
  static constexpr std::chrono::seconds kPeriod{10};
  using Sink = std::function<void(const std::string& line)>;

  explicit FailureLog(Sink sink) : sink_(std::move(sink)) {}

  void failed(const FailedAttempt& failed, Instant now);
  // Reports what was left out in the periods that have ended. To be called from time to time.
  void report_rest(Instant now);

 private:
  struct Period {
    Instant end{};
    int lines = 0;
    std::uint64_t left_out = 0;
  };
  void end_period(const std::string& type, Period& period);

  const Sink sink_;
  std::mutex mutex_;
  std::map<std::string, Period> periods_;  // by type; only those of the config
};

}  // namespace penstock
