// The receiving end: which records are messages to this partition, and what is told of a jump.
#include "state/log/arrivals.h"

#include <gtest/gtest.h>

#include "state/log/outbox.h"
#include "state/store/memory_store.h"

namespace penstock {
namespace {

struct Receiving : testing::Test {
  MemoryStore store;
  View view{store};
  Arrivals arrivals{view, "penstock.mail/3"};
  std::int64_t offset = 0;

  bool take(std::uint64_t seq, std::uint64_t oldest, const std::string& source = "a/0@1") {
    const std::string message = source + ">penstock.mail/3#" + std::to_string(seq);
    const std::string number = std::to_string(oldest);
    const std::vector<HeaderView> headers{{kOldestHeader, number}, {kMessageHeader, message}};
    const auto origin = arrivals.addressed(headers);
    EXPECT_TRUE(origin.has_value());
    return origin && arrivals.take(*origin, Offset{offset++});
  }
  bool addressed(const std::string& header) {
    const HeaderView one{kMessageHeader, header};
    return arrivals.addressed({&one, 1}).has_value();
  }
};

TEST_F(Receiving, AMessageNamesThisVeryPartition) {
  EXPECT_TRUE(addressed("penstock.mail/0@5>penstock.mail/3#1"));
  EXPECT_FALSE(addressed("penstock.mail/0@5>penstock.mail.dead/3#1"));
  EXPECT_FALSE(addressed("penstock.mail/0@5>penstock.mail/30#1"));
  EXPECT_FALSE(addressed("penstock.mail/0@5>penstock.mail/4#1"));
  EXPECT_FALSE(addressed("rubbish"));
}

TEST_F(Receiving, EachSourceIsCountedByItself) {
  EXPECT_TRUE(take(1, 1));
  EXPECT_TRUE(take(1, 1, "b/0@1"));
  EXPECT_FALSE(take(1, 1));
}

// Its name has the generation of its state log.
TEST_F(Receiving, ASourceWhoseStateIsMadeAnewBeginsAgainAtOne) {
  EXPECT_TRUE(take(1, 1, "a/0@1"));
  EXPECT_TRUE(take(2, 2, "a/0@1"));
  EXPECT_TRUE(take(1, 1, "a/0@2"));
}

TEST_F(Receiving, AJumpIsToldAndCounted) {
  EXPECT_TRUE(take(1, 1));
  EXPECT_TRUE(take(5, 5));
  EXPECT_EQ(arrivals.jumps(), 1u);
  EXPECT_EQ(arrivals.missed(), 3u);
  const auto notices = arrivals.take_notices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_TRUE(notices[0].starts_with("messages 2 to 4 from a/0@1 ")) << notices[0];
  EXPECT_TRUE(arrivals.take_notices().empty());
}

TEST_F(Receiving, NoMoreNoticesAreKeptThanTheMaximum) {
  for (std::size_t i = 0; i < Arrivals::kMaxNotices + 3; ++i)
    EXPECT_TRUE(take(5, 5, "a/" + std::to_string(i) + "@1"));
  const auto notices = arrivals.take_notices();
  ASSERT_EQ(notices.size(), Arrivals::kMaxNotices + 1);
  EXPECT_TRUE(notices.back().starts_with("and 3 more jumps")) << notices.back();
}

TEST_F(Receiving, AGapIsRememberedWithTheRows) {
  EXPECT_TRUE(take(1, 1));
  arrivals.skipped_to(Offset{offset += 3});
  Arrivals next(view, "penstock.mail/3");
  next.restored();
  EXPECT_TRUE(next.take({"a/0@1", "penstock.mail/3", 5, 2}, Offset{offset}));
}

TEST(MessageHeader, IsParsedAndRubbishIsNot) {
  const auto origin = parse_message_header("penstock.mail/0@5>penstock.mail/3#12");
  ASSERT_TRUE(origin.has_value());
  EXPECT_EQ(origin->source, "penstock.mail/0@5");
  EXPECT_EQ(origin->place, "penstock.mail/3");
  EXPECT_EQ(origin->seq, 12u);
  for (const char* bad : {"", "a", "a>b", "a>b#", "a>b#x", "a>b#0", "a#1>b", "a>b#1x", "a>b#-1"}) {
    EXPECT_FALSE(parse_message_header(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace penstock
