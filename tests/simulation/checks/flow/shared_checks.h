// What the checker holds shared limits against: the honoured rows of their owner, and counts of its
// own of who runs. One thread.
//
//  - no more attempts of a limit run, over all hosts, than its owner has allotted and not had back;
//  - the owner allots no more than the limit, as it was set within the last kHeardLate, or than it
//    has out already.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "consumer/job/handler.h"
#include "consumer/policy/limit_policy.h"
#include "tests/simulation/reference_store.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

inline constexpr std::string_view kPoolType = "pool";  // needs "pool"
inline constexpr std::string_view kPairType = "pair";  // needs "gate" and "pool"
inline constexpr int kOwnerPartitions = 2;
// An owner whose reads are cut off, but not its commits, hears late of what is set.
inline constexpr std::chrono::seconds kHeardLate{20};

[[nodiscard]] std::vector<LimitPolicy> shared_limits_of(std::string_view type, int slots);

class SharedChecks {
 public:
  SharedChecks(Rules& rules, int slots) : rules_(rules), slots_(slots) {}

  void committed(PartitionId partition, const ReferenceStore& store, Instant at);
  void started(std::size_t host, const AttemptRequest& request);
  void shown(std::size_t host, const AttemptKey& key);
  void hidden(std::size_t host, const AttemptKey& key);
  void control_appended(const LogRecord& record, Instant at);

 private:
  using Attempt = std::pair<std::size_t, AttemptKey>;
  struct Limit {
    int configured = 0;  // slots, or the parts of a rate
    int allotted = 0;
    std::set<Attempt> running;
    std::vector<std::pair<Instant, int>> set;  // since when how many
  };
  void check(const std::string& name, const Limit& limit);
  [[nodiscard]] int most(const Limit& limit, Instant at) const;

  Rules& rules_;
  const int slots_;
  std::map<std::string, Limit> limits_;
  std::map<Attempt, std::vector<std::string>> needs_;
};

}  // namespace penstock::simulation
