// Order "fair": which bulk's job starts when.
#include <algorithm>
#include <deque>
#include <sstream>

#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

struct Fairly : Tasking {
  Fairly() { queue.order = Order::kFair; }

  void chunk(const std::string& account, const std::string& bulk, int index, int size,
             const std::string& more = "") {
    job(account, bulk + std::to_string(index + 1),
        R"("bulk":{"id":")" + bulk + R"(","index":)" + std::to_string(index) + R"(,"size":)" +
            std::to_string(size) + "}" + (more.empty() ? "" : "," + more));
  }
  void bulk(const std::string& account, const std::string& name, int size,
            const std::string& more = "") {
    for (int i = 0; i < size; ++i) chunk(account, name, i, size, more);
  }
  void afresh(FairShare fair) {
    task.reset();
    input.clear();
    EXPECT_TRUE(store.discard());
    seq = 0;
    queue.fair = fair;
  }
  // Of so many turns with so many attempts at once, which end in turn: those of ids with an H,
  // whose attempts end so.
  int heavy_starts(int turns, std::size_t at_once, const OutcomeValue& outcome) {
    const auto is_heavy = [](const std::string& id) { return id.starts_with('H'); };
    std::deque<std::string> running;
    int heavy = 0;
    for (; turns > 0; --turns) {
      if (running.size() == at_once) {
        end(running.front(), is_heavy(running.front()) ? outcome : Done{});
        running.pop_front();
      }
      while (running.size() < at_once) {
        running.push_back(start(1));
        heavy += is_heavy(running.back()) ? 1 : 0;
      }
    }
    return heavy;
  }
  // Runs `count` jobs, each step as many as there is room for; their ids.
  std::string run(int count, int capacity) {
    std::string order;
    for (int done = 0; done < count;) {
      const std::string ids = start(capacity);
      if (ids.empty()) break;
      std::istringstream words(ids);
      for (std::string id; words >> id; ++done) {
        order += (order.empty() ? "" : " ") + id;
        end(id);
      }
    }
    return order;
  }
  // A1 B1 C1 A2 ... as docs/fairness.md promises.
  static std::string reference(int a, int b, int c) {
    std::string order;
    for (int i = 1; i <= std::max({a, b, c}); ++i) {
      for (const auto& [name, size] : {std::pair("A", a), {"B", b}, {"C", c}}) {
        if (i <= size) order += (order.empty() ? "" : " ") + (name + std::to_string(i));
      }
    }
    return order;
  }
};

struct Reference : Fairly, testing::WithParamInterface<std::tuple<FairShare, int>> {};

TEST_P(Reference, BulksOfAHundredTenAndFiveTakeTurns) {
  queue.fair = std::get<0>(GetParam());
  queue.account_concurrency = std::get<1>(GetParam());
  bulk("acme", "A", 100);
  bulk("acme", "B", 10);
  bulk("acme", "C", 5);
  EXPECT_EQ(run(115, 1000), reference(100, 10, 5));
}

TEST_P(Reference, TheSameWhenTheyAreRowsOnly) {
  queue.fair = std::get<0>(GetParam());
  queue.account_concurrency = std::get<1>(GetParam());
  bulk("acme", "A", 100);
  bulk("acme", "B", 10);
  bulk("acme", "C", 5);
  commit();
  restart();
  EXPECT_EQ(run(115, 1000), reference(100, 10, 5));
  commit();
  EXPECT_EQ(task->jobs(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Fair, Reference,
                         testing::Combine(testing::Values(FairShare::kByAccount, FairShare::kFlat),
                                          testing::Values(1, 2, 3, 7)));

TEST_F(Fairly, PriorityThenOffsetWithinABulk) {
  chunk("acme", "A", 0, 5);
  chunk("acme", "A", 1, 5, R"("priority":5)");
  chunk("acme", "A", 2, 5, R"("priority":-5)");
  chunk("acme", "A", 3, 5);
  job("acme", "x");
  job("acme", "urgent", R"("priority":-1000)");
  EXPECT_EQ(run(6, 1), "A3 urgent A1 x A4 A2");
}

TEST_F(Fairly, PriorityHoldsOverTypesAndOverARestart) {
  TypePolicy policy;
  types.add("u", policy);
  for (int i = 0; i < 40; ++i) {
    record("acme", R"({"type":")" + std::string(i % 2 ? "t" : "u") + R"(","id":")" +
                       std::to_string(i) + R"(","priority":)" + std::to_string(-i) + "}");
  }
  commit();
  restart();
  std::string expected;
  for (int i = 39; i >= 0; --i) expected += (expected.empty() ? "" : " ") + std::to_string(i);
  EXPECT_EQ(run(40, 1), expected);
}

