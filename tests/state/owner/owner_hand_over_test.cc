// How an owner gets a partition from one that may still work: it asks, and waits for the release.
#include "tests/state/owner/owner_fixture.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct HandingOver : Owning {
  // Another worker owns the partition, and its last record was written a second ago. Its log is about
  // to be read.
  void begin_to_read() {
    log.claim();
    log.commit();
    clock = seconds(1);
    make();
    give_bounds();
  }
  // It has been read.
  void find_owned() {
    begin_to_read();
    show();
    give_bounds();
  }
  // What was appended last lands in the log, and is read.
  void land_and_show() {
    land();
    show(now_ms());
  }
  [[nodiscard]] std::int64_t now_ms() const {
    return std::chrono::duration_cast<milliseconds>(clock).count() / 10;
  }
  [[nodiscard]] LogEntry last() const {
    return decode_log_entry(host.appends.back().record).value();
  }
  [[nodiscard]] bool has_claimed() const {
    return !host.appends.empty() && std::holds_alternative<Claim>(last());
  }
};

TEST_F(HandingOver, AnOwnerThatMayWorkIsAskedAndNotDisplaced) {
  find_owned();
  EXPECT_EQ(owner->phase(), Phase::kAsking);
  ASSERT_EQ(host.appends.size(), 1u);
  const auto request = std::get<HandOverRequest>(last());
  EXPECT_EQ(request.epoch, log.epoch);
  EXPECT_EQ(request.instance, "me");
  EXPECT_EQ(request.nonce, 99u);
}

TEST_F(HandingOver, TheClaimFollowsTheReleaseAndNeedNotWait) {
  find_owned();
  land_and_show();
  log.commit({{"a", "7"}});
  show();
  EXPECT_FALSE(has_claimed());
  log.release();
  show();
  EXPECT_TRUE(has_claimed());
  land_and_show();
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kRunning);
  EXPECT_EQ(row(), "7");
}

TEST_F(HandingOver, AReleasedPartitionIsClaimedWithoutAQuestion) {
  log.claim();
  log.commit();
  log.release();
  clock = seconds(1);
  make();
  give_bounds();
  show();
  EXPECT_TRUE(has_claimed());
}

TEST_F(HandingOver, AnOwnerWhoseLeaseIsOverIsNotAsked) {
  log.claim();
  log.commit();
  clock = rules.take_over_wait(rules.lease) + seconds(1);
  make();
  give_bounds();
  show();
  EXPECT_TRUE(has_claimed());
}

