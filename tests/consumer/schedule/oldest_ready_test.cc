// How long the job has waited that could have started for longest: which jobs count, and since when.
#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

constexpr Duration kBucket{ReadyLines::kBucketMs};

struct OldestReadyJob : WithLimits {
  // Zero if no job could start.
  [[nodiscard]] Duration age() {
    const std::optional<Time> since = task->oldest_ready(now());
    return since ? now().wall - *since : Duration{0};
  }
  void pause(const PauseTarget& target) {
    set(pause_key(target), R"({"since":1800000000000,"by":"me"})");
  }
  void unpause(const PauseTarget& target) { set(pause_key(target), std::nullopt); }
};

TEST_F(OldestReadyJob, CountsTheTimeForWhichAJobWaitsForAPlace) {
  job("acme", "1");
  EXPECT_EQ(age(), 0s);
  clock += 5s;
  job("beta", "2");
  clock += 2s;
  EXPECT_EQ(age(), 7s);
  EXPECT_EQ(start(1), "1");
  EXPECT_EQ(age(), 2s);
  EXPECT_EQ(start(1), "2");
  clock += 1h;
  EXPECT_EQ(age(), 0s) << "running jobs do not count";
}

TEST_F(OldestReadyJob, CountsTheTimeForWhichAJobWaitsForItsAccountsTurn) {
  job("acme", "1");
  EXPECT_EQ(start(), "1");
  clock += 1s;
  job("acme", "2");
  clock += 9s;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(age(), 9s);
  end("1");
  EXPECT_EQ(age(), 9s);
  EXPECT_EQ(start(), "2");
  EXPECT_EQ(age(), 0s);
}

TEST_F(OldestReadyJob, AScheduledJobCountsFromWhenItIsDue) {
  job("acme", "1", R"("run_at":)" + ms(60s));
  clock += 59s;
  EXPECT_EQ(age(), 0s);
  clock += 4s;
  EXPECT_EQ(age(), 3s) << "it is due, though no step has taken it into its line yet";
  EXPECT_EQ(start(0), "");
  EXPECT_EQ(age(), 3s);
}

TEST_F(OldestReadyJob, AFailedJobCountsFromWhenItsBackoffHasPassed) {
  job("acme", "1");
  EXPECT_EQ(start(), "1");
  clock += 5s;
  end("1", RetryLater{"no", std::nullopt, "503"});
  clock += 9s;
  EXPECT_EQ(start(0), "");
  EXPECT_EQ(age(), 0s);
  clock += 4s;
  EXPECT_EQ(start(0), "");
  EXPECT_GE(age(), 3s - kWallResolution);
  EXPECT_LE(age(), 3s);
}

TEST_F(OldestReadyJob, AJobThatGoesOnCountsFromTheEndOfItsIteration) {
  job("acme", "1");
  EXPECT_EQ(start(), "1");
  clock += 50s;
  end("1", NextIteration{"7"});
  EXPECT_EQ(age(), 0s);
  clock += 2s;
  EXPECT_EQ(age(), 2s);
}

TEST_F(OldestReadyJob, AJobThatWaitsAtALimitDoesNotCountUntilItHasASlot) {
  queue.account_concurrency = 2;
  type("call", {limit("api/{account}", 1)});
  job_of("call", "acme", "1");
  job_of("call", "acme", "2");
  EXPECT_EQ(start(), "1");
  clock += 30s;
  EXPECT_EQ(age(), 0s);
  end("1");
  clock += 3s;
  EXPECT_EQ(age(), 3s);
}

TEST_F(OldestReadyJob, AJobThatNobodyHasAskedDoesNotCountWhileItsLimitIsClosed) {
  queue.account_concurrency = 2;
  type("call", {limit("api/{account}", 1)});
  job_of("call", "acme", "1");
  EXPECT_EQ(start(1), "1");
  job_of("call", "acme", "2");
  clock += 30s;
  EXPECT_EQ(age(), 0s) << "no place was free, so no turn has shown that the limit is closed";
  end("1");
  clock += 3s;
  EXPECT_EQ(age(), 3s) << "it has been known to wait until then";
}

TEST_F(OldestReadyJob, PausedJobsDoNotCount) {
  for (const PauseTarget& target : {PauseTarget{"mail", {}, {}}, PauseTarget{"mail", "t", {}},
                                    PauseTarget{"mail", {}, "acme"}}) {
    job("acme", pause_key(target));
    pause(target);
    clock += 30s;
    EXPECT_EQ(age(), 0s) << pause_key(target);
    EXPECT_EQ(start(), "");
    clock += 30s;
    EXPECT_EQ(age(), 0s) << pause_key(target);
    unpause(target);
    clock += 2s;
    EXPECT_EQ(age(), 2s) << pause_key(target);
    EXPECT_EQ(start(), pause_key(target));
    end(pause_key(target));
  }
}

