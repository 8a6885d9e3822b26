#include "consumer/policy/retry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "consumer/policy/duration.h"

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
  RC_ASSERT(got >= std::floor(wait * (1 - policy.jitter) * (1 - 1e-12)));
  RC_ASSERT(got <= std::ceil(wait + 1) * (1 + policy.jitter) + 1);
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

// base * factor^(attempt-1) in exact arithmetic, as far as 128 bits hold it.
RC_GTEST_PROP(Retry, NeverStartsBeforeItsBackoffEndsAndHardlyAfter, ()) {
  const auto base = *rc::gen::inRange<std::int64_t>(1, 100'000);
  const auto thousandths = *rc::gen::inRange<std::int64_t>(1'000, 4'000);
  const int attempt = *rc::gen::inRange(1, 9);
  __int128 power = base, scale = 1;
  for (int n = 1; n < attempt; ++n) {
    power *= thousandths;
    scale *= 1'000;
  }
  const auto exact = static_cast<std::int64_t>((power + scale - 1) / scale);
  const double factor = static_cast<double>(thousandths) / 1'000;
  const auto got = exponential_delay(Duration{base}, factor, Duration{1LL << 50}, attempt).count();
  RC_ASSERT(got >= exact);
  RC_ASSERT(got <= exact + 1);
}

TEST(Retry, PolynomialIsTheFormulaUpToItsCap) {
  EXPECT_EQ(polynomial_delay(2s, 4, 6h, 1), 2s);
  EXPECT_EQ(polynomial_delay(2s, 4, 6h, 3), 162s);
  EXPECT_EQ(polynomial_delay(2s, 1, 6h, 7), 14s);
  EXPECT_EQ(polynomial_delay(2s, 4, 6h, 11), 6h);
  EXPECT_EQ(polynomial_delay(2s, kMaxDegree, kMaxDuration, kMaxAttempts), kMaxDuration);
  EXPECT_EQ(polynomial_delay(0s, kMaxDegree, kMaxDuration, kMaxAttempts), 0s);
}

TEST(Retry, TheLastOfTheDelaysHoldsForAllThatFollow) {
  const std::vector<Duration> delays{1s, 10s, 5s};
  EXPECT_EQ(listed_delay(delays, 1), 1s);
  EXPECT_EQ(listed_delay(delays, 2), 10s);
  EXPECT_EQ(listed_delay(delays, 3), 5s);
  EXPECT_EQ(listed_delay(delays, kMaxAttempts), 5s);
  const RetryPolicy policy{.backoff = Backoff::kDelays, .jitter = 0, .delays = delays};
  EXPECT_EQ(retry_delay(policy, 2, {}), 10s);
}

TEST(Retry, BoundsHoldAtTheEdgesOfEveryValue) {
  for (const double factor : {1.0, 1.001, 2.0, 1'000.0}) {
    for (const Duration base : {Duration{0}, Duration{1}, kMaxDuration}) {
      const Duration wait = exponential_delay(base, factor, kMaxDuration, kMaxAttempts);
      EXPECT_EQ(wait, factor > 1 && base > 0s ? kMaxDuration : base) << factor;
      EXPECT_GE(with_jitter(wait, 1, {1, 2}, 1), 0s);
      EXPECT_LE(with_jitter(wait, 1, {1, 2}, 1), 2 * kMaxDuration);
    }
  }
}

TEST(Retry, WithoutNamesWhateverFailsIsRetried) {
  for (const auto* error : {"", "503", "timeout"}) EXPECT_FALSE(discard_reason({}, error)) << error;
}

TEST(Retry, WhatIsInDiscardOnIsNotRetried) {
  const RetryPolicy policy{.discard_on = {{"4xx"}, {"shop::Declined"}}};
  EXPECT_EQ(discard_reason(policy, "404"), "\"404\" is in discard_on");
  EXPECT_EQ(discard_reason(policy, "shop::Declined"), "\"shop::Declined\" is in discard_on");
  EXPECT_FALSE(discard_reason(policy, "503"));
  EXPECT_FALSE(discard_reason(policy, ""));
}

TEST(Retry, WhatIsNotInRetryOnIsNotRetried) {
  const RetryPolicy policy{.retry_on = {{"5xx"}, {"timeout"}}};
  EXPECT_FALSE(discard_reason(policy, "503"));
  EXPECT_FALSE(discard_reason(policy, "timeout"));
  EXPECT_EQ(discard_reason(policy, "404"), "\"404\" is not in retry_on");
  EXPECT_EQ(discard_reason(policy, ""), "a failure without an error name is not in retry_on");
}

TEST(Retry, DiscardOnGoesBeforeRetryOn) {
  const RetryPolicy policy{.retry_on = {{"5xx"}}, .discard_on = {{"501"}}};
  EXPECT_EQ(discard_reason(policy, "501"), "\"501\" is in discard_on");
  EXPECT_FALSE(discard_reason(policy, "500"));
}

TEST(ErrorPatterns, ARangeIsEveryStatusOfItsHundred) {
  const ErrorPattern range = *parse_error_pattern("5xx");
  for (const auto* status : {"500", "503", "599"}) EXPECT_TRUE(range.matches(status)) << status;
  for (const auto* other : {"", "5", "499", "600", "5xy", "5000", "50a"}) {
    EXPECT_FALSE(range.matches(other)) << other;
  }
}

TEST(ErrorPatterns, ANameIsTheVeryClass) {
  const ErrorPattern name = *parse_error_pattern("timeout");
  EXPECT_TRUE(name.matches("timeout"));
  EXPECT_FALSE(name.matches("timeouts"));
  EXPECT_FALSE(name.matches("Timeout"));
  EXPECT_TRUE(parse_error_pattern(std::string(kMaxErrorClassBytes, 'a')));
  EXPECT_FALSE(parse_error_pattern(std::string(kMaxErrorClassBytes + 1, 'a')));
  EXPECT_FALSE(parse_error_pattern("a\nb"));
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
