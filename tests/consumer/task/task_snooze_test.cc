// Snoozes: how long they last at least, and how many there were in a row.
#include "consumer/job/snooze.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

TEST_F(Tasking, ASnoozedJobWaitsForTheMinimumAtLeast) {
  job("acme", "a");
  for (const Duration asked : {Duration{0}, Duration{-5000}, kMinSnooze - 1ms}) {
    ASSERT_EQ(start(), "a");
    end("a", Snooze{asked});
    clock += kMinSnooze;
    EXPECT_EQ(start(), "") << asked.count();
    clock += kWallResolution;
  }
}

TEST_F(Tasking, ABatchThatIsSnoozedWaitsForTheMinimumToo) {
  TypePolicy policy;
  policy.batch = BatchPolicy{.max = 2};
  types.add("t", policy);
  job("acme", "a");
  job("acme", "b");
  ASSERT_EQ(start(), "a");
  end_items("a", Snooze{0s}, {std::nullopt, Snooze{0s}});
  EXPECT_EQ(start(), "");
  clock += kMinSnooze + kWallResolution;
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, SnoozesInARowAreCountedAndShown) {
  queue.events = Events::kAll;
  job("acme", "a");
  const auto snooze = [&] {
    start();
    end("a", Snooze{5s});
    clock += 4s;
    commit();
    restart();
  };
  snooze();
  EXPECT_NE(why("acme", "a").find("(attempt 1, snoozed once)"), std::string::npos);
  clock += 2s;
  snooze();
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.snoozes, 2);
  EXPECT_NE(why("acme", "a").find("(attempt 1, snoozed 2 times in a row)"), std::string::npos);
  EXPECT_NE(messages("penstock.mail.events").back().value->find("snoozed 2 times in a row"),
            std::string::npos);
  clock += 2s;
  start();
  end("a", Interrupted{"the worker stops"});
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.snoozes, 2) << "nothing was decided";
  start();
  end("a", RetryLater{"boom", {}});
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.snoozes, 0);
  clock += 11s;
  start();
  end("a", Snooze{5s});
  EXPECT_EQ(task->counters().snoozed, 1u) << "since the restart";
  command("retry", "acme", "a");
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.snoozes, 0);
}

}  // namespace
}  // namespace penstock