TEST_F(Fairly, ByAccountManyBulksOfOneAccountGetItNoMoreTurns) {
  for (const char* name : {"A", "B", "C", "D"}) bulk("noisy", name, 10);
  bulk("quiet", "Q", 5);
  EXPECT_EQ(run(10, 1), "A1 Q1 B1 Q2 C1 Q3 D1 Q4 A2 Q5");
}

TEST_F(Fairly, FlatEveryBulkGetsTheSame) {
  queue.fair = FairShare::kFlat;
  for (const char* name : {"A", "B", "C"}) bulk("noisy", name, 10);
  bulk("quiet", "Q", 5);
  EXPECT_EQ(run(8, 1), "A1 B1 C1 Q1 A2 B2 C2 Q2");
}

TEST_F(Fairly, FlatAccountConcurrencyHolds) {
  queue.fair = FairShare::kFlat;
  for (const char* name : {"A", "B", "C"}) bulk("noisy", name, 10);
  bulk("quiet", "Q", 5);
  EXPECT_EQ(start(), "A1 Q1");
  end("A1");
  EXPECT_EQ(start(), "B1");
  end("Q1");
  EXPECT_EQ(start(), "Q2");
}

TEST_F(Fairly, AChunksWeightIsItsBulksShare) {
  for (const FairShare fair : {FairShare::kByAccount, FairShare::kFlat}) {
    afresh(fair);
    bulk("acme", "H", 60, R"("weight":3)");
    bulk("acme", "L", 60);
    const std::string order = run(40, 1);
    const auto heavy = std::count(order.begin(), order.end(), 'H');
    EXPECT_GE(heavy, 28);
    EXPECT_LE(heavy, 32);
  }
}

TEST_F(Fairly, AWeightWithoutBulkIsTheAccountsShare) {
  for (int i = 0; i < 60; ++i) {
    job("heavy", "H" + std::to_string(i), R"("weight":3)");
    job("light", "L" + std::to_string(i));
  }
  const std::string order = run(40, 1);
  const auto heavy = std::count(order.begin(), order.end(), 'H');
  EXPECT_GE(heavy, 28);
  EXPECT_LE(heavy, 32);
}

// As many run at once as there is room for, one of an account; they end in turn.
TEST_F(Fairly, AWeightIsTheAccountsShareHoweverManyRunAtOnce) {
  for (const FairShare fair : {FairShare::kByAccount, FairShare::kFlat}) {
    afresh(fair);
    for (int i = 0; i < 60; ++i) {
      job("heavy", "H" + std::to_string(i), R"("weight":4)");
      for (int other = 0; other < 8; ++other)
        job("light" + std::to_string(other), "L" + std::to_string(i * 8 + other));
    }
    const int heavy = heavy_starts(120, 2, Done{});
    EXPECT_GE(heavy, 38) << static_cast<int>(fair);  // a third of 120
    EXPECT_LE(heavy, 42);
  }
}

// Its one job is never in line when another turn is given: its next iteration comes with the end of
// the one before.
TEST_F(Fairly, AWeightHoldsForAnAccountWhoseNextWorkComesWhenItsAttemptEnds) {
  for (const FairShare fair : {FairShare::kByAccount, FairShare::kFlat}) {
    afresh(fair);
    job("heavy", "H", R"("weight":4)");
    for (int i = 0; i < 60; ++i) {
      for (int other = 0; other < 10; ++other)
        job("light" + std::to_string(other), "L" + std::to_string(i * 10 + other));
    }
    const int heavy = heavy_starts(400, 4, NextIteration{"1"});
    EXPECT_GE(heavy, 95) << static_cast<int>(fair);  // one of the four places, all of the time
    EXPECT_LE(heavy, 101);
  }
}

TEST_F(Fairly, AnAccountThatWasIdleGetsNoMoreThanItsTurn) {
  afresh(FairShare::kByAccount);
  queue.account_concurrency = 10;
  job("heavy", "H0", R"("weight":4)");
  for (int i = 0; i < 100; ++i) job("light", "L" + std::to_string(i));
  EXPECT_NE(run(50, 1).find("H0"), std::string::npos);
  for (int i = 1; i < 20; ++i) job("heavy", "H" + std::to_string(i), R"("weight":4)");
  const std::string order = run(10, 1);
  EXPECT_LE(std::count(order.begin(), order.end(), 'H'), 9);
  EXPECT_GE(std::count(order.begin(), order.end(), 'H'), 7);
}

TEST_F(Fairly, WeightsHoldAfterARestart) {
  bulk("acme", "L", 60);
  bulk("acme", "H", 60, R"("weight":3)");
  commit();
  restart();
  const std::string order = run(40, 1);
  EXPECT_GE(std::count(order.begin(), order.end(), 'H'), 28);
}

