#include "api/server/auth_failures.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using Clock = AuthFailures::Clock;

TEST(AuthFailures, AnAddressMayFailABurstThenOnceAPeriod) {
  AuthFailures failures;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < AuthFailures::kBurst; ++i) EXPECT_TRUE(failures.failed("a", start)) << i;
  EXPECT_FALSE(failures.failed("a", start));
  EXPECT_TRUE(failures.failed("b", start));
  EXPECT_TRUE(failures.failed("a", start + AuthFailures::kEvery));
  EXPECT_FALSE(failures.failed("a", start + AuthFailures::kEvery));
}

TEST(AuthFailures, AddressesAreForgottenBeyondTheMaximum) {
  AuthFailures failures;
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i <= AuthFailures::kMaxAddresses; ++i)
    EXPECT_TRUE(failures.failed(std::to_string(i), start));
}

}  // namespace
}  // namespace penstock
