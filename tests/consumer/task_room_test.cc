// What one step changes fits into one commit.
#include "tests/consumer/task_fixture.h"

namespace penstock {
namespace {

struct Room : Tasking {
  // A job each of so many accounts, with what `more` says for its number; committed whenever there
  // is no room.
  template <typename More>
  void fill(int count, More more) {
    for (int i = 0; i < count; ++i) {
      job("account-" + std::to_string(i), "a", more(i));
      if (!task->wants_input()) commit();
    }
    commit();
  }
};

// The rows of jobs that have an expiry change when they start.
TEST_F(Room, NoMoreStartsThanTheirCommitHolds) {
  const std::string large =
      R"("expires_at":)" + ms(1h) + R"(,"args":{"text":")" + std::string(1'000'000, 'x') + "\"}";
  fill(12, [&](int) { return large; });
  restart();
  std::size_t started = 0;
  for (int step = 0; step < 12 && started < 12; ++step) {
    (void)start();
    EXPECT_GT(host.starts.size(), started) << "it goes on after each commit";
    started = host.starts.size();
    EXPECT_LT(task->unsaved_bytes(), Task::kMaxUnsavedBytes + (2 << 20));
    commit();
  }
  EXPECT_EQ(started, 12u);
}

TEST_F(Room, ExpiriesLeaveRoomInTheirCommit) {
  const std::string text = std::string(400'000, 'x');
  fill(20, [&](int i) {
    return "\"expires_at\":" + ms(10s) + ",\"run_at\":" + ms(1h) + R"(,"bulk":{"id":"b)" +
           std::to_string(i) + R"(","index":0,"size":1,"on_done":{"type":"t","args":{"text":")" +
           text + "\"}}}";
  });
  clock = 20s;
  for (int step = 0; step < 20 && task->counters().expired < 20; ++step) {
    task->advance(now());
    EXPECT_LT(task->unsaved_bytes(), Task::kMaxUnsavedBytes + (2 << 20));
    commit();
  }
  EXPECT_EQ(task->counters().expired, 20u);
}

TEST_F(Room, DueJobsLeaveRoomForInputAndStarts) {
  const std::string large =
      R"("run_at":)" + ms(10s) + R"(,"args":{"text":")" + std::string(400'000, 'x') + "\"}";
  fill(20, [&](int) { return large; });
  clock = 20s;
  std::size_t started = 0;
  for (int step = 0; step < 40 && started < 20; ++step) {
    task->advance(now());
    EXPECT_LT(task->unsaved_bytes(), Task::kMaxDueBytes + (1 << 20));
    EXPECT_TRUE(task->wants_input());
    (void)start();
    EXPECT_GT(host.starts.size(), started) << "some start after each";
    started = host.starts.size();
    commit();
  }
  EXPECT_EQ(started, 20u);
}

// Follow-ups would grow it. Acknowledgements alone make room.
TEST_F(Room, AFullOutboxHoldsBackInputAndStartsUntilItDrains) {
  queue.events = Events::kAll;
  job("acme", "runs");
  job("acme", "waits");
  job("beta", "expires", "\"run_at\":" + ms(1h) + ",\"expires_at\":" + ms(10s));
  commit();
  EXPECT_EQ(start(), "runs");
  while (!outbox->full())
    outbox->send({"penstock.other", 0}, {"key", std::string(1 << 20, 'x'), {}}, seq + 1);
  end("runs");  // what runs may end
  clock = 20s;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().expired, 0u);
  EXPECT_FALSE(task->wants_input());
  commit();
  EXPECT_EQ(start(), "waits");
  EXPECT_EQ(task->counters().expired, 1u);
  EXPECT_TRUE(task->wants_input());
}

TEST_F(Room, InstantAttemptsStopWhereTheOutboxIsFull) {
  queue.events = Events::kAll;
  host.instant = true;
  for (int i = 0; i < 20; ++i) job("account-" + std::to_string(i), "a");
  commit();
  while (outbox->pending() < Outbox::kMaxPending - 5)
    outbox->send({"penstock.other", 0}, {"key", "x", {}}, seq + 1);
  (void)start();
  EXPECT_LT(host.starts.size(), 10u);
  commit();
  (void)start();
  EXPECT_EQ(host.starts.size(), 20u);
}

}  // namespace
}  // namespace penstock