TEST_F(Fairly, ARetryHoldsNeitherItsBulkNorOthersBack) {
  bulk("acme", "A", 3);
  bulk("acme", "B", 2);
  start();
  end("A1", RetryLater{"no", {}});
  EXPECT_EQ(run(3, 1), "B1 A2 B2");
  clock += 10s + kWallResolution;
  EXPECT_EQ(run(2, 1), "A1 A3");
}

TEST_F(Fairly, AnInterruptedJobKeepsItsBulksPlace) {
  bulk("acme", "A", 2);
  bulk("acme", "B", 2);
  EXPECT_EQ(start(), "A1");
  end("A1", Interrupted{"stopped"});
  EXPECT_EQ(run(4, 1), "B1 A1 B2 A2");
}

TEST_F(Fairly, AnotherOrderReadsTheRowsOfThisOneAndBack) {
  bulk("acme", "A", 3);
  bulk("acme", "B", 2);
  job("acme", "x");
  commit();
  for (const Order order : {Order::kCreated, Order::kFair, Order::kReady, Order::kFair}) {
    queue.order = order;
    restart();
    EXPECT_EQ(all_jobs().size(), 6u);
  }
  EXPECT_EQ(run(6, 1).size(), std::string("A1 B1 x A2 B2 A3").size());
  commit();
  EXPECT_EQ(task->jobs(), 0u);
}

TEST_F(Fairly, EmptyBulksLeaveNothingBehind) {
  for (int i = 0; i < 100; ++i) chunk("acme", "b" + std::to_string(i) + "-", 0, 1);
  host.instant = true;
  start();
  commit();
  EXPECT_EQ(task->counters().succeeded, 100u);
  EXPECT_EQ(task->live_jobs(), 0u);
  EXPECT_TRUE(task->fair().empty());
}

TEST_F(Fairly, ABulkWhoseRowsAreCancelledIsForgottenThoughItsAccountStaysBusy) {
  for (const FairShare fair : {FairShare::kByAccount, FairShare::kFlat}) {
    afresh(fair);
    bulk("acme", "A", 30);
    for (int i = 0; i < 5; ++i) bulk("acme", "B" + std::to_string(i) + "-", 2);
    commit();
    restart();  // they are rows only
    ASSERT_NE(task->fair().next_flow(), nullptr);
    EXPECT_EQ(task->fair().next_flow()->shares->by_name.size(), 6u);
    for (int i = 0; i < 5; ++i) {
      for (int chunk = 1; chunk <= 2; ++chunk) {
        command("cancel", "acme", "B" + std::to_string(i) + "-" + std::to_string(chunk));
      }
    }
    EXPECT_EQ(run(20, 1).substr(0, 8), "A1 A2 A3");
    ASSERT_NE(task->fair().next_flow(), nullptr);
    EXPECT_EQ(task->fair().next_flow()->shares->by_name.size(), 1u);
  }
}

TEST_F(Fairly, AGreatBulkDoesNotHoldUpASmallOne) {
  for (const FairShare fair : {FairShare::kByAccount, FairShare::kFlat}) {
    afresh(fair);
    for (int i = 0; i < 4'000; ++i) {
      chunk("acme", "A", i, 4'000);
      if (!task->wants_input()) commit();
      feed();
    }
    bulk("acme", "B", 5);
    commit();
    EXPECT_LE(task->live_jobs(), 4 * Lines::kKeptJobs);
    EXPECT_EQ(run(11, 1), "A1 B1 A2 B2 A3 B3 A4 B4 A5 B5 A6");
  }
}

// -- Why

TEST_F(Fairly, WhySaysWhoseTurnIsBefore) {
  bulk("acme", "A", 5);
  bulk("acme", "B", 2);
  EXPECT_NE(why("acme", "A1").find("its turn is next"), std::string::npos) << why("acme", "A1");
  EXPECT_EQ(why("acme", "B1"), "1 bulk of the account comes to a turn before its own");
  EXPECT_EQ(why("acme", "A4"), "3 jobs of bulk \"A\" run before it, first \"A1\"");
  job("bolt", "x");
  EXPECT_EQ(why("bolt", "x"), "1 account comes to a turn before its own, first \"acme\"");
}

TEST_F(Tasking, WhyCountsTheJobsBeforeItThoughTheyAreRowsOnly) {
  for (int i = 0; i < 300; ++i) job("acme", std::to_string(i));
  commit();
  EXPECT_EQ(why("acme", "299"), "299 jobs of the account run before it, first \"0\"");
  EXPECT_EQ(why("acme", "3"), "3 jobs of the account run before it, first \"0\"");
}

}  // namespace
}  // namespace penstock
