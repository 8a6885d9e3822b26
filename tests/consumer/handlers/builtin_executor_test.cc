#include "consumer/handlers/native/builtin_executor.h"

#include <gtest/gtest.h>

#include "test_mailbox.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Noop, AnswersFromInsideStart) {
  TestMailbox mailbox;
  NoopExecutor noop;
  noop.start(request(1), mailbox);
  EXPECT_EQ(mailbox.size(), 1u);
  as<Done>(mailbox.outcome());
}

std::vector<bool> failures(double probability, std::uint64_t attempts) {
  FailExecutor fail({probability});
  TestMailbox mailbox;
  std::vector<bool> failed;
  for (std::uint64_t i = 0; i < attempts; ++i) {
    fail.start(request(i), mailbox);
    failed.push_back(std::holds_alternative<RetryLater>(mailbox.outcome()));
  }
  return failed;
}

TEST(Fail, FailsAboutItsShare) {
  const auto failed = failures(0.1, 5'000);
  EXPECT_NEAR(static_cast<double>(std::count(failed.begin(), failed.end(), true)), 500, 100);
}

TEST(Fail, DecidesByTheTokenAlone) { EXPECT_EQ(failures(0.5, 200), failures(0.5, 200)); }

TEST(Fail, FailsAlwaysOrNeverAtTheEnds) {
  const auto never = failures(0, 500), always = failures(1, 500);
  EXPECT_EQ(std::count(never.begin(), never.end(), true), 0);
  EXPECT_EQ(std::count(always.begin(), always.end(), true), 500);
}

TEST(Sleep, NeverEndsEarly) {
  TestMailbox mailbox;
  SleepExecutor sleep({20ms});
  const auto begin = Clock::now();
  sleep.start(request(1), mailbox);
  as<Done>(mailbox.outcome());
  EXPECT_GE(Clock::now() - begin, 20ms);
}

TEST(Sleep, RunsThousandsAtOnce) {
  TestMailbox mailbox;
  SleepExecutor sleep({50ms});
  for (std::uint64_t i = 0; i < 5'000; ++i) sleep.start(request(i), mailbox);
  EXPECT_TRUE(mailbox.holds(5'000));
}

TEST(Sleep, LongerThanTheTimeoutIsARetry) {
  TestMailbox mailbox;
  SleepExecutor sleep({1h});
  AttemptRequest attempt = request(1);
  attempt.timeout = 5ms;
  sleep.start(std::move(attempt), mailbox);
  EXPECT_EQ(as<RetryLater>(mailbox.outcome()).error, "timed out after 5ms");
}

TEST(Sleep, SaysNothingOnceKilled) {
  TestMailbox mailbox;
  SleepExecutor sleep({1s});
  sleep.start(request(1), mailbox);
  sleep.kill(request(1).key);
  sleep.start(request(2), mailbox);
  EXPECT_EQ(mailbox.next<AttemptEnded>()->key, request(2).key);
  EXPECT_EQ(mailbox.size(), 0u);
}

TEST(Sleep, AnswersNothingWhenItGoesAway) {
  TestMailbox mailbox;
  {
    SleepExecutor sleep({1h});
    sleep.start(request(1), mailbox);
  }
  EXPECT_EQ(mailbox.size(), 0u);
}

}  // namespace
}  // namespace penstock
