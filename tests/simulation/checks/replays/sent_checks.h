// What the checker holds the copies for another queue against: a partition sends each once, in the
// commit that counts it, and what that queue's partitions take is what was sent. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checks/replays/replay_model.h"

namespace penstock::simulation {

class SentChecks {
 public:
  SentChecks(CheckedRun& run, const ReplayBook& book) : run_(run), book_(book) {}

  // An honoured commit produces a copy for another queue or, `forwarded`, for another partition.
  void produced(const CommitFacts& facts, const Produced& message, const std::string& replay,
                bool forwarded);
  // It has produced all of them. `before`: the replay's row before it.
  void committed(const CommitFacts& facts, const ReplayPlan& plan, const ReplayRow& before,
                 const ReplayRow& row);
  // A record has entered the other queue's topic. Whether a task would take it there: the next one
  // of its source, and no repeat.
  [[nodiscard]] bool arrived(PartitionId partition, const LogRecord& record);
  void check_end();

 private:
  struct Sent {
    std::int64_t away = 0, forwarded = 0;  // in the commit that is being read
  };

  CheckedRun& run_;
  const ReplayBook& book_;
  std::map<std::string, Sent> now_;                                    // by replay
  std::map<std::tuple<PartitionId, bool, Digest>, int> made_;          // by partition of the source
  std::map<std::string, std::int64_t> sent_, taken_;                   // by replay
  std::map<std::pair<PartitionId, std::string>, std::uint64_t> last_;  // by source
};

}  // namespace penstock::simulation
