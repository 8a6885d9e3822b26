#include "state/log/follower.h"

#include <gtest/gtest.h>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "state/store/memory_store.h"
#include "tests/state/log/log_writer.h"

namespace penstock {
namespace {

using V = Follower::Verdict;

struct Following : testing::Test {
  MemoryStore store;
  LogWriter log;
  [[nodiscard]] std::string row(std::string_view key) {
    std::string value;
    return store.get(key, &value) ? value : "(none)";
  }
};

TEST_F(Following, ClaimsCommitsAndAReleaseInOrderCount) {
  log.claim();
  log.commit({{"a", "1"}});
  log.commit({{"a", "2"}});
  log.release();
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log), std::vector<V>(4, V::kHonoured));
  EXPECT_EQ(row("a"), "2");
  EXPECT_TRUE(follower.released());
  EXPECT_EQ(follower.seq(), 3u);
  EXPECT_EQ(follower.generation(), 5u);
  EXPECT_EQ(follower.last_time(), at_ms(3));
  EXPECT_EQ(store.position()->at, Offset{3});
  EXPECT_TRUE(store.position()->released);
}

TEST_F(Following, ARequestNeverCounts) {
  log.add(encode(HandOverRequest{1, Offset{0}, "asker"}));
  log.claim();
  log.commit({{"a", "1"}});
  log.add(encode(HandOverRequest{1, log.epoch, "asker"}));
  log.commit({{"a", "2"}});
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log),
            (std::vector<V>{V::kIgnored, V::kHonoured, V::kHonoured, V::kIgnored, V::kHonoured}));
  EXPECT_EQ(row("a"), "2");
  EXPECT_EQ(follower.asked_for(), log.epoch);
}

TEST_F(Following, AClaimThatReplacesAnotherEpochIsIgnored) {
  log.claim();
  log.add(encode(Claim{2, 5, Offset{-1}, "late"}));
  log.commit({{"a", "1"}});
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log), (std::vector<V>{V::kHonoured, V::kIgnored, V::kHonoured}));
  EXPECT_EQ(follower.epoch(), Offset{0});
}

TEST_F(Following, WhatADisplacedOwnerAppendsIsIgnored) {
  log.claim();
  log.commit({{"a", "1"}});
  LogWriter zombie = log;
  log.claim(2);
  zombie.commit({{"a", "zombie"}});
  log.add(zombie.records.back());
  log.commit({{"b", "2"}});
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log),
            (std::vector<V>{V::kHonoured, V::kHonoured, V::kHonoured, V::kIgnored, V::kHonoured}));
  EXPECT_EQ(row("a"), "1");
  EXPECT_EQ(row("b"), "2");
}

TEST_F(Following, ACommitThatLeavesOneOutIsIgnored) {
  log.claim();
  log.commit();
  log.add(encode(Commit{log.epoch, log.seq + 2, log.hash, rows_of({{"a", "1"}})}));
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log).back(), V::kIgnored);
  EXPECT_EQ(row("a"), "(none)");
}

TEST_F(Following, ACommitOnAnotherChainIsIgnored) {
  log.claim();
  log.commit();
  log.add(encode(Commit{log.epoch, log.seq + 1, log.hash + 1, rows_of({{"a", "1"}})}));
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log).back(), V::kIgnored);
}

TEST_F(Following, ARepeatedCommitCountsOnce) {
  log.claim();
  log.commit({{"a", "1"}});
  log.add(log.records.back());
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log), (std::vector<V>{V::kHonoured, V::kHonoured, V::kIgnored}));
  EXPECT_EQ(store.position()->at, Offset{1});
}

TEST_F(Following, NothingOfAnEpochCountsBehindItsRelease) {
  log.claim();
  log.release();
  log.commit({{"a", "1"}});
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log).back(), V::kIgnored);
}

TEST_F(Following, AClaimBehindAReleaseGoesOnWithItsChain) {
  log.claim();
  log.commit();
  log.release();
  log.claim(2);
  log.commit({{"a", "1"}});
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log), std::vector<V>(5, V::kHonoured));
  EXPECT_FALSE(follower.released());
}

TEST_F(Following, TheFirstRecordIsTheRootWhateverItIs) {
  log.claim();
  log.commit({{"a", "1"}});
  log.commit({{"b", "2"}});
  log.commit({{"c", "3"}});
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log, 2), std::vector<V>(2, V::kHonoured));
  EXPECT_EQ(row("a"), "(none)");
  EXPECT_EQ(row("c"), "3");
  EXPECT_EQ(follower.epoch(), Offset{0});
}

TEST_F(Following, ALogThatBeginsPastItsBaseIsNotWhole) {
  log.claim();
  log.commit();
  log.commit({{"b", "2"}});
  Follower follower(store);
  feed_all(follower, log, 2);
  EXPECT_FALSE(follower.whole());
}

TEST_F(Following, ALogThatBeginsWithACommitAtItsFirstOffsetIsNotWhole) {
  log.claim();
  log.commit({{"a", "1"}});
  log.records.erase(log.records.begin());
  Follower follower(store);
  feed_all(follower, log);
  EXPECT_FALSE(follower.whole());
}

