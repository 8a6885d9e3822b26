// What the checker holds the pace of replays against: their rate, and the part of their copies that
// may die. One thread.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "consumer/control/control.h"
#include "consumer/job/handler.h"
#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checks/replays/replay_model.h"

namespace penstock::simulation {

class PaceChecks {
 public:
  PaceChecks(CheckedRun& run, const ReplayBook& book) : run_(run), book_(book) {}

  // The control topic says of a replay what it is now.
  void said(const ReplayPlan& plan);
  // An honoured commit produces an event, or tells the control topic something.
  void event(const CommitFacts& facts, const Produced& message);
  void told(const CommitFacts& facts, const Produced& message);
  // It has the replay's row.
  void committed(const CommitFacts& facts, const ReplayPlan& plan, const ReplayRow& row);
  void started(const Copy& copy, const AttemptRequest& request);
  void check_end();

 private:
  // A series of copies whose times one clock tells.
  using Series = std::tuple<const ReplayPlan*, PartitionId, std::int64_t>;
  // A replay since its start, or since it was resumed so many times.
  using Stretch = std::pair<const ReplayPlan*, std::uint64_t>;

  CheckedRun& run_;
  const ReplayBook& book_;
  std::map<Series, std::deque<Time>> made_;
  std::set<Stretch> too_many_dead_, paused_;
};

}  // namespace penstock::simulation
