// Where a job goes that has run for its max_runtime, in each order of a queue (docs/long-jobs.md).
#include "tests/consumer/task/iterating_fixture.h"

namespace penstock {
namespace {

struct TurnsGivenUp : Iterating {
  TurnsGivenUp() { longest(60s); }

  void longest(std::optional<Duration> most) {
    policy.max_runtime = most;
    long_type("t");
  }
  static std::string in_bulk(const std::string& bulk, int index) {
    return R"("bulk":{"id":")" + bulk + R"(","index":)" + std::to_string(index) + R"(,"size":9})";
  }
  // Starts and ends as many jobs as there are; their ids.
  std::string rest() {
    std::string order;
    for (std::string id = start(1); !id.empty(); id = start(1)) {
      order += (order.empty() ? "" : " ") + id;
      end(id);
    }
    return order;
  }
};

// -- What holds in every order in which a turn can be given up

struct InEachOrder : TurnsGivenUp, testing::WithParamInterface<Order> {
  InEachOrder() { queue.order = GetParam(); }
};

TEST_P(InEachOrder, BehindThoseThatAreThereAndBeforeThoseThatComeLater) {
  types.add("quick", {});
  job("acme", "long");
  job("acme", "b");
  job_of("quick", "acme", "q");
  start();
  ran("long", 60s);
  job("acme", "later");
  EXPECT_EQ(rest(), "b q long later");
}

TEST_P(InEachOrder, NotBeforeItsTime) {
  job("acme", "long");
  job("acme", "b");
  start();
  ran("long", 60s - 1ms);
  EXPECT_EQ(rest(), "long b");
}

TEST_P(InEachOrder, WithItsCursorAndItsAttempt) {
  job("acme", "long");
  job("acme", "b");
  start();
  ran("long", 60s, R"({"page":2})");
  EXPECT_EQ(start(), "b");
  end("b");
  EXPECT_EQ(start(), "long");
  EXPECT_EQ(host.starts.back().cursor, R"({"page":2})");
  EXPECT_EQ(attempt_of("long"), 1);
}

TEST_P(InEachOrder, OverARestart) {
  for (const char* id : {"long", "b", "c"}) job("acme", id);
  start();
  commit();
  ran("long", 60s);
  commit();
  restart();
  job("acme", "later");
  EXPECT_EQ(rest(), "b c long later");
}

TEST_P(InEachOrder, SeveralTakeTurns) {
  for (const char* id : {"a", "b", "c"}) job("acme", id);
  std::string order;
  for (int i = 0; i < 9; ++i) {
    const std::string id = start();
    order += id;
    ran(id, 60s);
  }
  EXPECT_EQ(order, "abcabcabc");
}

TEST_P(InEachOrder, OneThatIsNotDueYetIsNotWaitedFor) {
  job("acme", "long");
  job("acme", "b", "\"run_at\":" + ms(1h));
  start();
  ran("long", 60s);
  EXPECT_EQ(start(), "long");
}

INSTANTIATE_TEST_SUITE_P(MaxRuntime, InEachOrder,
                         testing::Values(Order::kCreated, Order::kReady, Order::kFair));

// -- ready

struct InReadyOrder : TurnsGivenUp {
  InReadyOrder() { queue.order = Order::kReady; }
};

TEST_F(InReadyOrder, BehindAllThatAreDueAndBeforeWhatBecomesDueLater) {
  job("acme", "long");
  job("acme", "b");
  start();
  clock += 59s;
  job("acme", "c", "\"run_at\":" + ms(60s));
  job("acme", "d", "\"run_at\":" + ms(61s));
  ran("long", 1s);
  clock += 1s;
  EXPECT_EQ(rest(), "b c long d");
}

TEST_F(InReadyOrder, BehindARetryThatIsDueAndBeforeOneThatBecomesDueLater) {
  for (const char* id : {"early", "late"}) {
    job("acme", id);
    start();
    end(id, RetryLater{"no", std::string(id) == "early" ? 30s : 70s});
  }
  job("acme", "long");
  start();
  ran("long", 60s);
  clock += 11s;
  EXPECT_EQ(rest(), "early long late");
}

TEST_F(InReadyOrder, OneThatComesLaterBeforeItIfItHasBeenReadyForLonger) {
  job("acme", "long");
  start();
  ran("long", 60s);
  job("acme", "older", "\"run_at\":" + ms(59s));
  EXPECT_EQ(rest(), "older long");
}

// -- fair

struct InFairOrder : TurnsGivenUp {
  InFairOrder() { queue.order = Order::kFair; }
};

TEST_F(InFairOrder, BehindThoseOfItsPriority) {
  job("acme", "long", R"("priority":-1)");
  job("acme", "same", R"("priority":-1)");
  job("acme", "low", R"("priority":5)");
  start();
  ran("long", 60s);
  job("acme", "urgent", R"("priority":-2)");
  job("acme", "later", R"("priority":-1)");
  EXPECT_EQ(rest(), "urgent same long later low");
}

// Its iteration was its bulk's turn; the next turn is the other bulk's, as ever.
TEST_F(InFairOrder, BehindThoseOfItsBulkAndTheOtherBulksTurnsAreAsBefore) {
  for (int i = 0; i < 3; ++i) {
    job("acme", "A" + std::to_string(i + 1), in_bulk("A", i));
    job("acme", "B" + std::to_string(i + 1), in_bulk("B", i));
  }
  EXPECT_EQ(start(), "A1");
  ran("A1", 60s);
  EXPECT_EQ(rest(), "B1 A2 B2 A3 B3 A1");
}

TEST_F(InFairOrder, OneWithoutBulkBehindThoseWithoutOne) {
  job("acme", "long");
  job("acme", "A1", in_bulk("A", 0));
  job("acme", "x");
  job("acme", "A2", in_bulk("A", 1));
  job("acme", "A3", in_bulk("A", 2));
  EXPECT_EQ(start(), "long");
  ran("long", 60s);
  EXPECT_EQ(rest(), "A1 x A2 long A3");
}

// -- strict: no job goes behind another, and the configuration refuses the key
// (config_flow_test.cc)

TEST_F(TurnsGivenUp, StrictlyNobodyComesBeforeItsEndHoweverLongItRuns) {
  queue.order = Order::kStrict;
  longest(std::nullopt);
  types.add("quick", {});
  job("acme", "long");
  job("acme", "b");
  job_of("quick", "acme", "q");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(start(), "long");
    ran("long", 1h);
  }
  commit();
  restart();
  EXPECT_EQ(rest(), "long b q");
}

}  // namespace
}  // namespace penstock
