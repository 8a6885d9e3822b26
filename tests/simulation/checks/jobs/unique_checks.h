// What the checker holds uniqueness against: the jobs of each unique key as the input has them, who
// of them runs, and which arguments have run. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "consumer/job/handler.h"
#include "consumer/policy/type_table.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/reference.h"
#include "tests/simulation/rules.h"
#include "tests/simulation/settings.h"

namespace penstock::simulation {

// A key is made of the argument `k`; `me` is the id of the record that the arguments came with.
struct UniqueType {
  std::string_view name;
  UniqueScope scope;
  OnConflict on_conflict;
};
inline constexpr UniqueType kUniqueTypes[] = {
    {"alone", UniqueScope::kRunning, OnConflict::kDrop},
    {"once", UniqueScope::kUntilDone, OnConflict::kDrop},
    {"newest", UniqueScope::kQueuedAndRunning, OnConflict::kKeepLatest},
    {"fresh", UniqueScope::kQueued, OnConflict::kReplace},
    {"calm", UniqueScope::kQueued, OnConflict::kDebounce},
    {"rare", UniqueScope::kTtl, OnConflict::kDrop},
    {"single", UniqueScope::kUntilDone, OnConflict::kDead},
};
inline constexpr Duration kUniqueTtl{3000};  // of those that hold for a time
[[nodiscard]] const UniqueType* unique_type(std::string_view name);
void add_unique_types(TypeTable& types, const TypePolicy& base);

class UniqueChecks {
 public:
  UniqueChecks(const Settings& settings, Rules& rules, InputModel& model)
      : settings_(settings), rules_(rules), model_(model) {}

  void started(std::size_t host, const AttemptRequest& request, const Job& job);
  // Of a replay: it may not run beside another of its key.
  void copy_started(std::size_t host, const AttemptRequest& request);
  void shown(std::size_t host, const AttemptKey& key);
  void hidden(std::size_t host, const AttemptKey& key);

  // In the honoured history: a job has been taken, a job has ended.
  void taken(const CommitFacts& facts, const ReferenceStore& store, const Job& job, Instant at);
  void ended(const CommitFacts& facts, const Job& job);
  void buried(const Job& job, std::string_view reason);
  void deleted(const ReferenceStore& store, const Job& job);
  void check_end();

 private:
  using Attempt = std::pair<std::size_t, AttemptKey>;
  // Who held the lock of a type with a time last.
  struct Timed {
    const Job* job = nullptr;
    Time until{};  // as its row had it; zero: it was over when its commit came
    Instant seen{};
  };

  void check_alive(const CommitFacts& facts, const Job& job);
  void check_waiting(const CommitFacts& facts, const Job& job);
  void check_timed(const ReferenceStore& store, const Job& job, Instant at);
  void check_folded(const Job& job, Offset commit);
  [[nodiscard]] bool has_holder(const Job& job, Offset commit);

  const Settings& settings_;
  Rules& rules_;
  InputModel& model_;
  std::map<Attempt, std::string> exclusive_;          // those of which no two of a key run at once
  std::map<std::string, std::set<Attempt>> running_;  // of them, by key
  std::map<std::string, Timed> timed_;                // by key
  std::set<std::string> ran_;  // the records whose arguments have run, "account/id"
};

}  // namespace penstock::simulation
