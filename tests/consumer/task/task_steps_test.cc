// What one step of a task does has a bound, whatever waits for it; what is left follows.
#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

constexpr std::size_t kPicksPerStep = 4, kWokenPerStep = 3, kDuePerStep = 6;
constexpr int kAccounts = 20;

struct InSteps : WithLimits {
  const PauseTarget all{"mail", {}, {}};

  InSteps() {
    bounds.idle_picks = kPicksPerStep;
    bounds.woken_lines = kWokenPerStep;
    bounds.due = kDuePerStep;
  }
  static std::string account(int i) { return "account" + std::to_string(i); }
  void admit_jobs(int each = 1) {
    for (int i = 0; i < kAccounts; ++i) {
      for (int j = 0; j < each; ++j) job(account(i), std::to_string(j));
    }
  }
  void pause() { set(pause_key(all), R"({"since":1800000000000,"by":"me"})"); }
  void resume() { set(pause_key(all), std::nullopt); }
  [[nodiscard]] bool goes_on_at_once() {
    const auto next = task->next_time();
    return next && *next <= now().wall;
  }
  void park_all() {
    while (!task->fair().empty()) EXPECT_EQ(start(), "");
  }
};

TEST_F(InSteps, APausedQueueParksNoMoreLinesPerStepThanItsBound) {
  admit_jobs();
  pause();
  for (std::size_t left = kAccounts; left > 0;) {
    EXPECT_EQ(start(), "");
    EXPECT_EQ(left - task->fair().size(), std::min(left, kPicksPerStep));
    left = task->fair().size();
    EXPECT_EQ(goes_on_at_once(), left > 0);
  }
}

// Attempts that end call for starts many times in a turn.
TEST_F(InSteps, TheBoundIsThatOfTheStepHoweverOftenStartsAreAskedFor) {
  admit_jobs();
  pause();
  EXPECT_EQ(start(), "");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(task->start_ready(1000, now()), 1000);
  EXPECT_EQ(task->fair().size(), kAccounts - kPicksPerStep);
}

// All tasks of a loop share a turn: it is not to grow with the number of partitions.
TEST_F(InSteps, WhatAnotherTaskHasUsedUpOfTheTurnIsLeftForTheNext) {
  StepBudget turn(bounds);
  budget = &turn;
  make();
  admit_jobs();
  pause();
  const std::size_t before = task->fair().size();
  turn.idle_picks = 1;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->fair().size(), before - 1);
  EXPECT_TRUE(goes_on_at_once());
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->fair().size(), before - 1);
  turn = StepBudget(bounds);
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->fair().size(), before - 1 - kPicksPerStep);
}

TEST_F(InSteps, WhatStartsIsNotCounted) {
  admit_jobs();
  (void)start();
  EXPECT_EQ(host.starts.size(), static_cast<std::size_t>(kAccounts));
}

TEST_F(InSteps, AGateThatOpensWakesNoMoreLinesPerStepThanItsBound) {
  admit_jobs();
  pause();
  park_all();
  task->advance(now());
  resume();
  std::size_t woken = task->fair().size();
  EXPECT_EQ(woken, kWokenPerStep);
  while (woken < kAccounts) {
    ASSERT_TRUE(goes_on_at_once());
    task->advance(now());
    EXPECT_EQ(task->fair().size() - woken, std::min(kAccounts - woken, kWokenPerStep));
    woken = task->fair().size();
  }
  EXPECT_FALSE(goes_on_at_once());
  (void)start();
  EXPECT_EQ(host.starts.size(), static_cast<std::size_t>(kAccounts));
}

TEST_F(InSteps, OfTwoTypesThatWereUnknownTheOneThatSortsLaterIsKnownFirst) {
  for (const char* const id : {"1", "2"}) {
    job_of("early", "acme", std::string("e") + id);
    job_of("late", "acme", std::string("l") + id);
  }
  while (goes_on_at_once()) EXPECT_EQ(start(), "");
  commit();
  type("late", {});
  queue.account_concurrency = 10;
  restart();
  std::string started;
  for (int i = 0; i < kAccounts; ++i) started += start();
  EXPECT_EQ(started, "l1 l2");
  EXPECT_EQ(state("acme", "e1"), "waiting");
}

TEST_F(InSteps, AGateThatClosesAgainBeforeAllAreWokenKeepsTheOthers) {
  admit_jobs();
  pause();
  park_all();
  resume();
  pause();
  park_all();
  EXPECT_FALSE(goes_on_at_once());
  resume();
  for (int i = 0; i < kAccounts; ++i) (void)start();
  EXPECT_EQ(host.starts.size(), static_cast<std::size_t>(kAccounts));
}

