// What the checker holds a batch against that is to be handed over again: a failed one as it was,
// and one that goes on with a cursor too, with that cursor, whichever of its items comes first. One
// thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/job/handler.h"
#include "consumer/policy/policy.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

// kLedType iterates, needs one of two slots, and no two of its `k` run at once.
[[nodiscard]] TypePolicy led_policy(const TypePolicy& base);

class GroupChecks {
 public:
  // `strict`: the queue's order, in which no job may pass another.
  GroupChecks(Rules& rules, InputModel& model, bool strict)
      : rules_(rules), model_(model), strict_(strict) {}

  void started(const AttemptRequest& request);
  // Of copies, which are held against nothing here, but may hold the lock of an item, also between
  // their iterations.
  void copies_started(const AttemptRequest& request);
  // After the items' own outcomes are counted.
  void outcome(const AttemptRequest& request, const OutcomeValue& outcome);
  // The attempt was ended when its outcome was on its way.
  void unheard(const AttemptKey& key);

 private:
  struct Group {
    AttemptKey by;
    std::vector<const Job*> jobs;
    std::string cursor;
  };
  using Groups = std::map<const Job*, std::shared_ptr<Group>>;

  [[nodiscard]] std::vector<const Job*> jobs_of(const AttemptRequest& request);

  Rules& rules_;
  InputModel& model_;
  bool strict_;
  std::set<std::string> copied_;  // accounts with copies of the type
  std::set<std::string> cut_;     // accounts
  Groups groups_;                 // that are to be handed over, by each of their jobs
};

}  // namespace penstock::simulation
