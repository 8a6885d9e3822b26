// Which numbers of one source are taken: in order while nothing is missing, and all that still come
// behind a gap.
#include "state/log/source_mark.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace penstock {
namespace {

// A receiver that reads a log: each message lies one offset behind the one before.
struct Reading {
  SourceMark mark;
  Offset at{0}, gap{-1};
  std::vector<std::uint64_t> missed;

  bool take(std::uint64_t seq, std::uint64_t oldest) {
    const SourceMark::Answer answer = mark.take(seq, oldest, at, gap);
    at = at.next();
    for (const auto& [first, last] : answer.missed) {
      for (std::uint64_t i = first; i <= last; ++i) missed.push_back(i);
    }
    mark = SourceMark::decode(mark.encode());
    return answer.taken;
  }
  void skip() { gap = at = at.next(); }
};

using Numbers = std::vector<std::uint64_t>;

TEST(SourceMark, TakesOnlyTheNumberBehindTheLastWhileNothingIsMissing) {
  Reading reader;
  EXPECT_TRUE(reader.take(1, 1));
  EXPECT_FALSE(reader.take(1, 1));
  EXPECT_FALSE(reader.take(3, 2));
  EXPECT_TRUE(reader.take(2, 2));
  EXPECT_TRUE(reader.take(3, 2));
  EXPECT_TRUE(reader.missed.empty());
}

TEST(SourceMark, GoesOnBehindWhatItsSenderHasHadAcknowledged) {
  Reading reader;
  EXPECT_TRUE(reader.take(1, 1));
  EXPECT_TRUE(reader.take(5, 5));
  EXPECT_EQ(reader.missed, (Numbers{2, 3, 4}));
  EXPECT_TRUE(reader.take(6, 6));
  EXPECT_FALSE(reader.take(3, 2));  // an old request that comes late
}

TEST(SourceMark, AMessageThatDoesNotSayWhatIsOldestIsNeverJumpedTo) {
  Reading reader;
  EXPECT_FALSE(reader.take(5, 0));
  EXPECT_TRUE(reader.take(1, 0));
}

// A burst, all of it emitted before anything was acknowledged.
TEST(SourceMark, BehindAGapTakesAlsoWhatItsSenderHadNotHadAcknowledged) {
  Reading reader;
  EXPECT_TRUE(reader.take(1, 1));
  reader.skip();  // over 2, 3, 4
  EXPECT_TRUE(reader.take(5, 2));
  EXPECT_TRUE(reader.take(6, 2));
  EXPECT_TRUE(reader.missed.empty());  // they may have failed, and come again
  EXPECT_TRUE(reader.take(7, 7));
  EXPECT_EQ(reader.missed, (Numbers{2, 3, 4}));
}

TEST(SourceMark, WhatWasLeftOutBehindAGapIsTakenOnceWhenItComesAfterAll) {
  Reading reader;
  reader.skip();
  EXPECT_TRUE(reader.take(5, 2));
  EXPECT_EQ(reader.missed, Numbers{1});
  EXPECT_TRUE(reader.take(3, 2));
  EXPECT_FALSE(reader.take(3, 2));
  EXPECT_TRUE(reader.take(2, 2));
  EXPECT_TRUE(reader.take(4, 2));
  EXPECT_FALSE(reader.take(5, 2));
  EXPECT_TRUE(reader.take(6, 6));
  EXPECT_EQ(reader.missed, Numbers{1});
}

TEST(SourceMark, OrderIsKeptAgainWhenAllUpToTheGapIsAcknowledged) {
  Reading reader;
  reader.skip();
  EXPECT_TRUE(reader.take(5, 5));
  EXPECT_TRUE(reader.take(6, 6));
  EXPECT_FALSE(reader.take(8, 7));
  EXPECT_TRUE(reader.take(7, 7));
}

// Under a load without end no message is the oldest itself.
TEST(SourceMark, ASteadyStreamIsTakenFromItsFirstMessageBehindAGapOn) {
  Reading reader;
  reader.skip();
  for (std::uint64_t seq = 500; seq < 600; ++seq) EXPECT_TRUE(reader.take(seq, seq - 5)) << seq;
  EXPECT_EQ(reader.missed.size(), 499u);
}

// An owner that was replaced emits again behind the gap, and what its successor has had acknowledged
// meanwhile lies in it: the line is contiguous up to the old owner's last message only.
TEST(SourceMark, StaysOpenWhereAnEarlierOwnersMessageComesFirstBehindAGap) {
  Reading reader;
  for (std::uint64_t seq = 1; seq <= 5; ++seq) EXPECT_TRUE(reader.take(seq, 1));
  reader.skip();  // over 7, and the first 6
  EXPECT_TRUE(reader.take(6, 4));
  EXPECT_TRUE(reader.take(8, 7));
  EXPECT_TRUE(reader.missed.empty());
  EXPECT_TRUE(reader.take(10, 7));  // 9 is not below its oldest, and lay in the gap too
  EXPECT_TRUE(reader.take(11, 11));
  EXPECT_EQ(reader.missed, (Numbers{7, 9}));
  EXPECT_TRUE(reader.take(12, 12));
  EXPECT_FALSE(reader.take(14, 13));  // in order again
}

TEST(SourceMark, HoldsNoMoreHolesThanItsMaximum) {
  Reading reader;
  reader.skip();
  for (std::uint64_t i = 1; i <= SourceMark::kMaxHoles + 2; ++i) {
    EXPECT_TRUE(reader.take(2 * i, 1));
  }
  EXPECT_EQ(reader.missed, (Numbers{1, 3}));
}

TEST(SourceMark, ReadsARowOfEarlierVersions) {
  SourceMark mark = SourceMark::decode(std::string("\0\0\0\0\0\0\0\7", 8));
  EXPECT_EQ(mark.last(), 7u);
  EXPECT_TRUE(mark.take(8, 0, Offset{3}, Offset{-1}).taken);
}

// Whatever a producer does with the order, as long as everything comes again after the last doubt.
RC_GTEST_PROP(SourceMark, EveryMessageIsTakenOnceAndInOrderUnderGoBackN, ()) {
  Reading reader;
  const std::uint64_t messages = *rc::gen::inRange<std::uint64_t>(1, 20);
  std::vector<std::uint64_t> taken;
  const auto arrive = [&](std::uint64_t seq) {
    // At most what has been taken can have been acknowledged.
    const auto oldest = *rc::gen::inRange<std::uint64_t>(0, reader.mark.last() + 2);
    if (reader.take(seq, std::min(seq, oldest))) taken.push_back(seq);
  };
  for (int left = *rc::gen::inRange(0, 100); left > 0; --left) {
    arrive(*rc::gen::inRange<std::uint64_t>(1, messages + 1));
  }
  for (std::uint64_t seq = 1; seq <= messages; ++seq) arrive(seq);
  RC_ASSERT(taken.size() == messages);
  for (std::uint64_t i = 0; i < messages; ++i) RC_ASSERT(taken[i] == i + 1);
  RC_ASSERT(reader.missed.empty());
}

// Behind gaps: never twice, and each number up to the last is taken, missed or still to come.
RC_GTEST_PROP(SourceMark, NothingIsTakenTwiceNorBothTakenAndMissed, ()) {
  Reading reader;
  std::set<std::uint64_t> seen;
  std::uint64_t oldest = 1;
  for (int left = *rc::gen::inRange(0, 200); left > 0; --left) {
    if (*rc::gen::inRange(0, 10) == 0) reader.skip();
    oldest += *rc::gen::inRange<std::uint64_t>(0, 3);
    const std::uint64_t seq = oldest + *rc::gen::inRange<std::uint64_t>(0, 8);
    const std::size_t missed = reader.missed.size();
    if (reader.take(seq, oldest)) RC_ASSERT(seen.insert(seq).second);
    for (std::size_t i = missed; i < reader.missed.size(); ++i)
      RC_ASSERT(seen.insert(reader.missed[i]).second);
  }
  const std::uint64_t last = reader.mark.last() + 1;
  (void)reader.take(last, last);
  for (const std::uint64_t one : reader.missed) seen.insert(one);
  for (std::uint64_t seq = 1; seq < last; ++seq) RC_ASSERT(seen.contains(seq));
}

}  // namespace
}  // namespace penstock
