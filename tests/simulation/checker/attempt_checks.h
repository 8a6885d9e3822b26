// Checks attempts: whether a job may start now, with which token, and what its outcome makes of it.
// The executors report their attempts here. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "consumer/job/handler.h"
#include "tests/simulation/checker/checked_run.h"
#include "tests/simulation/checker/feature_checks.h"
#include "tests/simulation/checker/message_checks.h"
#include "tests/simulation/checker/order_checks.h"
#include "tests/simulation/checker/running_attempts.h"
#include "tests/simulation/checker/share_checks.h"

namespace penstock::simulation {

// Of the jobs that lie in a queue's topic that was created again.
inline constexpr std::string_view kNewTopicsAccount = "phoenix";

class AttemptChecks {
 public:
  AttemptChecks(CheckedRun& run, FeatureChecks& features, MessageChecks& messages,
                RunningAttempts& running, ShareChecks& shares)
      : run_(run),
        features_(features),
        messages_(messages),
        running_(running),
        shares_(shares),
        orders_(run) {}

  // `host` tells the running attempts of two hosts apart.
  void started(std::size_t host, const AttemptRequest& request, Now now);
  // By an owner that has read its input up to `read`.
  void started_having_read(const AttemptRequest& request, Offset read, Now now) {
    features_.shared_rate.started(request, read, now.wall);
  }
  // By a process that has read this of the control topic.
  void started_knowing(const AttemptRequest& request, const Control& control) {
    features_.replays.started_knowing(request, control);
  }
  // Whether an attempt that starts is no concern of the other rules any more.
  [[nodiscard]] bool starts_after_recreation(const AttemptRequest& request);
  // `items` of a batch, empty where all share the outcome.
  void outcome(const AttemptRequest& request, const OutcomeValue& outcome,
               const ItemOutcomes& items, Now now);
  // An outcome asks for follow-up jobs.
  void asks(const AttemptRequest& request, std::size_t jobs) { messages_.asked(request, jobs); }
  // `asks`: a follow-up job is to be produced with it, of which the cursor is the argument `with`.
  void checkpoint(const AttemptRequest& request, const std::string& cursor, bool asks) {
    features_.long_jobs.checkpoint(request, cursor, asks);
    features_.crashes.told(request, cursor, false);
  }
  // It has given a sign of life; its time is over (before it is hidden).
  void alive(std::size_t host, const AttemptKey& key) {
    features_.life.alive(host, key, run_.cluster().now());
  }
  void timed_out(std::size_t host, const AttemptKey& key) {
    features_.life.timed_out(host, key, run_.cluster().now());
  }
  // A hand-over has ended well, or run out of its time.
  void measured(const AttemptRequest& request, std::chrono::nanoseconds took) {
    features_.sizes.measured(request, took);
  }
  // Whether the process dies of this attempt.
  [[nodiscard]] bool kills(const AttemptRequest& request) {
    return features_.crashes.kills(request);
  }
  // Its owner ends an attempt that has not had its outcome.
  void killed(const AttemptRequest& request);
  // An attempt that has had its outcome is ended before its worker hears of that.
  void unheard(const AttemptKey& key);
  void hidden(std::size_t host, const AttemptKey& key, const std::string& account);
  void shown_again(std::size_t host, const AttemptKey& key, const std::string& account);

 private:
  void job_started(std::size_t host, const AttemptRequest& request, Now now);
  void copies_started(std::size_t host, const AttemptRequest& request, Now now);
  void job_outcome(const AttemptRequest& request, const OutcomeValue& outcome, Now now);
  void job_failed(const AttemptRequest& request, const RetryLater& failure, Job& job, Now now);
  void check_attempt(const Job& job, const AttemptRequest& request);
  void check_times(const Job& job, const AttemptRequest& request, Now now);
  void check_ended(const Job& job, const AttemptRequest& request, Now now);

  CheckedRun& run_;
  FeatureChecks& features_;
  MessageChecks& messages_;
  RunningAttempts& running_;
  ShareChecks& shares_;
  OrderChecks orders_;
  std::map<std::string, std::string> last_token_;  // by account
  std::set<std::string> tokens_;                   // of all attempts
};

}  // namespace penstock::simulation
