// Passes results from the writer, and changes from the group, to a session, and lets the session's
// wait() sleep until there are any. It lives as long as its session; the writer is flushed before
// the session ends.
//
// Bounded by what the session asks for: there is one answer per call, and a session makes at most
// kMaxAppendsInFlight appends and kMaxQuestionsInFlight other requests before it polls.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "topics/log.h"

namespace penstock::embedded {

inline constexpr std::size_t kMaxAppendsInFlight = 65536;
inline constexpr std::size_t kMaxAppendBytesInFlight = 16 << 20;
inline constexpr std::size_t kMaxOutboxBytesInFlight = kMaxAppendBytesInFlight / 2;
inline constexpr std::size_t kMaxQuestionsInFlight = 65536;

// Identifies an append to its session. Renewing a lane increments its incarnation.
struct AppendId {
  Lane lane = Lane::kState;
  std::uint32_t incarnation = 0;
  Ticket ticket = 0;
};

struct AppendAnswer {
  AppendId id;
  std::size_t bytes = 0;
  Appended result;
};

struct DeleteAnswer {
  TopicPartition of;
  Status status;
};

struct Answers {
  std::vector<AppendAnswer> appends;
  std::vector<DeleteAnswer> deletes;
};

class Mailbox {
 public:
  // Any thread.
  void post(std::vector<AppendAnswer>& appends);  // leaves `appends` empty
  void post(DeleteAnswer answer);
  void records_arrived();
  void group_changed();
  void wake();

  // Only the session's thread.
  void take(Answers& out);  // adds to `out`
  [[nodiscard]] bool take_group_changed() { return group_changed_.exchange(false); }
  // Waits until something has arrived since the last take(), or wake() was called.
  void wait(std::chrono::nanoseconds at_most);

 private:
  void signal(bool& flag);

  std::atomic<bool> group_changed_ = false;
  std::mutex mutex_;
  std::condition_variable signalled_;
  bool arrived_ = false;  // since the last take()
  bool woken_ = false;    // since the last wait()
  Answers answers_;
};

}  // namespace penstock::embedded
