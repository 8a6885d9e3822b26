// What the checker holds the start of a job against that has been told to wait since it came: by a
// reschedule, a newcomer that moves it (debounce), a snooze or a failure. One thread.
//
// A job's time is the last that was said of it. What an attempt has said holds for its owner,
// unless the attempt was ended before that was heard; for a later owner, where the honoured history
// has it (its commit may have been lost). A reschedule has moved the job where an honoured commit
// has taken it and the job surely was not running when it was read. Until that is known, and where
// it never is, the job may start at the earlier of the two times.
#pragma once

#include <map>
#include <optional>

#include "consumer/job/handler.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/reference.h"
#include "tests/simulation/rules.h"
#include "tests/simulation/settings.h"

namespace penstock::simulation {

class EarlyChecks {
 public:
  EarlyChecks(const Settings& settings, Rules& rules, InputModel& model)
      : settings_(settings), rules_(rules), model_(model) {}

  // A record has entered the queue's log; an honoured commit has taken it, and its ends have been
  // counted.
  void appended(const Input& input, Offset at);
  void taken(const CommitFacts& facts, const Input& input, Offset at);

  // `reference` is the job's partition's. The outcome comes after the job's retry_from is known.
  void started(const AttemptRequest& request, const Job& job, const Reference& reference, Now now);
  void outcome(const AttemptRequest& request, const Job& job, const Reference& reference,
               const OutcomeValue& outcome, Now now);
  // The attempt was ended when its outcome was on its way.
  void unheard(const AttemptKey& key);

 private:
  struct NotBefore {
    Time at{};
    std::optional<AttemptKey> by =
        {};  // the attempt that said so; absent: an honoured commit has it
  };
  struct Move {
    Time to{};
    int starts = 0;     // of the job, when the record came,
    bool idle = false;  // and whether none of them was under way
  };
  struct Told {
    std::optional<NotBefore> not_before;
    std::map<Offset, Move> moves;  // that may have moved it: where their records lie
    int starts = 0;
    std::int64_t started_in = -1;  // the newest owner's that has started it
    bool idle = true;              // its last start has had its outcome
  };

  [[nodiscard]] bool holds(const NotBefore& not_before, const AttemptRequest& request,
                           const Job& job, const Reference& reference) const;

  const Settings& settings_;
  Rules& rules_;
  InputModel& model_;
  std::map<const Job*, Told> told_;
};

}  // namespace penstock::simulation
