#include "topics/embedded/appends.h"

#include <gtest/gtest.h>

#include "tests/topics/embedded/silent_listener.h"

namespace penstock::embedded {
namespace {

struct HeardAppends final : SilentListener {
  std::vector<Ticket> tickets;
  void on_appended(Lane, Ticket ticket, const Appended&) override { tickets.push_back(ticket); }
};

struct AppendsTest : testing::Test {
  Appends appends;
  HeardAppends heard;

  void answer(const AppendId& id, std::size_t bytes) {
    std::vector<AppendAnswer> answers{{id, bytes, {Offset{0}, {}}}};
    appends.answered(answers);
    EXPECT_TRUE(answers.empty());
  }
};

TEST_F(AppendsTest, AreReportedInTheOrderOfTheirAnswers) {
  appends.sent(10);
  appends.sent(10);
  answer(appends.id(Lane::kState, 2), 10);
  answer(appends.id(Lane::kState, 1), 10);
  EXPECT_TRUE(appends.has_news());
  EXPECT_TRUE(appends.tell(heard));
  EXPECT_EQ(heard.tickets, (std::vector<Ticket>{2, 1}));
  EXPECT_FALSE(appends.has_news());
  EXPECT_FALSE(appends.tell(heard));
}

TEST_F(AppendsTest, OfARenewedLaneAreNotReported) {
  appends.sent(10);
  appends.sent(10);
  const AppendId before = appends.id(Lane::kState, 1), other = appends.id(Lane::kOutbox, 2);
  appends.renew(Lane::kState);
  answer(before, 10);
  answer(other, 10);
  EXPECT_TRUE(appends.tell(heard));
  EXPECT_EQ(heard.tickets, std::vector<Ticket>{2});
}

TEST_F(AppendsTest, ARefusalIsReportedOnce) {
  appends.refuse(appends.id(Lane::kState, 1), "too large", Refusal::kTooLarge);
  EXPECT_TRUE(appends.has_news());
  EXPECT_TRUE(appends.tell(heard));
  EXPECT_FALSE(appends.tell(heard));
  EXPECT_EQ(heard.tickets, std::vector<Ticket>{1});
}

TEST_F(AppendsTest, TheOutboxLeavesRoomForTheState) {
  appends.sent(kMaxOutboxBytesInFlight);
  EXPECT_FALSE(appends.has_room(Lane::kOutbox, 1));
  EXPECT_TRUE(appends.has_room(Lane::kState, kMaxAppendBytesInFlight - kMaxOutboxBytesInFlight));
  EXPECT_FALSE(
      appends.has_room(Lane::kState, kMaxAppendBytesInFlight - kMaxOutboxBytesInFlight + 1));
}

TEST_F(AppendsTest, ASingleOneAlwaysHasRoom) {
  EXPECT_TRUE(appends.has_room(Lane::kOutbox, 2 * kMaxAppendBytesInFlight));
}

TEST_F(AppendsTest, TheReportedGiveTheirRoomBack) {
  appends.sent(kMaxAppendBytesInFlight);
  EXPECT_FALSE(appends.has_room(Lane::kState, 1));
  answer(appends.id(Lane::kState, 1), kMaxAppendBytesInFlight);
  EXPECT_FALSE(appends.has_room(Lane::kState, 1));
  EXPECT_TRUE(appends.tell(heard));
  EXPECT_TRUE(appends.has_room(Lane::kState, 1));
}

}  // namespace
}  // namespace penstock::embedded
