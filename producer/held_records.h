// The records of one topic that are held back until Kafka has been asked for the offsets of the
// topic's partitions (topics/produce_client.h says why). Once the topic is open, nothing is held
// any more and the check costs one atomic load.
//
// hold() and is_open() may be called from any thread; everything else only from the sender's
// thread. The sender's buffer bounds the number of records.
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
  // kHeldFirst: the caller must now ask for the topic's offsets. kIsOpen: the topic has been opened
  // in the meantime, so the caller sends the record itself.
  Held hold(HeldRecord record);

  // Sends the held records in order and opens the topic. If `send` accepts no more, the rest stays
  // held, the topic stays closed and the result is false.
  using Send = std::function<bool(const HeldRecord&)>;
  bool open(const Send& send);
  // Removes the held records; the next hold() is a kHeldFirst again.
  [[nodiscard]] std::deque<HeldRecord> close();
  // Removes the records whose time is up.
  [[nodiscard]] std::deque<HeldRecord> take_expired(Steady::time_point now);

  // When to ask again, and when the current series of attempts began. Only the sender's thread uses
  // them.
  Steady::time_point ask_again_at = Steady::time_point::max();
  Steady::time_point asked_since = Steady::time_point::max();
  bool is_draining = false;  // opened, but some held records have not been accepted yet

 private:
  std::atomic<bool> open_ = false;
  std::mutex mutex_;
  bool asked_ = false;
  std::deque<HeldRecord> records_;  // in the order of the calls, so also of give_up_at
};

}  // namespace penstock
