// The checker is proven: every planted bug is caught within a bounded number of seeds. The seed
// that is known to catch it comes first; where a change has made it another run, the search begins
// anew (and the table below is due for the seed that it prints).
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/simulation/campaign.h"

#ifdef PENSTOCK_PLANTED_BUGS

namespace penstock::simulation {
namespace {

constexpr std::uint64_t kMostSeeds = 4000;

struct Known {
  Bug bug;
  std::uint64_t seed;
};
// Those that the first seed does not catch.
constexpr Known kKnown[] = {
    // KNOWN
};

std::uint64_t known_seed(Bug bug) {
  for (const Known& known : kKnown) {
    if (known.bug == bug) return known.seed;
  }
  return 1;
}

class Planted : public testing::TestWithParam<Bug> {};

TEST_P(Planted, IsCaught) {
  Campaign campaign;
  campaign.bug = GetParam();
  campaign.first = known_seed(GetParam());
  campaign.stop_at_first = true;
  CampaignResult result = run_campaign(campaign);
  if (result.violations.empty()) {
    campaign.first = 1;
    campaign.seeds = kMostSeeds;
    campaign.processes = 2;
    result = run_campaign(campaign);
  }
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
