// What the simulation has no traffic for, the random test of the core catches: its checks are
// proven as the checker's are.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/consumer/draining.h"
#include "tests/simulation/bug_switch.h"

#ifdef PENSTOCK_PLANTED_BUGS

namespace penstock::simulation {
namespace {

constexpr std::uint32_t kMostDrains = 2000;

struct DrainsWith : testing::TestWithParam<Bug> {
  DrainsWith() { plant(GetParam()); }
  ~DrainsWith() override { plant(Bug::kNone); }
};

TEST_P(DrainsWith, IsCaught) {
  for (std::uint32_t seed = 1; seed <= kMostDrains; ++seed) {
    const std::string fault = Draining(seed).run();
    if (fault.empty()) continue;
    std::printf("caught by seed %u, %s\n", seed, fault.c_str());
    return;
  }
  FAIL() << to_string(GetParam()) << " was not caught in " << kMostDrains << " seeds";
}

INSTANTIATE_TEST_SUITE_P(Bugs, DrainsWith,
                         testing::Values(Bug::kGateSleeps, Bug::kSlotLeaked, Bug::kLimitExceeded,
                                         Bug::kRateForgotten),
                         [](const auto& info) { return std::string(to_string(info.param)); });

// A line that nobody wakes is forgotten while it still waits.
TEST(DrainsWithDeathTest, RowsNotWokenIsCaught) {
  EXPECT_DEATH(
      {
        plant(Bug::kRowsNotWoken);
        for (std::uint32_t seed = 1; seed <= kMostDrains; ++seed) (void)Draining(seed).run();
      },
      "a line without jobs waits for nothing");
}

struct TwoThatKeep : WithLimits {
  ~TwoThatKeep() override { plant(Bug::kNone); }
};

// A limit that stays lowered while both go on is too rare for chance.
TEST_F(TwoThatKeep, KeptBehindWaitingIsCaught) {
  queue.account_concurrency = 2;
  TypePolicy policy;
  policy.limits = {limit("a/{account}", 2)};
  types.add("k", policy);
  job_of("k", "acme", "1");
  job_of("k", "acme", "2");
  EXPECT_EQ(start(), "1 2");
  plant(Bug::kKeptBehindWaiting);
  end("1", NextIteration{"1"});
  set(limit_key("a/acme"), R"({"slots":1})");
  EXPECT_EQ(start(), "");
  end("2", NextIteration{"1"});
  EXPECT_EQ(start(), "") << "without the bug 1 goes on";
}

}  // namespace
}  // namespace penstock::simulation

#endif
