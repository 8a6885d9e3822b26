// A run by hand, a search for the first seed that breaks a rule, or the tests:
//   simulation_test --seed 17 [--seeds 100] [--trace] [--no-faults] [--no-retries]
//   simulation_test --search 17 [--seeds 100]
// By hand and in a search also [--foreign-trims] [--recreate-topics].
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "tests/simulation/campaign.h"
#include "tests/simulation/simulation.h"

namespace {

using namespace penstock::simulation;

struct Words {
  std::optional<std::uint64_t> seed, search;
  std::uint64_t seeds = 1;
  bool trace = false, faults = true, retries = true;
  bool foreign_trims = false, recreate_topics = false;
};

Words read_words(int count, char** words) {
  Words read;
  const auto number = [&](int& i) {
    return i + 1 < count ? std::strtoull(words[++i], nullptr, 10) : 0;
  };
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--seed") read.seed = number(i);
    if (word == "--search") read.search = number(i);
    if (word == "--seeds") read.seeds = number(i);
    if (word == "--trace") read.trace = true;
    if (word == "--no-faults") read.faults = false;
    if (word == "--no-retries") read.retries = false;
    if (word == "--foreign-trims") read.foreign_trims = true;
    if (word == "--recreate-topics") read.recreate_topics = true;
  }
  return read;
}

int replay(const Settings& settings) {
  Simulation simulation(settings);
  const Report report = simulation.run();
  for (const std::string& line : report.trace) std::puts(line.c_str());
  for (std::size_t i = 0; i < kRules; ++i) {
    std::printf("%10llu %s\n", static_cast<unsigned long long>(report.exercised[i]),
                std::string(to_string(static_cast<Rule>(i))).c_str());
  }
  std::printf("%s\n", describe(settings).c_str());
  std::printf("seed %llu: %s (%llu jobs, ended at %.1f s)\n",
              static_cast<unsigned long long>(report.seed),
              report.violation ? report.violation->c_str() : "no violation",
              static_cast<unsigned long long>(report.jobs), report.ended_at_s);
  return report.violation ? 1 : 0;
}

int replay_all(const Words& words) {
  int failed = 0;
  for (std::uint64_t i = 0; i < words.seeds; ++i) {
    Settings settings(*words.seed + i);
    settings.trace = words.trace;
    settings.faults = words.faults;
    settings.retries = words.retries;
    if (words.foreign_trims) settings.let_others_trim();
    if (words.recreate_topics) settings.recreate_topics();
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(settings.seed));
    failed += replay(settings);
  }
  return failed;
}

// One line: "broken SEED RULE: TEXT", "kept RUNS", or "failed TEXT", which says nothing of rules.
int search(const Words& words) {
  Campaign campaign;
  campaign.first = *words.search;
  campaign.seeds = words.seeds;
  campaign.stop_at_first = campaign.silent = true;
  campaign.foreign_trims = words.foreign_trims;
  campaign.recreate_topics = words.recreate_topics;
  const CampaignResult result = run_campaign(campaign);
  if (!result.failures.empty()) {
    std::printf("failed %s\n", result.failures.front().c_str());
    return 2;
  }
  if (!result.violations.empty()) {
    const auto& [seed, violation] = *result.violations.begin();
    std::printf("broken %llu %s\n", static_cast<unsigned long long>(seed), violation.c_str());
    return 1;
  }
  std::printf("kept %llu\n", static_cast<unsigned long long>(result.runs));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const Words read = read_words(count, words);
  if (read.search) return search(read);
  if (read.seed) return replay_all(read);
  testing::InitGoogleTest(&count, words);
  return RUN_ALL_TESTS();
}
