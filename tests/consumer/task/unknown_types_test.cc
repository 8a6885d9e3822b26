// Jobs of types that no worker here knows.
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

TEST_F(Tasking, AnUnknownTypeWaitsHoldsNobodyBackAndSaysSo) {
  record("acme", R"({"type":"other","id":"a"})");
  job("acme", "b");
  EXPECT_EQ(start(), "b");
  EXPECT_EQ(state("acme", "a"), "waiting");
  EXPECT_NE(why("acme", "a").find("knows the type \"other\""), std::string::npos);
  commit();
  restart();
  EXPECT_EQ(state("acme", "a"), "waiting");
}

TEST_F(Tasking, AnUnknownTypeRunsOnceAWorkerKnowsIt) {
  for (int i = 0; i < 5; ++i) record("acme" + std::to_string(i), R"({"type":"other","id":"a"})");
  record("acme", R"({"type":"third","id":"b"})");
  commit();
  types.add("other", {});
  restart();
  EXPECT_EQ(start(), "a a a a a");
  commit();
  EXPECT_EQ(rows_of('u'), 1u);
}

TEST_F(Tasking, AParkedTypeThatIsKnownAgainDoesNotWaitForOneThatIsNot) {
  record("acme", R"({"type":"alpha","id":"a"})");
  record("bolt", R"({"type":"omega","id":"o"})");
  EXPECT_EQ(start(), "");
  commit();
  types.add("omega", {});
  restart();
  EXPECT_EQ(start(), "o");
  EXPECT_EQ(state("acme", "a"), "waiting");
}

TEST_F(Tasking, ManyParkedJobsComeBackInPiecesThatFitIntoACommit) {
  const std::string args(100 << 10, 'x');
  for (int i = 0; i < 100; ++i) {
    record("acme" + std::to_string(i), R"({"type":"other","id":"a","args":")" + args + "\"}");
    if (i % 10 == 9) commit();
  }
  types.add("other", {});
  restart();
  for (int i = 0; i < 10; ++i) {
    start();
    EXPECT_LT(task->unsaved_bytes(), kMaxGatheredBytes + (2u << 20));
    commit();
  }
  EXPECT_EQ(host.starts.size(), 100u);
  EXPECT_EQ(rows_of('u'), 0u);
}

TEST_F(Tasking, AnUnknownTypeIsDeadAtOnceWhereTheQueueSaysSo) {
  queue.unknown_types = UnknownTypes::kDead;
  record("acme", R"({"type":"other","id":"a"})");
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "unknown_type");
  EXPECT_EQ(dead()[0].headers.at("penstock-attempts"), "0");
}

TEST_F(Tasking, InStrictOrderAnUnknownTypeHoldsTheAccountBack) {
  queue.order = Order::kStrict;
  record("acme", R"({"type":"other","id":"a"})");
  job("acme", "b");
  job("bolt", "c");
  EXPECT_EQ(start(), "c");
  command("cancel", "acme", "a");
  EXPECT_EQ(start(), "b");
}

}  // namespace
}  // namespace penstock
