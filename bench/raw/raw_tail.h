// The raw figure that latency is measured against: a librdkafka consumer that takes each record of
// a topic as it comes. A blocking call takes the first one, a call that does not wait takes what
// else is there.
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
  // Given each value, on the tail's own thread.
  using Sink = std::function<void(std::string_view value)>;

  // From the topic's beginning, until the object goes.
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
