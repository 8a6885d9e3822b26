// What the checker holds limits and pauses against: counts of its own of who runs and what has
// started. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/job/handler.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

inline constexpr std::string_view kSlowType = "slow";  // at most one at a time of an account
inline constexpr std::string_view kPacedType =
    "paced";  // kPacedBurst at once, then one every kPacedEvery
inline constexpr int kPacedBurst = 2;
inline constexpr Duration kPacedEvery{500};
inline constexpr std::string_view kSlowLimit = "slow/{account}";  // as written
inline constexpr std::string_view kHaltedAccount = "halted";
// Nobody is that late to hear of a pause when nothing fails.
inline constexpr std::chrono::seconds kHeardWithin{2};

class LimitChecks {
 public:
  explicit LimitChecks(Rules& rules) : rules_(rules) {}

  void started(std::size_t host, const AttemptRequest& request, Now now, Instant at);
  void shown(std::size_t host, const AttemptKey& key, const std::string& account, Instant at);
  void hidden(std::size_t host, const AttemptKey& key, const std::string& account);
  void control_appended(const LogRecord& record, Instant at);

 private:
  // An owner whose reads are cut off hears late, and what runs has its time.
  static constexpr std::chrono::seconds kSetLate{20};

  void check_pace(const AttemptRequest& request, Now now);
  void check_slots(const std::string& account, Instant at);
  [[nodiscard]] std::size_t most_slots(Instant at) const;

  Rules& rules_;
  std::set<std::pair<std::size_t, AttemptKey>> slow_;
  std::map<std::string, std::set<std::pair<std::size_t, AttemptKey>>>
      running_;  // of slow_, by account
  // By account and owner: what an owner's last commit does not tell is not known to the next one.
  std::map<std::tuple<std::string, PartitionId, std::int64_t>, std::vector<Time>> paced_;
  struct Paused {
    Instant since{};
    PauseTarget target;
  };
  std::optional<Paused> paused_;
  std::vector<std::pair<Instant, int>> set_{{Instant{}, 1}};  // since when how many slots
};

}  // namespace penstock::simulation
