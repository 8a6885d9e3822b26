// Accounts for which there is no room in memory: their jobs stay rows, and none is left there.
#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

struct Crowded : Tasking {
  // Starts and ends whatever starts, until nothing does; the ids in the order of their starts.
  std::string drain() {
    std::string all;
    for (std::string ids = start(); !ids.empty(); ids = start()) {
      all += (all.empty() ? "" : " ") + ids;
      for (const auto& started : std::vector(host.starts)) end(started.id);
    }
    return all;
  }
};

struct CrowdedTypes : WithLimits {};

TEST_F(Crowded, FurtherAccountsWaitAsRowsAndSaySo) {
  max_flows = 2;
  for (const char* const account : {"a", "b", "c", "d"}) {
    for (const char* const n : {"1", "2"}) job(account, account + std::string(n));
  }
  EXPECT_EQ(start(), "a1 b1");
  EXPECT_EQ(state("c", "c1"), "waiting");
  EXPECT_EQ(why("c", "c1"),
            "waits until an account leaves memory: its partition has 2 there, as many as it may");
  commit();
  end("a1");
  EXPECT_EQ(start(), "a2");
  end("a2");
  EXPECT_EQ(start(), "c1") << "a has left";
  for (const char* const id : {"b1", "c1"}) end(id);
  EXPECT_EQ(drain(), "b2 c2 d1 d2");
  commit();
  EXPECT_EQ(rows_of('l'), 0u);
  EXPECT_NE(task->next_time(), Time{}) << "nothing is left to look for";
}

TEST_F(Crowded, WhatComesWhenThereIsRoomAgainComesBehindWhatWasLeft) {
  max_flows = 1;
  job("a", "a1");
  job("c", "c1");
  EXPECT_EQ(start(), "a1");
  end("a1");
  job("c", "c2");
  EXPECT_EQ(drain(), "c1 c2");
}

// A job of another type may be the one whose turn it is.
TEST_F(CrowdedTypes, AnAccountThatComesIntoMemoryComesWithAllItsLines) {
  max_flows = 1;
  type("mail", {});
  type("call", {});
  job_of("mail", "a", "a1");
  job_of("call", "c", "c1");
  EXPECT_EQ(start(), "a1");
  end("a1");
  job_of("mail", "c", "c2");
  EXPECT_EQ(start(), "c1");
  end("c1");
  EXPECT_EQ(start(), "c2");
}

TEST_F(Crowded, AccountsAreLeftAsRowsByARestartToo) {
  max_flows = 1;
  queue.order = Order::kStrict;
  for (const char* const account : {"a", "b", "c"}) job(account, account + std::string("1"));
  commit();
  restart();
  EXPECT_EQ(drain(), "a1 b1 c1");
}

TEST_F(Crowded, ACommandReachesAJobThatIsARowAlone) {
  max_flows = 1;
  for (const char* const account : {"a", "b", "c"}) job(account, account + std::string("1"));
  command("cancel", "b", "b1");
  EXPECT_EQ(task->counters().cancelled, 1u);
  command("reschedule", "c", "c1", "\"run_at\":" + ms(10s));
  EXPECT_EQ(state("c", "c1"), "scheduled");
  EXPECT_EQ(drain(), "a1");
  clock = 10s;
  EXPECT_EQ(drain(), "c1");
}

}  // namespace
}  // namespace penstock
