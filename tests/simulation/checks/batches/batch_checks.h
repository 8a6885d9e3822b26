// What the checker holds batches against: which jobs are handed over together, in what order, how
// long they were collected, and that each item ends by an answer that ends it. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "consumer/job/handler.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/rules.h"
#include "tests/simulation/settings.h"

namespace penstock::simulation {

inline constexpr std::string_view kGatheredType = "gathered";  // in order, by halves when it fails
inline constexpr std::string_view kMergedType = "merged";      // equal arguments once
inline constexpr std::string_view kStreamType = "stream";  // a stream that never pauses, at the end
inline constexpr std::string_view kLedType = "led";        // goes on with a cursor (group_checks.h)
inline constexpr std::string_view kSizedType = "sized";    // has a target (size_checks.h)
inline constexpr std::string_view kStreamAccount = "stream";
inline constexpr int kGatheredMost = 4;
inline constexpr Duration kGatheredDelay{700};
inline constexpr Duration kMergedDelay{1000};
inline constexpr Duration kLedDelay{300};
inline constexpr Duration kStreamDelay{500}, kStreamEvery{200}, kStreamLasts{18'000};

[[nodiscard]] BatchPolicy batch_of(std::string_view type);
[[nodiscard]] inline bool has_batches(std::string_view type) {
  return type == kGatheredType || type == kMergedType || type == kStreamType || type == kLedType ||
         type == kSizedType;
}

// The jobs that an attempt is of, but for the folded ones.
[[nodiscard]] std::vector<std::string> ids_of(const AttemptRequest& request);

class BatchChecks {
 public:
  BatchChecks(const Settings& settings, Rules& rules, InputModel& model)
      : settings_(settings), rules_(rules), model_(model) {}

  // A job's record enters the log while `epoch` owns the partition.
  void appended(const Job* job, Offset epoch) { appended_in_[job] = epoch; }
  // Before the items' starts are counted.
  void started(std::size_t host, const AttemptRequest& request, Instant at);
  void shown(std::size_t host, const AttemptKey& key);
  void hidden(std::size_t host, const AttemptKey& key);
  void ended(const Job& job);

 private:
  void check_order(const std::vector<Job*>& items);
  void check_delay(const AttemptRequest& request, const std::vector<Job*>& items, Instant at);
  void check_ceiling(const std::vector<Job*>& items, Instant at);
  void check_set(const AttemptRequest& request);

  const Settings& settings_;
  Rules& rules_;
  InputModel& model_;
  std::map<const Job*, Offset> appended_in_;
  std::map<std::pair<std::size_t, AttemptKey>, std::vector<Job*>> attempts_;
  std::map<const Job*, std::set<std::pair<std::size_t, AttemptKey>>> running_;
};

}  // namespace penstock::simulation
