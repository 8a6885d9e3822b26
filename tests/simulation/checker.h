// Sees everything that happens in a run and holds it against the honoured histories and the rules.
// It is told by the cluster (every record as it enters a log), by the executors (attempts), by the
// workers' stores, and by the processes that stop. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "tests/simulation/checker/attempt_checks.h"
#include "tests/simulation/checker/bulk_checks.h"
#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checker/commit_checks.h"
#include "tests/simulation/checker/end_checks.h"
#include "tests/simulation/checker/feature_checks.h"
#include "tests/simulation/checker/message_checks.h"
#include "tests/simulation/checker/running_attempts.h"
#include "tests/simulation/checker/share_checks.h"
#include "tests/simulation/checker/store_checks.h"

namespace penstock::simulation {

class Checker {
 public:
  Checker(const Settings& settings, SimulatedCluster& cluster);
  // Its parts refer to one another.
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  void appended(const std::string& topic, PartitionId partition, const LogRecord& record);
  [[nodiscard]] AttemptChecks& attempts() { return attempts_; }
  [[nodiscard]] StoreChecks& stores() { return stores_; }

  // A process cannot go on.
  void broken(std::size_t host, const std::string& reason);
  // A tenure has ended.
  void given_up(std::size_t host, const std::string& why);

  // Topics were deleted and created again; the ids of the state topic's and of nothing else.
  void recreated() { run_.rules().recreated = true; }
  [[nodiscard]] bool is_recreated() const { return run_.rules().recreated; }

  [[nodiscard]] bool all_done() { return end_.all_done(); }
  void check_end() { end_.check_end(); }
  // When all is done: the replays are about to be deleted.
  void replays_deleted() { features_.replays.check_end(); }
  // Up to where the honoured history has taken the input.
  [[nodiscard]] Offset input_taken(PartitionId partition) const {
    return Offset{run_.reference(partition).input_next()};
  }
  // Somebody has removed the records before this one from the input.
  void input_cut(PartitionId partition, Offset before) { features_.replays.cut(partition, before); }
  [[nodiscard]] ProgramChecks& programs() { return features_.replays.programs(); }
  // A process has stopped, as it should: the run is over.
  [[nodiscard]] bool stopped() const { return stopped_; }

  [[nodiscard]] Rules& rules() { return run_.rules(); }
  [[nodiscard]] const std::optional<std::string>& violation() const { return run_.rules().broken; }
  [[nodiscard]] InputModel& model() { return run_.model(); }
  // An honoured commit produces the job of a bulk whose chunks have all ended.
  void on_bulk_done(std::function<void(const Bulk&)> tell) { bulks_.on_done(std::move(tell)); }
  void on_say(std::function<void(const std::string&)> say) { run_.on_say(std::move(say)); }
  void say(const std::string& text) const { run_.say(text); }

 private:
  void input_appended(PartitionId partition, const LogRecord& record);

  CheckedRun run_;
  FeatureChecks features_;
  MessageChecks messages_;
  BulkChecks bulks_;
  RunningAttempts running_;
  ShareChecks shares_;
  CommitChecks commits_;
  StoreChecks stores_;
  AttemptChecks attempts_;
  EndChecks end_;
  bool stopped_ = false;
};

}  // namespace penstock::simulation
