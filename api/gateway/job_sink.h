// Where the gateway sends job records and commands: a producer, or a test double.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include "penstock/producer.h"

namespace penstock {

// Every function may be called from any thread.
class JobSink {
 public:
  virtual ~JobSink() = default;
  // Like Producer::send_raw(): exactly one answer, on any thread, possibly inside the call.
  virtual void send(std::string_view queue, std::string_view account, std::string_view value,
                    DeliveryCallback done) = 0;
  // Like Producer::wait_for_space().
  [[nodiscard]] virtual bool wait_for_space(std::size_t bytes,
                                            std::chrono::milliseconds at_most) = 0;
};

// A producer that is created for the first record, so that a worker that gets no jobs over HTTP has
// none.
class ProducerSink final : public JobSink {
 public:
  // May throw a ProducerError, which then answers the record.
  using Make = std::function<Producer()>;
  explicit ProducerSink(Make make) : make_(std::move(make)) {}

  void send(std::string_view queue, std::string_view account, std::string_view value,
            DeliveryCallback done) override;
  // Also true while there is no producer, so that send() reports why.
  [[nodiscard]] bool wait_for_space(std::size_t bytes, std::chrono::milliseconds at_most) override;

 private:
  [[nodiscard]] Producer* producer(Failure* why_not);

  Make make_;
  std::mutex mutex_;
  std::optional<Producer> producer_;
};

}  // namespace penstock
