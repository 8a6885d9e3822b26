// The raw figure for latency: a librdkafka consumer that takes each record of a topic as it
// arrives. A blocking call takes the first record; a non-blocking call takes the others that
// have arrived. Made and destroyed by one thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "topics/values/result.h"

namespace penstock {

class RawTail {
 public:
  // Called with each value on the tail's own thread.
  using Sink = std::function<void(std::string_view value)>;

  // Reads from the beginning of the topic until the object is destroyed.
  [[nodiscard]] static Result<std::unique_ptr<RawTail>> start(
      const std::map<std::string, std::string>& properties, const std::string& topic,
      int partitions, Sink sink);
  ~RawTail();
  RawTail(const RawTail&) = delete;
  RawTail& operator=(const RawTail&) = delete;

 private:
  struct Handles;
  explicit RawTail(std::unique_ptr<Handles> handles);

  std::unique_ptr<Handles> handles_;
  std::jthread thread_;
};

}  // namespace penstock
