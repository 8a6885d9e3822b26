// Which queues of a process have stopped by themselves, because their topics or state cannot be
// used, and why. Only the first reason per queue is kept. May be used from any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace penstock {

class Refusals {
 public:
  void add(const std::string& queue, const std::string& reason);
  // Empty: the queue has not stopped.
  [[nodiscard]] std::string reason_of(std::string_view queue) const;
  // All stopped queues with their reasons as a sentence; empty: none.
  [[nodiscard]] std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> reasons_;
};

}  // namespace penstock
