#include "consumer/retry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

namespace penstock {
namespace {

RC_GTEST_PROP(Retry, WaitsWithinItsJitterOfTheFormula, (std::uint64_t high, std::uint64_t low)) {
  RetryPolicy policy;
  policy.base = Duration{*rc::gen::inRange(1, 60'000)};
  policy.max = Duration{*rc::gen::inRange(1, 100'000'000)};
  policy.factor = *rc::gen::element(1.0, 1.5, 2.0, 10.0);
  policy.jitter = *rc::gen::element(0.0, 0.1, 0.2, 0.5, 1.0);
  policy.backoff = *rc::gen::element(Backoff::kFixed, Backoff::kExponential);
  const int attempt = *rc::gen::inRange(1, 200);
  const double factor =
      policy.backoff == Backoff::kFixed ? 1.0 : std::pow(policy.factor, attempt - 1);
  const double wait = std::min(static_cast<double>(policy.max.count()),
                               static_cast<double>(policy.base.count()) * factor);
  const auto got = static_cast<double>(retry_delay(policy, attempt, {high, low}).count());
  RC_ASSERT(got >= std::floor(wait * (1 - policy.jitter)) - 1);
  RC_ASSERT(got <= wait * (1 + policy.jitter));
}

RC_GTEST_PROP(Retry, TheSameJobAndAttemptWaitTheSame, (std::uint64_t high, std::uint64_t low)) {
  const RetryPolicy policy;
  RC_ASSERT(retry_delay(policy, 3, {high, low}) == retry_delay(policy, 3, {high, low}));
}

TEST(Retry, WithoutJitterItIsTheFormulaToTheMillisecond) {
  RetryPolicy policy{.base = 15s, .factor = 2, .max = 6h, .jitter = 0};
  EXPECT_EQ(retry_delay(policy, 1, {}), 15s);
  EXPECT_EQ(retry_delay(policy, 2, {}), 30s);
  EXPECT_EQ(retry_delay(policy, 5, {}), 240s);
  EXPECT_EQ(retry_delay(policy, 25, {}), 6h);
  policy.backoff = Backoff::kFixed;
  EXPECT_EQ(retry_delay(policy, 9, {}), 15s);
}

TEST(Retry, JitterSpreadsOverItsWholeRange) {
  RetryPolicy policy{.base = 100s, .max = 1h, .jitter = 0.2};
  std::int64_t least = INT64_MAX, most = 0;
  std::set<std::int64_t> values;
  for (std::uint64_t job = 0; job < 2000; ++job) {
    const std::int64_t wait = retry_delay(policy, 1, {job, job * 7}).count();
    least = std::min(least, wait);
    most = std::max(most, wait);
    values.insert(wait);
  }
  EXPECT_LT(least, 81'000);
  EXPECT_GT(most, 119'000);
  EXPECT_GT(values.size(), 1500u);
}

TEST(Retry, NoFactorIsTooLarge) {
  const RetryPolicy policy{.base = 1s, .factor = 1e9, .max = 6h, .jitter = 1};
  for (int attempt = 1; attempt < 2000; attempt += 100) {
    EXPECT_LE(retry_delay(policy, attempt, {1, 2}), 12h);
    EXPECT_GE(retry_delay(policy, attempt, {1, 2}), 0s);
  }
}

}  // namespace
}  // namespace penstock
