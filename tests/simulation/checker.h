// Sees everything that happens in a run and holds it against the honoured histories and the rules.
// It is told by the cluster (every record as it enters a log), by the executors (attempts) and by
// the workers' stores. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "consumer/job/handler.h"
#include "state/store/memory_store.h"
#include "tests/simulation/checks/batch_checks.h"
#include "tests/simulation/checks/breaker_checks.h"
#include "tests/simulation/checks/crash_checks.h"
#include "tests/simulation/checks/early_checks.h"
#include "tests/simulation/checks/error_checks.h"
#include "tests/simulation/checks/group_checks.h"
#include "tests/simulation/checks/life_checks.h"
#include "tests/simulation/checks/limit_checks.h"
#include "tests/simulation/checks/log_checks.h"
#include "tests/simulation/checks/long_checks.h"
#include "tests/simulation/checks/newcomer_checks.h"
#include "tests/simulation/checks/shared_checks.h"
#include "tests/simulation/checks/shared_rate_checks.h"
#include "tests/simulation/checks/size_checks.h"
#include "tests/simulation/checks/unique_checks.h"
#include "tests/simulation/checks/weight_checks.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/reference.h"
#include "tests/simulation/rules.h"
#include "tests/simulation/settings.h"

namespace penstock::simulation {

// Of the jobs that lie in a queue's topic that was created again.
inline constexpr std::string_view kNewTopicsAccount = "phoenix";

class Checker {
 public:
  Checker(const Settings& settings, SimulatedCluster& cluster);

  void appended(const std::string& topic, PartitionId partition, const LogRecord& record);

  // Attempts. `host` tells running ones of two hosts apart.
  void started(std::size_t host, const AttemptRequest& request, Now now);
  // `items` of a batch, empty where all share the outcome.
  void outcome(const AttemptRequest& request, const OutcomeValue& outcome,
               const ItemOutcomes& items, Now now);
  // `asks`: a follow-up job is to be produced with it, of which the cursor is the argument `with`.
  void checkpoint(const AttemptRequest& request, const std::string& cursor, bool asks) {
    long_.checkpoint(request, cursor, asks);
    crashes_.told(request, cursor, false);
  }
  // It has given a sign of life; its time is over (before it is hidden).
  void alive(std::size_t host, const AttemptKey& key) { life_.alive(host, key, cluster_.now()); }
  void timed_out(std::size_t host, const AttemptKey& key) {
    life_.timed_out(host, key, cluster_.now());
  }
  // A hand-over has ended well, or run out of its time.
  void measured(const AttemptRequest& request, std::chrono::nanoseconds took) {
    sizes_.measured(request, took);
  }
  [[nodiscard]] bool kills(const AttemptRequest& request) { return crashes_.kills(request); }
  // An honoured commit produces the job of a bulk whose chunks have all ended.
  void on_bulk_done(std::function<void(const Bulk&)> tell) { tell_ = std::move(tell); }
  // An outcome asks for follow-up jobs.
  void asks(const AttemptRequest& request, std::size_t jobs) {
    asked_[request.key.token.text()] += static_cast<int>(jobs);
  }
  // By an owner that has read its input up to `read`.
  void started_having_read(const AttemptRequest& request, Offset read, Now now) {
    shared_rate_.started(request, read, now.wall);
  }
  // Its owner ends an attempt that has not had its outcome.
  void killed(const AttemptRequest& request);
  // An attempt that has had its outcome is ended before its worker hears of that.
  void unheard(const AttemptKey& key) {
    early_.unheard(key);
    groups_.unheard(key);
    crashes_.unheard(key);
  }
  void hidden(std::size_t host, const AttemptKey& key, const std::string& account);
  void shown_again(std::size_t host, const AttemptKey& key, const std::string& account);

  // Stores.
  // A host writes a record's rows: as the owner that counts it, or `restoring` what the log holds.
  void applied(std::size_t host, PartitionId partition, const LogPosition& position,
               bool restoring);
  void restored(std::size_t host, PartitionId partition, Offset epoch,
                const MemoryStore::Contents& contents);
  void broken(std::size_t host, const std::string& reason);
  void given_up(std::size_t host, const std::string& why);

  // Topics were deleted and created again; the ids of the state topic's and of nothing else.
  void recreated();
  [[nodiscard]] bool is_recreated() const { return rules_.recreated; }
  // Whether an attempt that starts is no concern of the other rules any more.
  [[nodiscard]] bool starts_after_recreation(const AttemptRequest& request);
  // A host forgets a copy of the rows for good.
  void discarded(std::size_t host, PartitionId partition, const std::optional<LogPosition>& copy);

  // A reader from the log's start has read up to `goal`.
  void standby(PartitionId partition, std::int64_t goal, std::uint64_t digest, std::uint64_t seq,
               bool whole);

