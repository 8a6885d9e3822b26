// What a handler reports while its loop takes over nothing, as while Kafka accepts no commit.
#include "consumer/handlers/protocol/report_window.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "consumer/handlers/native/pool_executor.h"
#include "timed_out.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

TEST(ReportWindow, IsFullByCountAndByBytesAndHasRoomAgainWithAReceipt) {
  int room = 0;
  const auto window = std::make_shared<ReportWindow>([&] { ++room; });
  std::vector<Receipt> receipts;
  for (std::size_t i = 0; i < ReportWindow::kMaxReports; ++i) {
    EXPECT_TRUE(window->has_room());
    receipts.push_back(window->add(1));
  }
  EXPECT_FALSE(window->has_room());
  receipts.pop_back();
  EXPECT_TRUE(window->has_room());
  receipts.clear();
  EXPECT_EQ(room, 1) << "it is told once";
  std::optional<Receipt> large = window->add(ReportWindow::kMaxReportBytes);
  EXPECT_FALSE(window->has_room());
  large.reset();
  EXPECT_TRUE(window->has_room());
}

TEST(ReportWindow, AReceiptMayOutliveTheAttempt) {
  auto window = std::make_shared<ReportWindow>([] { ADD_FAILURE() << "nobody waits"; });
  std::vector<Receipt> receipts;
  for (std::size_t i = 0; i < ReportWindow::kMaxReports; ++i) receipts.push_back(window->add(1));
  window->close();
  EXPECT_TRUE(window->has_room());
  window.reset();
  receipts.clear();
}

class Reports : public testing::Test {
 protected:
  PoolExecutor& with(HandlerFunction handler) {
    return pool_.emplace(1, HandlerTable{{"webhook.send", std::move(handler)}});
  }
  void TearDown() override { pool_.reset(); }

  TestMailbox mailbox_;
  std::optional<PoolExecutor> pool_;
};

TEST_F(Reports, AHandlerWaitsAtItsCheckpointAndDoesNotTimeOutMeanwhile) {
  constexpr std::size_t kCount = ReportWindow::kMaxReports * 20;
  AttemptRequest attempt = request(1);
  attempt.timeout = 1s;
  mailbox_.take_nothing_over();
  auto& pool = with([](Attempt& running) {
    for (std::size_t i = 0; i < kCount; ++i) running.checkpoint(i);
    return done();
  });
  pool.start(std::move(attempt), mailbox_);
  ASSERT_TRUE(mailbox_.holds(ReportWindow::kMaxReports));
  wait_for_timeout(1500ms);
  EXPECT_EQ(mailbox_.size(), ReportWindow::kMaxReports);
  mailbox_.take_all_over();
  as<Done>(mailbox_.outcome());
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(mailbox_.next<Checkpoint>()->cursor, std::to_string(i));
  }
}

TEST_F(Reports, AHandlerThatWaitsIsTornAwayWithItsLease) {
  Flag lost;
  mailbox_.take_nothing_over();
  auto& pool = with([&](Attempt& running) {
    try {
      for (int i = 0;; ++i) running.checkpoint(i);
    } catch (const AttemptLost&) {
      lost.set();
      throw;
    }
    return done();
  });
  pool.start(request(1), mailbox_);
  ASSERT_TRUE(mailbox_.holds(ReportWindow::kMaxReports));
  pool.kill(request(1).key);
  EXPECT_TRUE(lost.wait());
}

TEST_F(Reports, AHandlerThatWaitsStopsWithThePool) {
  mailbox_.take_nothing_over();
  with([](Attempt& running) {
    for (int i = 0;; ++i) running.checkpoint(i);
    return done();
  }).start(request(1), mailbox_);
  ASSERT_TRUE(mailbox_.holds(ReportWindow::kMaxReports));
  pool_.reset();
  as<Interrupted>(mailbox_.outcome());
}

}  // namespace
}  // namespace penstock
