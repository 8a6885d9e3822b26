// Sends records to a JobSink, waiting for space in its buffer for a bounded time: the back-pressure
// of everything that requests send. Thread-safe. After stop(), nothing waits any more.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "api/gateway/job_sink.h"

namespace penstock {

class Sending {
 public:
  static constexpr std::chrono::milliseconds kWaitForSpace{10'000};

  explicit Sending(JobSink& sink) : sink_(sink) {}

  // Exactly one answer, on any thread, possibly inside the call. `full`, of one request: once there
  // was no space in time, its further records wait no more.
  void send(const std::string& queue, std::string_view account, std::string_view value,
            DeliveryCallback done, bool* full = nullptr);
  void stop() { stopping_.store(true); }
  [[nodiscard]] bool stopping() const { return stopping_.load(); }

 private:
  [[nodiscard]] bool has_space(std::size_t bytes);

  JobSink& sink_;
  std::atomic<bool> stopping_{false};
};

}  // namespace penstock
