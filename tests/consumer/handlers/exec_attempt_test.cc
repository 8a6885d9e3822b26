#include "consumer/handlers/exec/exec_attempt.h"

#include <gtest/gtest.h>

#include "tests/consumer/handlers/test_mailbox.h"

namespace penstock {
namespace {

constexpr ExecAttempt::Clock::time_point kStart{std::chrono::hours(1)};

struct ExecAttempts : testing::Test {
  TestMailbox mailbox;
  int rooms = 0;  // how often there was room again
  ExecAttempt attempt{{timed_request(), &mailbox}, kStart, [this] { ++rooms; }};

  static AttemptRequest timed_request() {
    AttemptRequest made = request(1);
    made.timeout = std::chrono::seconds(10);
    return made;
  }
};

TEST_F(ExecAttempts, TimesOutAfterItsLastSignOfLife) {
  EXPECT_EQ(attempt.due(), kStart + std::chrono::seconds(10));
  const auto later = kStart + std::chrono::seconds(9);
  attempt.progress({1, 2}, later);
  EXPECT_FALSE(attempt.is_over(kStart + std::chrono::seconds(10)));
  EXPECT_TRUE(attempt.is_over(later + std::chrono::seconds(10)));
}

TEST_F(ExecAttempts, StopsAtTheCheckpointAfterItWasAsked) {
  EXPECT_FALSE(attempt.checkpoint({"1"}, kStart));
  EXPECT_FALSE(attempt.has_stopped());
  attempt.ask_to_stop();
  EXPECT_FALSE(attempt.has_stopped());
  EXPECT_TRUE(attempt.checkpoint({"2"}, kStart));
  EXPECT_TRUE(attempt.has_stopped());
}

TEST_F(ExecAttempts, HasRoomAgainOnceItsReportsAreTakenOver) {
  mailbox.take_nothing_over();
  while (attempt.has_room()) attempt.progress({1, 2}, kStart);
  EXPECT_EQ(mailbox.size(), ReportWindow::kMaxReports);
  mailbox.take_all_over();
  EXPECT_TRUE(attempt.has_room());
  EXPECT_GT(rooms, 0);
}

TEST_F(ExecAttempts, PostsItsOutcomeLast) {
  attempt.progress({1, 2}, kStart);
  attempt.end({Interrupted{"stopped"}, {}, {}});
  ASSERT_EQ(mailbox.size(), 2u);
  EXPECT_EQ(as<Interrupted>(mailbox.outcome()).reason, "stopped");
}

}  // namespace
}  // namespace penstock
