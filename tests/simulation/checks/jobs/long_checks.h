// What the checker holds long jobs against: where their cursors come from, whose turn it is when
// one has run for its max_runtime, and that nobody takes what one keeps between its iterations. One
// thread.
//
// A worker's own time of an attempt is a little longer than the handler's, and ends before the next
// one's start. Where the two would differ on whether a job has run for its max_runtime, nothing is
// said of its turns any more.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "consumer/job/handler.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/reference.h"
#include "tests/simulation/rules.h"
#include "tests/simulation/settings.h"

namespace penstock::simulation {

inline constexpr std::string_view kLongType = "long";  // has a max_runtime
inline constexpr std::string_view kHolderType =
    "holder";  // iterates, and keeps the one slot of its account
inline constexpr std::string_view kTakerType = "taker";  // needs it too
inline constexpr Duration kLongestRun{900};

[[nodiscard]] inline bool iterates(std::string_view type) {
  return type == kLongType || type == kHolderType;
}

class LongChecks {
 public:
  LongChecks(const Settings& settings, Rules& rules, InputModel& model)
      : settings_(settings), rules_(rules), model_(model) {}

  // Before the start is counted. `reference` is the job's partition's.
  void started(const AttemptRequest& request, const Job& job, const Reference& reference, Now now);
  void outcome(const AttemptRequest& request, const Job& job, const Reference& reference,
               const OutcomeValue& outcome, Now now);
  void checkpoint(const AttemptRequest& request, const std::string& cursor, bool asks);
  // A pause holds all lines of an account, which come back one after the other when it ends.
  void control_appended(const LogRecord& record);

  // An honoured commit produces the job that this cursor is the argument of.
  void produced_with(const std::string& cursor) { asked_with_.erase(cursor); }

 private:
  // What its present owner's attempts have said.
  struct Told {
    std::int64_t epoch = -1;
    std::vector<std::string> cursors;  // the first: what the last attempt began with
    bool answered = false;             // the last attempt has had its outcome
    Time started{};
    Duration least{0}, most{0};      // that it has run in its place, by its worker
    bool went_on = false;            // after its last outcome, in its place
    bool unsure = false;             // whether it has given its turn up
    std::vector<const Job*> before;  // whose turn comes first, since it has given up its own
  };
  using Desk = std::pair<std::string, std::int64_t>;  // the account and its owner

  void check_cursor(const AttemptRequest& request, const Job& job, const Reference& reference,
                    const Told& told);
  void check_turn(const Job& job, const Told& told);
  void check_desk(const AttemptRequest& request, const Job& job);
  [[nodiscard]] std::vector<const Job*> ready_before(const Job& job, const Reference& reference,
                                                     Now now) const;
  [[nodiscard]] bool goes_first(const Job& other, const Job& job, const Reference& reference,
                                Now now) const;

  const Settings& settings_;
  Rules& rules_;
  InputModel& model_;
  std::set<std::string> asked_with_;  // cursors whose follow-up no honoured commit has produced
  std::map<const Job*, Told> told_;
  std::map<Desk, const Job*> kept_by_;  // between two iterations
};

}  // namespace penstock::simulation
