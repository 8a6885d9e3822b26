// Lines that wait for what they themselves keep, whose first job goes while they wait, or whose
// account is full.
#include <sstream>

#include "consumer/limits/slot_message.h"
#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

struct AtGates : WithLimits {
  std::uint64_t told = 0;

  AtGates() { queue.account_concurrency = 2; }
  void keeping(const std::string& name, std::vector<LimitPolicy> limits) {
    TypePolicy policy;
    policy.limits = std::move(limits);
    policy.between_iterations = BetweenIterations::kKeep;
    types.add(name, policy);
  }
  void target(const std::string& name, std::uint64_t version, int slots, int of) {
    record(name, to_json(SlotTarget{version, slots, of}),
           {{std::string(kSlotsHeader), "1"},
            {std::string(kMessageHeader),
             "penstock.slots/0@1>penstock.mail/0#" + std::to_string(++told)}});
  }
  void pause(const PauseTarget& target) {
    set(pause_key(target), R"({"since":1800000000000,"by":"me"})");
  }
  // Ten types of one account that need one slot, which the first of them is promised.
  void ten_types_wait() {
    type("paused", {});
    for (int i = 0; i < 10; ++i) type("k" + std::to_string(i), {limit("crm/{account}", 1)});
    job_of("paused", "acme", "paused");
    pause({"mail", "paused", {}});
    set(limit_key("crm/acme"), R"({"slots":0})");
    for (int i = 0; i < 10; ++i) job_of("k" + std::to_string(i), "acme", std::to_string(i));
    EXPECT_EQ(start(), "");
    set(limit_key("crm/acme"), std::nullopt);
  }
};

TEST_F(AtGates, WhoseSlotIsRecalledBetweenIterationsDoesNotWaitForTheNextOfItsLine) {
  keeping("k", {limit("s", 2)});
  job_of("k", "acme", "1");
  job_of("k", "acme", "2");
  EXPECT_EQ(start(), "");
  target("s", 1, 2, 2);
  EXPECT_EQ(start(), "1 2");
  end("1", NextIteration{"1"});
  target("s", 2, 1, 2);
  EXPECT_EQ(start(), "");
  end("2", NextIteration{"1"});
  EXPECT_EQ(start(), "1") << why("acme", "1") << " | " << why("acme", "2");
}

TEST_F(AtGates, WhoseSlotIsLoweredAwayBetweenIterationsDoesNotWaitForTheNextOfItsLine) {
  keeping("k", {limit("a/{account}", 2)});
  job_of("k", "acme", "1");
  job_of("k", "acme", "2");
  EXPECT_EQ(start(), "1 2");
  end("1", NextIteration{"1"});
  set(limit_key("a/acme"), R"({"slots":1})");
  EXPECT_EQ(start(), "");
  end("2", NextIteration{"1"});
  EXPECT_EQ(start(), "1") << why("acme", "1") << " | " << why("acme", "2");
}

TEST_F(AtGates, SeveralThatKeepTheirSlotsStayInMemoryBeforeJobsThatAreRowsOnly) {
  max_live_jobs = 0;
  keeping("k", {limit("a/{account}", 2)});
  for (const char* const id : {"1", "2", "3"}) job_of("k", "acme", id);
  EXPECT_EQ(start(), "1 2");
  end("1", NextIteration{"1"});
  commit();
  EXPECT_EQ(task->live_jobs(), 2u) << "the third is a row only";
  end("2", NextIteration{"1"});
  EXPECT_EQ(start(), "1 2");
}

TEST_F(AtGates, APromisedJobIsCancelledBesideNineOtherTypes) {
  ten_types_wait();
  command("cancel", "acme", "0");
  EXPECT_EQ(start(), "1");
}

TEST_F(AtGates, AFullAccountLeavesEveryGateWithManyTypes) {
  queue.account_concurrency = 1;
  type("other", {});
  ten_types_wait();
  job_of("other", "acme", "first");
  set(limit_key("crm/acme"), R"({"slots":0})");
  EXPECT_EQ(start(), "first");
  set(limit_key("crm/acme"), std::nullopt);
  end("first");
  for (int i = 0; i < 10; ++i) {
    const std::string started = start();
    EXPECT_EQ(started.size(), 1u) << i;
    end(started);
  }
}

// The first jobs of 1,200 lines are rows only, as memory is full.
TEST_F(AtGates, LinesWhoseJobsAllExpireAsRowsWaitForNothing) {
  constexpr int kAccounts = 1200, kEach = 60;
  make();
  pause({"mail", {}, {}});
  for (int account = 0; account < kAccounts; ++account) {
    for (int i = 0; i < kEach; ++i) {
      const std::string id = std::to_string(account * kEach + i);
      job("acme-" + std::to_string(account), id, "\"expires_at\":" + ms(60s));
    }
    if (account % 20 == 0) {
      EXPECT_EQ(start(), "");
      commit();
    }
  }
  EXPECT_EQ(start(), "");
  commit();
  clock = 61s;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(start(), "");
    commit();
  }
  EXPECT_EQ(task->counters().expired, static_cast<std::uint64_t>(kAccounts * kEach));
  set(pause_key({"mail", {}, {}}), std::nullopt);
  job("acme-7", "next");
  EXPECT_EQ(start(), "next");
}

TEST_F(AtGates, ARateIsNotHeldOffByAJobThatWaitsForASlotToo) {
  queue.account_concurrency = 100;
  const auto rate = limit("api/{account}", std::nullopt, Rate{100, 1000ms}, 1);
  type("a", {rate});
  type("c", {limit("crm/{account}", 1)});
  type("both", {rate, limit("crm/{account}", 1)});
  job_of("c", "acme", "holds");
  EXPECT_EQ(start(), "holds");
  for (int i = 0; i < 300; ++i) job_of("a", "acme", "a" + std::to_string(i));
  job_of("both", "acme", "both");
  int started = 0;
  for (int step = 0; step < 300; ++step) {
    clock += 10ms;
    std::istringstream all(start());
    for (std::string id; all >> id; ++started) end(id);
  }
  EXPECT_GE(started, 250) << why("acme", "a299");
  end("holds");
  for (int step = 0; step < 100 && why("acme", "both") != ""; ++step) {
    clock += 10ms;
    if (start().find("both") != std::string::npos) return;
  }
  FAIL() << why("acme", "both");
}

}  // namespace
}  // namespace penstock
