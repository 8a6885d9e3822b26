// What one run of the simulation is like: everything follows from its seed.
#pragma once

#include <cstdint>
#include <string>

#include "consumer/policy/policy.h"
#include "consumer/policy/type_table.h"
#include "consumer/schedule/lines/lines.h"
#include "consumer/schedule/step_bounds.h"
#include "state/store/state_format.h"
#include "topics/names.h"
#include "topics/simulated/cluster.h"

namespace penstock::simulation {

inline constexpr std::size_t kWorkers = 3;
inline constexpr Instant kFaultsEnd{std::chrono::seconds(50)};
// From then on, processes that start are of the new version, and those of the old one are stopped.
inline constexpr Instant kAllNewFrom{std::chrono::seconds(51)};
inline constexpr Instant kRecreatedAt{std::chrono::seconds(54)};
inline constexpr std::chrono::seconds kRefusedWithin{60};
inline constexpr Instant kQuietAt{std::chrono::seconds(72)};  // the fairness story begins
inline constexpr Instant kEnd{
    std::chrono::seconds(400)};  // long: one place, one slot and appends in doubt take their time
inline constexpr std::uint32_t kOldVersion = kNewestFormat, kNewVersion = kNewestFormat + 1;
inline constexpr std::string_view kType = "work";
inline constexpr std::string_view kPrefix = "penstock";
inline constexpr std::string_view kQueue = "sim";

struct Settings {
  explicit Settings(std::uint64_t seed);

  std::uint64_t seed;
  QueuePolicy queue;
  TypePolicy type;
  int concurrency = 2;
  std::chrono::nanoseconds session_timeout{}, delivery_timeout{};
  std::uint64_t trim_bytes = 3000;
  std::size_t buffered_appends = 10'000;
  std::size_t max_live_jobs = Lines::kMaxLiveJobs;  // few: jobs are rows only
  StepBounds bounds = {};                           // tiny: everything happens in many pieces
  std::size_t max_flows = Lines::kMaxFlows;         // few: the jobs of some accounts are rows only
  bool faults = true;
  bool retries = true;         // handlers fail and snooze
  bool short_window = false;   // identities are forgotten while the run goes on
  bool foreign_trims = false;  // somebody else cuts the state logs
  // When the faults are over, somebody deletes topics and creates them again.
  bool recreates_queue = false, recreates_state = false;
  bool limits =
      false;  // there are types with limits and a breaker, and an account is paused at the end
  bool batches = false;    // and types that are handed over together
  bool unique = false;     // there are types with uniqueness
  bool believed = false;   // appends are acknowledged that enter no log
  bool errors = false;     // there are types that retry or discard by what has failed
  bool long_jobs = false;  // and types that iterate
  bool doubtful = false;   // appends time out early, and the group is quick to move partitions
  bool shared = false;     // there are limits that all accounts share
  int shared_slots = 1;
  bool lanes = false;       // and one of them has a rate
  bool set_limits = false;  // limits of accounts are set as the run goes on
  bool weights = false;     // in the end one account has more weight than others
  bool newcomers = false;   // in the end new accounts come for a long time
  bool killer = false;      // a long job kills its process in each attempt,
  bool survivor = false;    // or once an iteration
  bool twins = false;       // when the faults are over: two bulks of one id, one after the other
  bool oversized =
      false;             // records come that are larger than a commit, or than the dead topic takes
  bool replays = false;  // somebody reprocesses what is in the topic so far
  bool programs_fail = false;  // through a program that fails now and then
  bool past_trims = false;     // and somebody else removes what has been taken from it
  // Processes of two versions run side by side, until an operator finishes the upgrade.
  bool upgrade = false;
  // A process that comes back has the name of the one before it in the group, and finds that one's
  // tenures once the lock of their state directory is free.
  bool in_place = false;
  bool trace = false;

  void recreate_topics();
  void let_others_trim();
};

// One line: what is particular to this run.
[[nodiscard]] std::string describe(const Settings& settings);

[[nodiscard]] const QueueNames& names();

}  // namespace penstock::simulation
