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

}  // namespace
}  // namespace penstock
