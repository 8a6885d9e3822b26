// What the checker holds the count of deaths of a job against that goes on in iterations: an
// iteration that ends makes those before it forgotten, in its own commit; three since then, and the
// job is dead as `crashed`. So one that kills its process again and again within an iteration ends,
// and one that is killed once in each goes on.
//
// What a commit has of both, notices and an iteration's end, may have come in either order: then
// the deaths are counted as the least and the most that they may be. Of which iterations a commit
// has is told by the cursor that it leaves: what an owner was told before that one is in it too.
// One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "consumer/job/handler.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/reference.h"
#include "tests/simulation/rules.h"
#include "tests/simulation/settings.h"

namespace penstock::simulation {

// As long as there are faults, the one kills its process in each attempt and the other once an
// iteration.
inline constexpr std::string_view kKillerAccount = "killer", kSurvivorAccount = "survivor";
inline constexpr Instant kLastKill = kFaultsEnd - std::chrono::seconds(4);

class CrashChecks {
 public:
  CrashChecks(const Settings& settings, Rules& rules, InputModel& model)
      : settings_(settings), rules_(rules), model_(model) {}

  // Before anything else of an honoured commit is looked at.
  void committed(const CommitFacts& facts, const Reference& reference);
  void buried(const CommitFacts& facts, const Job& job);
  void started(const AttemptRequest& request, const Job& job, const Reference& reference);
  // A handler has left a cursor, with the end of an iteration or before it.
  void told(const AttemptRequest& request, const std::string& cursor, bool ends_iteration);
  // The attempt was ended when its outcome was on its way.
  void unheard(const AttemptKey& key);

  // Whether the process dies of this attempt.
  [[nodiscard]] bool kills(const AttemptRequest& request);

 private:
  // How many iterations an owner had been told of by then.
  struct Place {
    std::int64_t epoch = -1;
    int iterations = 0;
  };
  struct Count {
    int least = 0, most = 0;  // deaths since the last iteration that an honoured commit has
    std::map<std::string, Place> told;  // by cursor
    Place last_told, reached;           // the latter by an honoured commit
    AttemptKey by;                      // last_told
    bool unsure = false;                // whether what was told was heard
  };

  [[nodiscard]] bool knows(const Job& job, const Count& count) const;
  [[nodiscard]] static bool is_beyond(const Place& place, const Place& before);

  const Settings& settings_;
  Rules& rules_;
  InputModel& model_;
  std::map<const Job*, Count> counts_;
  std::map<PartitionId, std::set<const Job*>> dying_;  // that were in flight at a death
  std::set<std::string> killed_at_;                    // cursors
};

}  // namespace penstock::simulation
