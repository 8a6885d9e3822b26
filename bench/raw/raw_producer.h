// The raw figure for producing: librdkafka alone, from one thread, configured like Penstock's own
// producer (idempotent, acks=all, Java's partitioner).
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

  // Blocks while the buffer is full.
  void send(std::string_view key, std::string_view value);
  // Waits until everything has been acknowledged; returns how many records were not.
  [[nodiscard]] std::size_t finish();

 private:
  struct Handles;
  explicit RawProducer(std::unique_ptr<Handles> handles);
  std::unique_ptr<Handles> handles_;
};

}  // namespace penstock