TEST_F(OldestReadyJob, AJobBehindAnOpenBreakerDoesNotCount) {
  TypePolicy policy;
  policy.retry = {.attempts = 20, .backoff = Backoff::kFixed, .base = 1h, .jitter = 0};
  policy.retry.breaker = BreakerPolicy{.failures = 1, .probe = 30s};
  types.add("call", policy);
  job_of("call", "acme", "1");
  job_of("call", "acme", "2");
  EXPECT_EQ(start(), "1");
  end("1", RetryLater{"no", std::nullopt, "503"});
  clock += 20s;
  EXPECT_EQ(age(), 0s);
  EXPECT_EQ(start(), "");
  clock += 5s;
  EXPECT_EQ(age(), 0s);
  clock += 5s;
  EXPECT_EQ(start(0), "");
  clock += 1s;
  EXPECT_EQ(age(), 1s) << "it may run as the probe";
}

TEST_F(OldestReadyJob, AJobOfAnUnknownTypeDoesNotCount) {
  job_of("later", "acme", "1");
  clock += 30s;
  EXPECT_EQ(age(), 0s);
  EXPECT_EQ(start(), "");
  EXPECT_EQ(age(), 0s);
}

TEST_F(OldestReadyJob, AStrictAccountThatWaitsForItsFirstJobsTimeDoesNotCount) {
  queue.order = Order::kStrict;
  job("acme", "1", R"("run_at":)" + ms(60s));
  job("acme", "2");
  EXPECT_EQ(start(), "");
  clock += 30s;
  EXPECT_EQ(age(), 0s);
  clock += 33s;
  EXPECT_EQ(start(0), "");
  EXPECT_LE(age(), 3s);
}

TEST_F(OldestReadyJob, SurvivesATakeOver) {
  job("acme", "1");
  job("beta", "2", R"("run_at":)" + ms(10s));
  commit();
  clock += 15s;
  EXPECT_EQ(start(0), "");
  commit();
  restart();
  EXPECT_EQ(age(), 15s);
  EXPECT_EQ(start(1), "1");
  EXPECT_EQ(age(), 5s);
}

TEST_F(OldestReadyJob, IsThatOfTheFirstRowOnceTheOthersBeforeItHaveRun) {
  max_live_jobs = 1;
  for (int i = 0; i < 200; ++i) {
    job("acme", std::to_string(i));
    clock += 1s;
  }
  commit();
  for (int i = 0; i < 150; ++i) {
    ASSERT_EQ(start(1), std::to_string(i));
    end(std::to_string(i));
  }
  EXPECT_EQ(age(), 50s);
}

TEST_F(OldestReadyJob, CountsJobsWhoseAccountIsNotInMemory) {
  max_flows = 1;
  job("acme", "1");
  EXPECT_EQ(start(), "1");
  job("beta", "2");
  commit();
  clock += 8s;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(age(), 8s);
  end("1");
  EXPECT_EQ(start(), "2");
  end("2");
  commit();
  for (int round = 0; round < 2; ++round) EXPECT_EQ(start(), "");
  EXPECT_EQ(age(), 0s);
}

TEST_F(OldestReadyJob, ALookIsBoundedAndGoesOnInTheNextSteps) {
  const int accounts = 3 * OldestReady::kMaxLooks;
  type("call", {});
  for (int i = 0; i < accounts; ++i) job_of("call", "account-" + std::to_string(i), "x");
  pause({"mail", "call", {}});
  clock += 1s;
  job("last", "ready");
  clock += 5s;
  EXPECT_EQ(age(), 0s);
  EXPECT_EQ(task->next_time(), Time{}) << "the next step goes on at once";
  for (int step = 0; step < 4; ++step) task->advance(now());
  EXPECT_NE(task->next_time(), Time{});
  EXPECT_EQ(age(), 5s);
}

TEST_F(OldestReadyJob, MemoryIsThatOfTheLinesThatWait) {
  ReadyLines ready;
  Line old;
  LiveJob first;
  old.jobs.push_back(&first);
  first.ready_since = base();
  ready.settle(old, base());
  for (int i = 1; i < 10'000; ++i) {
    Line line;
    LiveJob job;
    line.jobs.push_back(&job);
    job.ready_since = base() + i * kBucket;
    ready.settle(line, job.ready_since);
    ASSERT_LE(ready.buckets(), 8u);
  }
  EXPECT_EQ(ready.oldest(), &old);
}

}  // namespace
}  // namespace penstock
