#include "topics/simulated/world/random.h"

#include <gtest/gtest.h>

namespace penstock::simulated {
namespace {

TEST(SimulatedRandom, GivesTheSameNumbersForTheSameSeed) {
  Random a(1), b(1), c(2);
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

// The numbers are part of what a failing seed means, so they never change.
TEST(SimulatedRandom, KeepsItsNumbersForEver) {
  Random random(42);
  EXPECT_EQ(random.next(), 0x15780b2e0c2ec716ULL);
}

TEST(SimulatedRandom, StaysWithinItsBounds) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.below(3), 3u);
    const Nanos span = random.between(Nanos(5), Nanos(9));
    EXPECT_GE(span, Nanos(5));
    EXPECT_LT(span, Nanos(9));
  }
  EXPECT_FALSE(random.chance(0));
  EXPECT_TRUE(random.chance(1));
}

}  // namespace
}  // namespace penstock::simulated