TEST_F(HandingOver, WhatAnOwnerWritesWhileItsLogIsReadForLongIsReadBeforeItIsJudged) {
  begin_to_read();
  clock = seconds(30);
  show();
  EXPECT_EQ(owner->phase(), Phase::kPreread);
  log.commit();
  show(15'000);
  give_bounds();
  EXPECT_EQ(owner->phase(), Phase::kAsking);
  EXPECT_FALSE(has_claimed());
}

TEST_F(HandingOver, AnOwnerThatWritesNothingWhileItsLogIsReadForLongIsReplaced) {
  begin_to_read();
  clock = seconds(30);
  show();
  EXPECT_TRUE(host.appends.empty());
  give_bounds();
  EXPECT_TRUE(has_claimed());
}

TEST_F(HandingOver, AnOwnerThatIsSilentForTwoRenewalsIsNotWaitedForAnyLonger) {
  find_owned();
  clock = rules.lease * 2 / 5;
  owner->tick(now());
  EXPECT_FALSE(has_claimed());
  clock += milliseconds(2);
  owner->tick(now());
  EXPECT_TRUE(has_claimed());
}

TEST_F(HandingOver, AnOwnerThatHasBeenSilentForLongHasALastChance) {
  log.claim();
  log.commit();
  clock = seconds(14);
  make();
  give_bounds();
  show();
  EXPECT_EQ(owner->phase(), Phase::kAsking);
  clock += HandOver::kLastChance - milliseconds(1);
  owner->tick(now());
  EXPECT_FALSE(has_claimed());
  clock += milliseconds(1);
  owner->tick(now());
  EXPECT_TRUE(has_claimed());
}

TEST_F(HandingOver, AnOwnerThatIsHeardIsWaitedForButNotForEver) {
  find_owned();
  for (; clock < seconds(60); clock += seconds(5)) {
    log.commit();
    show();
    owner->tick(now());
    EXPECT_FALSE(has_claimed()) << clock / seconds(1);
  }
  clock = seconds(62);
  log.commit();
  show();
  owner->tick(now());
  EXPECT_TRUE(has_claimed());
}

TEST_F(HandingOver, ARequestThatMayBeLostIsRepeated) {
  host.buffer_full = true;
  find_owned();
  EXPECT_TRUE(host.appends.empty());
  host.buffer_full = false;
  owner->tick(now());
  ASSERT_EQ(host.appends.size(), 1u);
  owner->appended(host.appends.back().number, {{}, "the broker has gone"}, now());
  EXPECT_EQ(owner->phase(), Phase::kAsking);
  clock += HandOver::kAskAgainAfter;
  owner->tick(now());
  EXPECT_EQ(host.appends.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<HandOverRequest>(last()));
}

TEST_F(HandingOver, AnOwnerThatWorksIsAskedInAGoodMoment) {
  host.is_good_moment = false;
  find_owned();
  EXPECT_TRUE(host.appends.empty());
  host.is_good_moment = true;
  owner->tick(now());
  EXPECT_EQ(host.appends.size(), 1u);
}

TEST_F(HandingOver, AGoodMomentIsNotWaitedForForEver) {
  host.is_good_moment = false;
  find_owned();
  for (; clock < HandOver::kWaitsForAGoodMoment; clock += seconds(5)) {
    log.commit();
    show();
    owner->tick(now());
    EXPECT_TRUE(host.appends.empty());
  }
  clock += seconds(1);
  log.commit();
  show();
  EXPECT_EQ(host.appends.size(), 1u);
}

TEST_F(HandingOver, AnOwnerIsAskedOnceItsLogHasBeenReadToWhereItEndsByNow) {
  begin_to_read();
  show();
  EXPECT_EQ(host.bounds_asked, 2);
  EXPECT_TRUE(host.appends.empty());
  for (std::int64_t i = 0; i <= HandOver::kFewRecords; ++i) log.commit();
  give_bounds();
  EXPECT_TRUE(host.appends.empty());
  show();
  EXPECT_EQ(host.bounds_asked, 3);
  EXPECT_TRUE(host.appends.empty());
  give_bounds();
  EXPECT_EQ(host.appends.size(), 1u);
}

TEST_F(HandingOver, WhereTheLogEndsNeedNotBeKnown) {
  begin_to_read();
  show();
  owner->bounds(failure("no broker answers"), now());
  EXPECT_EQ(host.appends.size(), 1u);
}

TEST_F(HandingOver, WhoeverClaimsMeanwhileIsAskedAnew) {
  find_owned();
  const Offset first = log.epoch;
  log.claim(2);
  show();
  give_bounds();
  const auto request = std::get<HandOverRequest>(last());
  EXPECT_NE(request.epoch, first);
  EXPECT_EQ(request.epoch, log.epoch);
}

TEST_F(HandingOver, TheLoopsOwnLastTenureIsNotAsked) {
  log.claim();
  log.commit();
  clock = seconds(1);
  make({log.epoch, {}, log.epoch, topic});
  give_bounds();
  show();
  EXPECT_TRUE(has_claimed());
}

TEST_F(HandingOver, AStandbyDropsIfAnOwnerMayLive) {
  log.claim();
  log.commit();
  clock = seconds(1);
  make({}, Owner::Claims::kNobody);
  give_bounds();
  show();
  EXPECT_EQ(host.dropped_reason, Owner::kTaken);
  EXPECT_TRUE(host.appends.empty());
}

TEST_F(HandingOver, ALogThatIsCutWhileItsOwnerIsAskedIsReadFromItsStart) {
  find_owned();
  owner->out_of_range(now());
  EXPECT_EQ(owner->phase(), Phase::kBounds);
  EXPECT_EQ(host.bounds_asked, 3);
}

TEST_F(HandingOver, AnOwnerLearnsOfARequestBeforeItsNextCommitCounts) {
  run();
  log.add(encode(HandOverRequest{7, owner->epoch(), "you"}));
  commit();
  land();
  EXPECT_FALSE(owner->is_asked_for());
  show();
  EXPECT_TRUE(owner->is_asked_for());
  EXPECT_EQ(host.counted_seqs, std::vector<std::uint64_t>{1});
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(HandingOver, ARequestToAnotherEpochSaysNothing) {
  run();
  log.add(encode(HandOverRequest{7, Offset{owner->epoch().value + 1}, "you"}));
  commit();
  land();
  show();
  EXPECT_FALSE(owner->is_asked_for());
  EXPECT_EQ(host.counted_seqs, std::vector<std::uint64_t>{1});
}

}  // namespace
}  // namespace penstock
