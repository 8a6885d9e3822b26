// Takes the census of queues: walks over all of their jobs on a thread of its own, so slowly that it
// costs a loop a few percent of its time at most. A census is taken only while somebody asks for
// it.
//
// Thread-safe. The destructor ends a walk that is under way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "api/source/source.h"

namespace penstock {

class CensusTaker {
 public:
  using Clock = std::chrono::steady_clock;
  // Counts all jobs of the queue. False: it could not.
  using Count = std::function<bool(const std::string& queue, JobCensus&, const std::stop_token&)>;

  // A census that is older is taken again when somebody asks.
  static constexpr std::chrono::milliseconds kFresh{1'000};
  // How long the first question waits: most queues are short, and their first census comes by then.
  static constexpr std::chrono::milliseconds kFirstWait{500};
  // A walk rests for this many times as long as it has kept a loop busy.
  static constexpr int kRestPerWork = 19;

  explicit CensusTaker(Count count) : count_(std::move(count)) {}
  ~CensusTaker();

  // The latest one; its time is zero if none has been finished yet.
  [[nodiscard]] JobCensus latest(const std::string& queue);

  // Rests after a piece of a walk that took so long. False: the walk is to end.
  [[nodiscard]] static bool pause(Clock::duration worked, const std::stop_token& stop);

 private:
  struct Queue {
    JobCensus latest;
    Clock::time_point finished{};
    bool wanted = false;
  };

  void run(const std::stop_token& stop);

  const Count count_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Queue> queues_;
  std::jthread thread_;  // started by the first question
};

}  // namespace penstock
