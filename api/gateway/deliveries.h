// Collects the answers to the records of one request from the producer's thread. The request may
// give up before all have arrived, so the request and the callbacks share this object. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "api/gateway/job_sink.h"

namespace penstock {

class Deliveries : public std::enable_shared_from_this<Deliveries> {
 public:
  explicit Deliveries(std::size_t records) : answers_(records), open_(records) {}

  // For the record `index`; to be called once per record.
  [[nodiscard]] DeliveryCallback callback(std::size_t index);
  void set(std::size_t index, Delivery delivery);

  // Returns all answers once they have arrived, or null if `give_up` returned true first; that is
  // checked every 100 ms.
  [[nodiscard]] const std::vector<Delivery>* wait(const std::function<bool()>& give_up);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Delivery> answers_;
  std::size_t open_;
};

}  // namespace penstock
