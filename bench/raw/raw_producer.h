// The raw figure that producing is measured against: librdkafka alone, from one thread, set as
// Penstock's own producer is (idempotent, acks=all, Java's partitioner).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "topics/values/result.h"

namespace penstock {

class RawProducer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RawProducer>> open(
      const std::string& topic, const std::map<std::string, std::string>& properties,
      std::size_t buffer_messages);
  ~RawProducer();

  // Waits while the buffer is full.
  void send(std::string_view key, std::string_view value);
  // Waits until all is acknowledged; how many were not.
  [[nodiscard]] std::size_t finish();

 private:
  struct Handles;
  explicit RawProducer(std::unique_ptr<Handles> handles);
  std::unique_ptr<Handles> handles_;
};

}  // namespace penstock
