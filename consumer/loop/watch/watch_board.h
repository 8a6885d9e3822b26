// Where the loops write what has become of the jobs that somebody waits for, and where the one who
// waits reads it. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "topics/record/event_record.h"
#include "topics/values/types.h"

namespace penstock {

// A commit has made this of a job.
struct WatchedChange {
  Offset offset;  // of the job's record
  EventKind event = EventKind::kAdmitted;
  std::string reason;
};

class WatchBoard {
 public:
  explicit WatchBoard(std::size_t jobs) : changes_(jobs) {}

  void tell(std::size_t job, WatchedChange change);
  // Waits until `enough` returns true; it is called with the changes of each job, under the board's
  // lock, after each change. False: it was not so by `until`.
  using Changes = std::vector<std::vector<WatchedChange>>;
  bool wait(std::chrono::steady_clock::time_point until,
            const std::function<bool(const Changes&)>& enough);
  [[nodiscard]] Changes changes() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Changes changes_;
};

}  // namespace penstock
