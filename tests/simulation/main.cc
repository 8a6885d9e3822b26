// A run by hand, or the tests:
//   simulation_test --seed 17 [--seeds 100] [--trace] [--no-faults] [--no-retries]
//   simulation_planted_test --seed 17 --bug no_wait [--trace]
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/simulation/bug_switch.h"
#include "tests/simulation/simulation.h"

namespace {

using namespace penstock::simulation;

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

}  // namespace

int main(int count, char** words) {
  std::uint64_t seed = 0, seeds = 1;
  penstock::Bug bug = penstock::Bug::kNone;
  bool by_hand = false, trace = false, faults = true, retries = true;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--seed" && i + 1 < count) {
      seed = std::strtoull(words[++i], nullptr, 10);
      by_hand = true;
    } else if (word == "--seeds" && i + 1 < count) {
      seeds = std::strtoull(words[++i], nullptr, 10);
    } else if (word == "--bug" && i + 1 < count) {
      const auto found = find_bug(words[++i]);
      if (!found || !kHasBugs) {
        std::fprintf(stderr, "there is no bug \"%s\" in this program\n", words[i]);
        return 2;
      }
      plant(bug = *found);
    } else if (word == "--trace") {
      trace = true;
    } else if (word == "--no-faults") {
      faults = false;
    } else if (word == "--no-retries") {
      retries = false;
    }
  }
  if (!by_hand) {
    testing::InitGoogleTest(&count, words);
    return RUN_ALL_TESTS();
  }
  int failed = 0;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    Settings settings(seed + i);
    settings.trace = trace;
    settings.faults = faults;
    settings.retries = retries;
    if (needs_foreign_trims(bug)) settings.foreign_trims = true;
    if (needs_recreated_topics(bug)) settings.recreate_topics();
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed + i));
    failed += replay(settings);
  }
  return failed;
}
