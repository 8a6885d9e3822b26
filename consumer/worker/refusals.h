// Which queues of a process have stopped by themselves, because of what they stand on, and why. The
// first reason of a queue stays. From any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace penstock {

class Refusals {
 public:
  void add(const std::string& queue, const std::string& reason);
  // Empty: it has not.
  [[nodiscard]] std::string reason_of(std::string_view queue) const;
  // All of them with their reasons, as a sentence; empty: none.
  [[nodiscard]] std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> reasons_;
};

}  // namespace penstock
