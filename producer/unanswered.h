// A job that was sent and not answered, and the pool that they come from: at full speed a job costs
// no allocation of ours. The client knows one by its address.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "producer/answer.h"
#include "topics/log.h"

namespace penstock {

struct SendQueue;

struct Unanswered {
  SendQueue* queue = nullptr;
  std::string id;
  std::size_t bytes = 0;
  DeliveryAnswer answer;

  [[nodiscard]] Ticket ticket() { return reinterpret_cast<std::uintptr_t>(this); }
  [[nodiscard]] static std::unique_ptr<Unanswered> of(Ticket ticket);
};

// Safe from any thread. Keeps at most as many as were ever unanswered at once, so no more than the
// sender's buffer allows.
class UnansweredPool {
 public:
  [[nodiscard]] std::unique_ptr<Unanswered> take();
  // Gives back what was answered, and empties the list.
  void give_back(std::vector<std::unique_ptr<Unanswered>>& answered);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Unanswered>> spare_;
};

}  // namespace penstock
