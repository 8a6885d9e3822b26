// What one step changes fits into one commit.
#include "tests/consumer/task_fixture.h"

namespace penstock {
namespace {

// The rows of jobs that have an expiry change when they start.
TEST_F(Tasking, NoMoreStartsThanTheirCommitHolds) {
  const std::string large = R"("expires_at":)" + ms(1h) + R"(,"args":{"text":")" + std::string(1'000'000, 'x') + "\"}";
  for (int i = 0; i < 12; ++i) {
    job("account-" + std::to_string(i), "a", large);
    if (!task->wants_input()) commit();
  }
  commit();
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

TEST_F(Tasking, ExpiriesLeaveRoomInTheirCommit) {
  const std::string text = R"(,"bulk":{"id":"b%","index":0,"size":1,"on_done":{"type":"t","args":{"text":")" +
                           std::string(400'000, 'x') + "\"}}}";
  for (int i = 0; i < 20; ++i) {
    std::string more = "\"expires_at\":" + ms(10s) + ",\"run_at\":" + ms(1h) + text;
    more.replace(more.find('%'), 1, std::to_string(i));
    job("account-" + std::to_string(i), "a", more);
    if (!task->wants_input()) commit();
  }
  commit();
  clock = 20s;
  for (int step = 0; step < 20 && task->counters().expired < 20; ++step) {
    task->advance(now());
    EXPECT_LT(task->unsaved_bytes(), Task::kMaxUnsavedBytes + (2 << 20));
    commit();
  }
  EXPECT_EQ(task->counters().expired, 20u);
}

TEST_F(Tasking, DueJobsLeaveRoomForInputAndStarts) {
  const std::string large = R"("run_at":)" + ms(10s) + R"(,"args":{"text":")" + std::string(400'000, 'x') + "\"}";
  for (int i = 0; i < 20; ++i) {
    job("account-" + std::to_string(i), "a", large);
    if (!task->wants_input()) commit();
  }
  commit();
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
