// The checker is proven: every planted bug is caught within a bounded number of seeds.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/simulation/campaign.h"

#ifdef PENSTOCK_PLANTED_BUGS

namespace penstock::simulation {
namespace {

constexpr std::uint64_t kMostSeeds = 1500;

class Planted : public testing::TestWithParam<Bug> {};

TEST_P(Planted, IsCaught) {
  Campaign campaign;
  campaign.bug = GetParam();
  campaign.seeds = kMostSeeds;
  campaign.stop_at_first = true;
  const CampaignResult result = run_campaign(campaign);
  ASSERT_FALSE(result.violations.empty())
      << to_string(GetParam()) << " was not caught in " << result.runs << " seeds";
  const auto& [seed, violation] = *result.violations.begin();
  std::printf("%s, caught after %llu seeds: %s\n  %s\n", std::string(to_string(GetParam())).c_str(),
              static_cast<unsigned long long>(result.runs), violation.c_str(),
              replay_command(GetParam(), seed).c_str());
}

std::vector<Bug> all_bugs() {
  std::vector<Bug> bugs;
  for (int i = 1; i < static_cast<int>(Bug::kCount); ++i) bugs.push_back(static_cast<Bug>(i));
  return bugs;
}

INSTANTIATE_TEST_SUITE_P(Bugs, Planted, testing::ValuesIn(all_bugs()),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace penstock::simulation

#endif