// A line that comes to a gate which is still opening must not end that.
TEST_F(InSteps, ALineThatBeginsToWaitDoesNotKeepTheOthersAsleep) {
  constexpr int kTypes = 60;
  queue.account_concurrency = 100;
  const auto name = [](int i) { return "k" + std::to_string(i); };
  for (int i = 0; i < kTypes; ++i) type(name(i), {limit("crm/{account}", 1)});
  for (int i = 0; i < 20; ++i) job_of(name(i), "acme", name(i));
  set(limit_key("crm/acme"), R"({"slots":0})");
  park_all();
  task->advance(now());
  set(limit_key("crm/acme"), R"({"slots":10})");
  for (int i = 20; i < kTypes; ++i) {
    (void)start();
    job_of(name(i), "acme", name(i));
    for (const Token& token : task->attempts().tokens())
      task->attempt_ended(token, {Done{}, {}}, now());
  }
  for (int i = 0; i < 20; ++i) {
    (void)start();
    for (const Token& token : task->attempts().tokens())
      task->attempt_ended(token, {Done{}, {}}, now());
  }
  EXPECT_EQ(task->counters().succeeded, static_cast<std::uint64_t>(kTypes));
}

TEST_F(InSteps, WhatATimedGateWakesDoesNotHoldUpAReleasedSlot) {
  type("one", {limit("one/{account}", 1)});
  queue.account_concurrency = 2;
  job_of("one", "acme", "1");
  job_of("one", "acme", "2");
  EXPECT_EQ(start(), "1");
  admit_jobs();
  pause();
  park_all();
  task->advance(now());
  resume();  // takes all of this step
  end("1");
  (void)start();
  (void)start();
  EXPECT_NE(token("2").number, 0u) << why("acme", "2");
}

TEST_F(InSteps, LinesWhoseTimeHasComeComeBackInSteps) {
  queue.order = Order::kStrict;
  for (int i = 0; i < kAccounts; ++i) job(account(i), "a", "\"run_at\":" + ms(10s));
  park_all();
  clock = 11s;
  for (std::size_t back = 0; back < kAccounts;) {
    EXPECT_TRUE(goes_on_at_once());
    task->advance(now());
    EXPECT_EQ(task->fair().size() - back, std::min(kAccounts - back, kWokenPerStep));
    back = task->fair().size();
  }
  (void)start();
  EXPECT_EQ(host.starts.size(), static_cast<std::size_t>(kAccounts));
}

TEST_F(InSteps, JobsWhoseTimeHasComeComeBackInSteps) {
  for (int i = 0; i < kAccounts; ++i) job(account(i), "a", "\"run_at\":" + ms(10s));
  EXPECT_EQ(start(), "");
  EXPECT_FALSE(goes_on_at_once());
  clock = 11s;
  for (std::size_t back = 0; back < kAccounts; back = task->fair().size()) {
    EXPECT_TRUE(goes_on_at_once());
    task->advance(now());
    EXPECT_EQ(task->fair().size() - back, std::min(kAccounts - back, kDuePerStep));
  }
  EXPECT_FALSE(goes_on_at_once());
}

TEST_F(InSteps, WhatIsDueElsewhereLeavesNoRoomInThisTurn) {
  StepBudget turn(bounds);
  budget = &turn;
  make();
  for (int i = 0; i < kAccounts; ++i) job(account(i), "a", "\"run_at\":" + ms(10s));
  clock = 11s;
  turn.due = 1;
  task->advance(now());
  EXPECT_EQ(task->fair().size(), 1u);
  EXPECT_TRUE(turn.is_spent());
  task->advance(now());
  EXPECT_EQ(task->fair().size(), 1u);
  EXPECT_TRUE(goes_on_at_once());
}

// -- Memory

TEST_F(InSteps, NoMoreJobsAreInMemoryThanMayBeWhenLinesOfRowsWait) {
  max_live_jobs = 5;
  admit_jobs(20);
  commit();
  restart();
  pause();
  for (std::size_t left = kAccounts; left > 0; left = task->fair().size()) {
    EXPECT_EQ(start(), "");
    EXPECT_LE(task->live_jobs(), max_live_jobs);
  }
  resume();
  host.instant = true;
  for (int i = 0; i < kAccounts * 20; ++i) {
    (void)start();
    EXPECT_LE(task->live_jobs(), max_live_jobs + 1);
    if (i % 10 == 9) commit();
  }
  EXPECT_EQ(task->counters().succeeded, 20u * kAccounts);
}

TEST_F(InSteps, NorWhenLinesOfAStrictQueueWaitForATime) {
  queue.order = Order::kStrict;
  max_live_jobs = 5;
  for (int i = 0; i < kAccounts; ++i) {
    for (int j = 0; j < 5; ++j) job(account(i), std::to_string(j), "\"run_at\":" + ms(10s));
  }
  commit();
  restart();
  for (std::size_t left = kAccounts; left > 0; left = task->fair().size()) {
    EXPECT_EQ(start(), "");
    EXPECT_LE(task->live_jobs(), max_live_jobs);
  }
}

}  // namespace
}  // namespace penstock
