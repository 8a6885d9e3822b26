// A job that was sent but not answered yet, and the pool from which such jobs are taken, so that a
// job costs no allocation of ours at full speed. The client's ticket for a job is its address.
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

// May be used from any thread. Keeps at most as many objects as were ever unanswered at once, so
// the sender's buffer bounds it.
class UnansweredPool {
 public:
  [[nodiscard]] std::unique_ptr<Unanswered> take();
  // Returns answered jobs to the pool and clears the list.
  void give_back(std::vector<std::unique_ptr<Unanswered>>& answered);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Unanswered>> spare_;
};

}  // namespace penstock
