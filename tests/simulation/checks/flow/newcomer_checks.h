// What the checker holds the story of endless newcomers against: an account's next job waits, and
// accounts that did not exist before come faster than they can be served. One thread.
#pragma once

#include <optional>
#include <string_view>

#include "consumer/job/handler.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

inline constexpr std::string_view kElderAccount = "elder";
inline constexpr int kElderJobs = 6;
inline constexpr std::string_view kNewcomerPrefix = "newcomer-";
inline constexpr std::chrono::milliseconds kNewcomerEvery{15};
inline constexpr std::chrono::seconds kNewcomersLast{6};

class NewcomerChecks {
 public:
  explicit NewcomerChecks(Rules& rules) : rules_(rules) {}

  // An honoured commit has taken the elder's last job.
  void taken(const Job& job, Instant at);
  // Before the start is counted in the job.
  void started(const Job& job, Instant at);
  void hidden(const std::string& account, Instant at);

 private:
  // One may be read in the moment in which the elder's place becomes free; and after a turn by age,
  // which is an advance, it waits longer for the next.
  static constexpr int kMaxPass = 8;

  Rules& rules_;
  bool all_there_ = false;
  int started_ = 0;
  std::optional<Instant> waits_since_;
  int passed_ = 0;
};

}  // namespace penstock::simulation
