// The worker's core under every fault at once.
#include "tests/simulation/campaign.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

namespace penstock::simulation {
namespace {

constexpr std::uint64_t kUsualSeeds = 2'000;

// Fewer where each takes longer, under a sanitizer.
std::uint64_t seeds() {
  const char* const given = std::getenv("PENSTOCK_SIMULATION_SEEDS");
  return given ? std::strtoull(given, nullptr, 10) : kUsualSeeds;
}

// Fewer seeds than usual do not meet the rarest.
void expect_all_met(const CampaignResult& result) {
  for (const auto& [rule, count] : result.rules) {
    EXPECT_GT(count, 0u) << "the rule \"" << rule << "\" was never put to the test";
  }
  for (const auto& [fault, count] : result.faults) {
    EXPECT_GT(count, 0u) << "the fault \"" << fault << "\" never fired";
  }
}

TEST(Simulation, KeepsEveryRuleWhateverGoesWrong) {
  Campaign campaign;
  campaign.seeds = seeds();
  campaign.processes = 2;
  const CampaignResult result = run_campaign(campaign);
  for (const std::string& failure : result.failures) ADD_FAILURE() << failure;
  for (const auto& [seed, violation] : result.violations) {
    ADD_FAILURE() << "seed " << seed << ": " << violation << "\n  " << replay_command(seed);
  }
  if (campaign.seeds >= kUsualSeeds) expect_all_met(result);
  std::printf("%llu seeds, %llu jobs\n", static_cast<unsigned long long>(result.runs),
              static_cast<unsigned long long>(result.jobs));
  for (const auto& [rule, count] : result.rules) {
    std::printf("%12llu  rule   %s\n", static_cast<unsigned long long>(count), rule.c_str());
  }
  for (const auto& [fault, count] : result.faults) {
    std::printf("%12llu  fault  %s\n", static_cast<unsigned long long>(count), fault.c_str());
  }
}

// A process that cannot write what it finds is ended by a signal, as one with a bug may be.
TEST(Campaign, WhatTheMachineRefusesIsNoViolation) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  std::fflush(nullptr);  // what this process has to say until then
  const rlimit no_room{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &no_room), 0);
  const CampaignResult result = run_campaign({});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(result.failures.size(), 1u);
  EXPECT_TRUE(result.violations.empty());
}

}  // namespace
}  // namespace penstock::simulation