  [[nodiscard]] bool all_done();
  void check_end();
  // A process has stopped, as it should: the run is over.
  [[nodiscard]] bool stopped() const { return stopped_; }

  [[nodiscard]] Rules& rules() { return rules_; }
  [[nodiscard]] const std::optional<std::string>& violation() const { return rules_.broken; }
  [[nodiscard]] InputModel& model() { return model_; }
  [[nodiscard]] const Reference& reference(PartitionId partition) const {
    return *references_[static_cast<std::size_t>(partition)];
  }
  void on_say(std::function<void(const std::string&)> say) { say_ = std::move(say); }
  void say(const std::string& text) const {
    if (say_) say_(text);
  }

 private:
  struct Sent {
    std::string topic;
    PartitionId partition = 0;
    std::string source;
    std::uint64_t seq = 0;
    std::optional<std::string> key, value;
    std::uint64_t arrivals = 0;
  };

  // checker.cc: logs
  void committed(const CommitFacts& facts);
  void owner_committed(const CommitFacts& facts);
  [[nodiscard]] std::string slots_left() const;
  void input_taken(const CommitFacts& facts, std::int64_t offset);
  void stop_taken(const CommitFacts& facts, Job& job, Op op);
  void check_deleted(const CommitFacts& facts, const Job& job, bool had_lock);
  void produced(const CommitFacts& facts, const Produced& message);
  void ended(const CommitFacts& facts, const Digest& digest);
  [[nodiscard]] bool may_be_new(const Bulk& bulk) const;
  void bulk_done(const CommitFacts& facts, const Produced& message);
  void arrived(const std::string& topic, PartitionId partition, const LogRecord& record,
               const std::string& message);
  // checker_attempts.cc
  void job_started(std::size_t host, const AttemptRequest& request, Now now);
  void job_outcome(const AttemptRequest& request, const OutcomeValue& outcome, Now now);
  void check_attempt(const Job& job, const AttemptRequest& request);
  void check_order(const Job& job);
  void check_ready_order(const Job& job, const AttemptRequest& request);
  void check_times(const Job& job, const AttemptRequest& request, Now now);
  void check_ended(const Job& job, const AttemptRequest& request, Now now);
  void check_fair(const Job& job, const AttemptRequest& request);
  void check_fair_order(const Job& job, const AttemptRequest& request);
  void check_bulk_share(const Job& job, const AttemptRequest& request);
  void show(std::size_t host, const AttemptKey& key, const std::string& account);

  // A repeat may be another job, if the window was over by then.
  [[nodiscard]] bool may_be_forgotten(const Job& job) const {
    return settings_.short_window && job.repeats > 0;
  }
  [[nodiscard]] std::string not_done();
  [[nodiscard]] std::string kept_too_long(const Reference& reference) const;

  const Settings& settings_;
  SimulatedCluster& cluster_;
  Rules rules_;
  LimitChecks limits_{rules_};
  LogChecks logs_{rules_};
  SharedChecks shared_{rules_, settings_.shared_slots};
  SharedRateChecks shared_rate_{rules_};
  BreakerChecks breakers_{rules_};
  ErrorChecks errors_{rules_};
  InputModel model_;
  BatchChecks batches_{settings_, rules_, model_};
  SizeChecks sizes_{rules_, model_};
  GroupChecks groups_{rules_, model_};
  UniqueChecks unique_{settings_, rules_, model_};
  LongChecks long_{settings_, rules_, model_};
  LifeChecks life_{rules_};
  CrashChecks crashes_{settings_, rules_, model_};
  EarlyChecks early_{settings_, rules_, model_};
  NewcomerChecks newcomers_{rules_};
  WeightChecks weights_{rules_};
  std::vector<std::unique_ptr<Reference>> references_;
  std::vector<std::unique_ptr<Reference>> owners_;  // of the slots topic
  std::map<std::string, Sent> sent_;                // by penstock-message
  std::map<std::string, std::string> buried_;       // penstock-source -> penstock-message
  std::set<std::string> forwarded_;                 // penstock-origin
  std::map<std::string, std::set<std::pair<std::size_t, AttemptKey>>> running_;  // by account
  std::map<std::string, std::string> last_token_;                                // by account
  std::set<std::string> tokens_;                                                 // of all attempts
  std::map<std::string, int> asked_;  // follow-ups, by the attempt's token
  bool stopped_ = false;
  std::string light_account_;                           // once its jobs have been taken
  std::uint64_t heavy_starts_ = 0;                      // while one of them could have started
  bool small_waits_ = false;                            // the small bulk's chunks have been taken
  std::uint64_t great_starts_ = 0;                      // since
  std::set<std::int64_t> light_owners_, small_owners_;  // that have served either since then
  std::function<void(const std::string&)> say_;
  std::function<void(const Bulk&)> tell_;
};

// "a/b": how a job is named in what is said about it.
[[nodiscard]] std::string name_of(const Job& job);

}  // namespace penstock::simulation