TEST_F(Following, ALogThatBeginsWithAClaimAfterAnotherIsNotWhole) {
  log.claim();
  log.claim(2);
  log.commit({{"a", "1"}});
  log.records.erase(log.records.begin());
  Follower follower(store);
  feed_all(follower, log);
  EXPECT_FALSE(follower.whole());
}

// The last commit of a sweep, retried onto a log that was created again.
TEST_F(Following, ABaseThatLiesPastItsCommitIsOfAnotherLog) {
  std::string base;
  put_i64(base, 5000);
  log.claim();
  log.commit({{std::string(keys::kMetaBase), base}});
  log.records.erase(log.records.begin());
  Follower follower(store);
  feed_all(follower, log);
  EXPECT_FALSE(follower.whole());
}

TEST_F(Following, ACopyIsOfTheTopicThatItWasMadeFrom) {
  log.claim();
  log.commit({{"a", "1"}});
  {
    Follower first(store);
    EXPECT_TRUE(first.is_of({1, 2}));
    feed_all(first, log);
  }
  Follower second(store);
  EXPECT_EQ(second.log(), (TopicUuid{1, 2}));
  EXPECT_FALSE(second.is_of({1, 3}));
  EXPECT_TRUE(second.is_of({}));
  EXPECT_TRUE(second.is_of({1, 2}));
}

TEST_F(Following, ALogThatBeginsAtItsBaseIsWhole) {
  std::string base;
  put_i64(base, 2);
  log.claim();
  log.commit();
  log.commit({{"b", "2"}});
  log.commit({{std::string(keys::kMetaBase), base}});
  Follower follower(store);
  feed_all(follower, log, 2);
  EXPECT_TRUE(follower.whole());
}

TEST_F(Following, ALogThatBeginsWithADisplacedOwnersCommitIsNotWhole) {
  log.claim();
  log.commit({{"a", "1"}});
  LogWriter zombie = log;
  log.claim(2);
  zombie.commit({{"a", "zombie"}});
  log.add(zombie.records.back());
  log.commit({{"b", "2"}});
  Follower follower(store);
  EXPECT_EQ(feed_all(follower, log, 3), (std::vector<V>{V::kHonoured, V::kIgnored}));
  EXPECT_FALSE(follower.whole());
}

TEST_F(Following, ACopyBegunPastTheBaseIsNotWholeForALaterProcessEither) {
  log.claim();
  log.commit({{"a", "1"}});
  log.commit({{"b", "2"}});
  {
    Follower interrupted(store);
    feed_all(interrupted, log, 2);
  }
  Follower follower(store);
  feed_all(follower, log, 2);
  EXPECT_FALSE(follower.whole());
  std::string base;
  put_i64(base, 2);
  log.commit({{std::string(keys::kMetaBase), base}});
  feed_all(follower, log, 3);
  EXPECT_TRUE(follower.whole());  // the sweep that was under way has carried what lay before
}

TEST_F(Following, ALocalCopyGoesOnFromItsLastRecord) {
  log.claim();
  log.commit({{"a", "1"}});
  {
    Follower first(store);
    feed_all(first, log);
  }
  log.commit({{"b", "2"}});
  log.claim(2);
  Follower second(store);
  EXPECT_EQ(second.begin(Offset{0}), Offset{1});
  EXPECT_EQ(feed_all(second, log, 1), std::vector<V>(3, V::kHonoured));
  EXPECT_EQ(row("b"), "2");
  EXPECT_EQ(second.epoch(), Offset{3});
}

TEST_F(Following, ALocalCopyOfAnotherLogIsAMismatchAndBeginsAnew) {
  log.claim();
  log.commit({{"a", "mine"}});
  {
    Follower first(store);
    feed_all(first, log);
  }
  LogWriter other;
  other.claim();
  other.commit({{"b", "other"}});
  Follower second(store);
  EXPECT_EQ(feed_all(second, other, 1).front(), V::kMismatch);
  ASSERT_TRUE(second.set_aside());
  EXPECT_EQ(second.begin(Offset{0}), Offset{0});
  EXPECT_EQ(feed_all(second, other), std::vector<V>(2, V::kHonoured));
  EXPECT_EQ(row("a"), "(none)");
  EXPECT_EQ(row("b"), "other");
}

TEST_F(Following, TheGenerationIsAlsoKnownFromTheRows) {
  std::string bytes;
  put_u32(bytes, 42);
  log.claim();
  log.commit({{std::string(keys::kMetaGeneration), bytes}});
  log.commit();
  Follower follower(store);
  feed_all(follower, log, 1);
  EXPECT_EQ(follower.generation(), 42u);
}

TEST_F(Following, ARecordThatIsNoEntryIsAnError) {
  Follower follower(store);
  EXPECT_FALSE(follower.feed(Offset{0}, "rubbish", at_ms(0)).has_value());
}

}  // namespace
}  // namespace penstock
