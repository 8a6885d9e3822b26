// The records of one topic that wait until Kafka has been asked for its partitions' offsets. Once
// the topic is open, nothing is held any more and the gate costs one atomic load.
//
// hold() and is_open() may be called from any thread; the rest belongs to the sender's thread.
// Bounded by the sender's buffer.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "topics/log.h"

namespace penstock {

using Steady = std::chrono::steady_clock;

struct HeldRecord {
  std::string key;
  std::string value;
  std::vector<Header> headers;
  Ticket ticket = 0;
  Steady::time_point give_up_at;
};

class HeldRecords {
 public:
  [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_acquire); }

  enum class Held : std::uint8_t { kHeld, kHeldFirst, kIsOpen };
  // kHeldFirst: the topic must now be asked for. kIsOpen: it has been opened meanwhile, so send.
  Held hold(HeldRecord record);

  // Sends what is held, in order, and opens the topic. When `send` takes no more, the rest stays
  // held, the topic stays closed, and false comes back.
  using Send = std::function<bool(const HeldRecord&)>;
  bool open(const Send& send);
  // Removes what is held and waits to be asked for again.
  [[nodiscard]] std::deque<HeldRecord> close();
  // Removes what has waited too long.
  [[nodiscard]] std::deque<HeldRecord> take_expired(Steady::time_point now);

  // When to ask again, kept by the sender's thread. `asked_since` is the first of a row of
  // questions.
  Steady::time_point ask_again_at = Steady::time_point::max();
  Steady::time_point asked_since = Steady::time_point::max();
  bool is_draining = false;  // opened, but not all of it has been taken yet

 private:
  std::atomic<bool> open_ = false;
  std::mutex mutex_;
  bool asked_ = false;
  std::deque<HeldRecord> records_;  // in the order of their calls, so in the order of give_up_at
};

}  // namespace penstock
