// Where the gateway puts job records and commands: a producer, or a test's stand-in.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include "penstock/producer.h"

namespace penstock {

// Every call is safe from any thread.
class JobSink {
 public:
  virtual ~JobSink() = default;
  // As Producer::send_raw: exactly one answer, on any thread, maybe inside the call.
  virtual void send(std::string_view queue, std::string_view account, std::string_view value,
                    DeliveryCallback done) = 0;
  // As Producer::wait_for_space.
  [[nodiscard]] virtual bool wait_for_space(std::size_t bytes,
                                            std::chrono::milliseconds at_most) = 0;
};

// A producer that is made when the first record comes: a worker that nobody posts to has none.
class ProducerSink final : public JobSink {
 public:
  // May throw ProducerError, which then answers the record.
  using Make = std::function<Producer()>;
  explicit ProducerSink(Make make) : make_(std::move(make)) {}

  void send(std::string_view queue, std::string_view account, std::string_view value,
            DeliveryCallback done) override;
  // True also while there is no producer, for send() to say why.
  [[nodiscard]] bool wait_for_space(std::size_t bytes, std::chrono::milliseconds at_most) override;

 private:
  [[nodiscard]] Producer* producer(Failure* why_not);

  Make make_;
  std::mutex mutex_;
  std::optional<Producer> producer_;
};

}  // namespace penstock
