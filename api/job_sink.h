// Where the gateway puts job records and commands: a producer, or a test's stand-in.
#pragma once

#include <chrono>
#include <cstddef>
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
  [[nodiscard]] virtual bool wait_for_space(std::size_t bytes, std::chrono::milliseconds at_most) = 0;
};

class ProducerSink final : public JobSink {
 public:
  explicit ProducerSink(Producer producer) : producer_(std::move(producer)) {}
  void send(std::string_view queue, std::string_view account, std::string_view value,
            DeliveryCallback done) override {
    producer_.send_raw(queue, account, value, std::move(done));
  }
  [[nodiscard]] bool wait_for_space(std::size_t bytes, std::chrono::milliseconds at_most) override {
    return producer_.wait_for_space(bytes, at_most);
  }

 private:
  Producer producer_;
};

}  // namespace penstock
