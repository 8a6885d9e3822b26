// What the checker holds circuit breakers against: a count of its own of what failed in a row. One
// thread.
//
// An owner knows what its last predecessor's honoured commits say, and what it has been told since;
// so there is a count for each account and owner, which begins with the row that the owner found.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "consumer/job/handler.h"
#include "tests/simulation/reference.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

inline constexpr std::string_view kShakyType = "shaky";  // has a breaker
inline constexpr int kShakyFailures = 3;
inline constexpr Duration kShakyProbe{2000};
// At the end: everything of this account fails, then a probe is snoozed, and nothing fails from
// then on.
inline constexpr std::string_view kShakenAccount = "shaken";
inline constexpr Instant kShakenFails{std::chrono::milliseconds(65'800)};
inline constexpr Instant kShakenUntil{std::chrono::seconds(67)};
// Those that were parked have all begun so long after the first success; by probes it would take
// many of them.
inline constexpr std::chrono::milliseconds kClosesWithin{4500};

class BreakerChecks {
 public:
  explicit BreakerChecks(Rules& rules) : rules_(rules) {}

  // `first`: the job has not started before. `reference` is its partition's.
  void started(const AttemptRequest& request, const Reference& reference, bool first, Now now,
               Instant at);
  void outcome(const AttemptRequest& request, const OutcomeValue& outcome, Now now, Instant at);
  void shown(const AttemptKey& key, const std::string& account);
  void hidden(const AttemptKey& key, const std::string& account);

 private:
  struct Count {
    int failures = 0;
    bool open = false;
    Time next_probe{};
    std::optional<AttemptKey> probe;
    bool probe_runs = false;
  };
  using Key = std::tuple<std::string, PartitionId, std::int64_t>;  // the account and its owner

  [[nodiscard]] static Key key_of(const std::string& account, const AttemptKey& attempt) {
    return {account, attempt.partition, attempt.token.epoch};
  }
  [[nodiscard]] Count& count_of(const AttemptRequest& request, const Reference& reference);

  Rules& rules_;
  std::map<Key, Count> counts_;
  std::optional<Instant> first_success_;  // of kShakenAccount
};

}  // namespace penstock::simulation
