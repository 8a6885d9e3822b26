// What the checker holds a rate that all accounts share against: by the targets that its owner has
// sent and the partition has read, which part of the rate the partition has; and counts of its own
// of what has started. That all parts together are no more than the whole is SharedChecks'. One
// thread.
//
//  - while an owner of a partition goes by one target, of n of m parts, at most burst' + t / T'
//    jobs start in any time t, where T' = T * m / n and burst' = max(1, burst * n / m).
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "consumer/job/handler.h"
#include "consumer/policy/rate.h"
#include "tests/simulation/rules.h"
#include "topics/log.h"

namespace penstock::simulation {

inline constexpr std::string_view kLaneType = "lane";  // needs "lane"
inline constexpr std::string_view kLaneLimit = "lane";
inline constexpr int kLaneBurst = 3;
inline constexpr Rate kLaneRate{4, Duration{1000}};

class SharedRateChecks {
 public:
  explicit SharedRateChecks(Rules& rules) : rules_(rules) {}

  // A message from the owner of a limit has entered a partition's input.
  void told(PartitionId partition, const LogRecord& record);
  // By an owner that has read its input up to `read`.
  void started(const AttemptRequest& request, Offset read, Time now);

 private:
  struct Part {
    Offset at;
    std::int64_t slots = 0, of = 0;
  };
  using Regime = std::tuple<PartitionId, std::int64_t, Offset>;  // owner's epoch, Part::at

  [[nodiscard]] Part part(PartitionId partition, Offset read) const;

  Rules& rules_;
  std::map<PartitionId, std::map<Offset, Part>> told_;
  std::map<Regime, std::vector<Time>> starts_;
};

}  // namespace penstock::simulation
