// What the checker holds the sizes of hand-overs against: never more items than `max`; and where
// there is a `target`, one until something has been measured, no more than twice as many as were,
// and as many as should take that long by what the last ones took. A worker's average lies between
// the quickest and the slowest of those, which is all that is held against it. One thread.
#pragma once

#include <deque>
#include <map>
#include <utility>

#include "consumer/job/handler.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/reference.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

// Of kSizedType.
inline constexpr int kSizedMost = 8;
inline constexpr Duration kSizedTarget{1000};
// When the faults are over: many jobs at once, of an account whose hand-overs succeed.
inline constexpr std::string_view kSizedAccount = "sized";
inline constexpr int kSizedJobs = 24;

// How long an item takes: more as the run goes on, then less again.
[[nodiscard]] Duration item_time(Instant at);

class SizeChecks {
 public:
  SizeChecks(Rules& rules, InputModel& model) : rules_(rules), model_(model) {}

  // Before the items' starts are counted. `reference` is the partition's.
  void started(const AttemptRequest& request, const Reference& reference);
  // A hand-over has ended well, or run out of its time.
  // A replay's, which may end at any time beside the story's: its owner hears of that later.
  void copies_started(const AttemptRequest& request) {
    measured_[{request.key.partition, request.key.token.epoch}].beside_copies = true;
  }
  void measured(const AttemptRequest& request, std::chrono::nanoseconds took);

 private:
  // More than enough to outweigh all before: a moving average is made of these.
  static constexpr std::size_t kLast = 24;
  static constexpr double kOlderShare = 0.01;

  struct Measured {
    std::deque<double> last;  // what an item took, in ms
    double slowest = 0;       // ever
    std::size_t most = 0;     // items
    bool beside_copies = false;
  };

  void check_target(const AttemptRequest& request, const Reference& reference);
  [[nodiscard]] std::size_t left_of_story(const Reference& reference) const;

  Rules& rules_;
  InputModel& model_;
  std::map<std::pair<PartitionId, std::int64_t>, Measured> measured_;  // by owner
};

}  // namespace penstock::simulation
