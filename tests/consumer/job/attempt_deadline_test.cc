#include "consumer/job/attempt_deadline.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using Deadline = AttemptDeadline<Instant>;
constexpr Duration kTimeout{1000};

Instant at(int ms) { return Instant(std::chrono::milliseconds(ms)); }

TEST(AttemptDeadline, IsOverItsTimeoutAfterTheAttemptBegan) {
  const Deadline deadline(at(500), kTimeout);
  EXPECT_EQ(deadline.at(), at(1500));
  EXPECT_FALSE(deadline.is_over(at(1499)));
  EXPECT_TRUE(deadline.is_over(at(1500)));
}

TEST(AttemptDeadline, BeginsAnewWithEachSignOfLife) {
  Deadline deadline(at(0), kTimeout);
  for (int ms = 900; ms <= 9'000; ms += 900) {
    EXPECT_FALSE(deadline.is_over(at(ms)));
    deadline.alive(at(ms));
  }
  EXPECT_FALSE(deadline.is_over(at(9'999)));
  EXPECT_TRUE(deadline.is_over(at(10'000)));
}

}  // namespace
}  // namespace penstock
