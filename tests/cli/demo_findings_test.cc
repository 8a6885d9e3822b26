#include "cli/demo/demo_findings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penstock {
namespace {

using std::chrono::milliseconds;

const DemoTime kOpened{std::chrono::seconds(100)};

void send(DemoTold& told, const std::string& account, const std::string& id) {
  told.sends.push_back({account, id, kOpened, true, false});
}

void run(DemoTold& told, const std::string& account, const std::string& id, milliseconds after) {
  const DemoTime at = kOpened + after;
  const std::string token = std::to_string(told.runs.size());
  told.runs.push_back({account, id, token, 1, at, at, {}, true, true});
}

// Two accounts with one job each behind a noisy one with ten, in a story whose jobs start `apart`.
DemoTold played(const std::vector<std::string>& order, milliseconds apart) {
  DemoTold told;
  told.scale.noisy_jobs = 10;
  told.scale.places = 1;
  told.opened = kOpened;
  for (int i = 0; i < 10; ++i) send(told, kNoisyAccount, "noisy-" + std::to_string(i));
  send(told, "account-1", "job");
  send(told, "account-2", "job");
  int noisy = 0;
  for (const std::string& account : order) {
    const bool is_noisy = account == kNoisyAccount;
    run(told, account, is_noisy ? "noisy-" + std::to_string(noisy++) : "job",
        apart * static_cast<int>(told.runs.size()));
  }
  return told;
}

DemoClaim claim(const DemoTold& told, const std::string& name) {
  const DemoFindings findings = judge(told);
  const auto found = std::find_if(findings.claims.begin(), findings.claims.end(),
                                  [&](const DemoClaim& claim) { return claim.name == name; });
  EXPECT_NE(found, findings.claims.end());
  return *found;
}

const std::vector<std::string> kShared = {kNoisyAccount, "account-1",   kNoisyAccount,
                                          "account-2",   kNoisyAccount, kNoisyAccount};

TEST(DemoFindings, FairIsJudgedByOrderHoweverSlowTheMachineIs) {
  for (const milliseconds apart : {milliseconds(1), milliseconds(1'000), milliseconds(60'000)}) {
    EXPECT_TRUE(claim(played(kShared, apart), "fair").held) << apart.count();
  }
}

TEST(DemoFindings, OthersBehindMostOfTheNoisyAccountsJobsAreNotFair) {
  std::vector<std::string> fifo(10, kNoisyAccount);
  fifo.insert(fifo.end(), {"account-1", "account-2"});
  EXPECT_FALSE(claim(played(fifo, milliseconds(1)), "fair").held);
}

TEST(DemoFindings, WaitsCountFromWhenAllJobsHaveBeenAdmitted) {
  DemoTold told = played(kShared, milliseconds(5));
  for (DemoSend& send : told.sends) send.at -= std::chrono::seconds(30);
  EXPECT_EQ(judge(told).measured.most, milliseconds(15));
}

}  // namespace
}  // namespace penstock
