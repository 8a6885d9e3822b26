// How long an owner waits for the one before it, and whom it does not wait for.
#include "tests/state/owner/owner_fixture.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(Owning, WaitsTheLeaseFromTheLastRecordOfTheOldOwner) {
  log.claim();
  log.commit();
  run(1000);  // the claim lies one second behind the last commit
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  EXPECT_FALSE(owner->may_start(now()));
  EXPECT_TRUE(owner->may_commit());
  clock += rules.take_over_wait() - seconds(1) - milliseconds(1);
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  clock += milliseconds(1);
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(Owning, TheWaitHoldsTheLeaseTheClocksRatesAndTheBrokersSkew) {
  EXPECT_GE(rules.take_over_wait(), rules.lease + rules.lease / 100 + milliseconds(500));
  EXPECT_LE(rules.take_over_wait(), rules.lease * 11 / 10 + milliseconds(500));
}

TEST_F(Owning, AClaimOfTheOldOwnerCountsForTheWaitAsACommitDoes) {
  log.claim();
  run(1000);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait() - seconds(1));
}

TEST_F(Owning, NeedNotWaitWhenMoreThanTheLeaseLiesBetween) {
  log.claim();
  log.commit();
  run(20'000);
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(Owning, NeedNotWaitBehindARelease) {
  log.claim();
  log.commit();
  log.release();
  run(1);
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(Owning, WaitsInFullWhenTheBrokersTimeWentBack) {
  log.claim();
  run(-1000);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait());
}

TEST_F(Owning, BehindItsOwnEpochItWaitsOnlyForItsOwnEarlierWait) {
  log.claim();
  log.commit();
  run(1, {Offset{0}, Instant(clock + seconds(3))});
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  EXPECT_EQ(owner->wait_until(), Instant(clock + seconds(3)));
  clock += seconds(3);
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(Owning, BehindAnothersEpochItsOwnEarlierTenureDoesNotHelp) {
  log.claim();
  log.claim(2);
  run(1, {Offset{0}, Instant(clock)});
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
}

// -- Claims of this loop that nothing ran under: their acknowledgement was lost

TEST_F(Owning, ALostClaimOfItsOwnIsLookedThrough) {
  log.claim();
  log.commit();
  log.claim(98);
  log.claim(95);
  run(1000);  // three seconds behind the commit
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait() - seconds(3));
}

TEST_F(Owning, ALostClaimOfAnotherLoopIsNot) {
  log.claim();
  log.commit();
  log.claim(89);
  run(1000);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait() - seconds(1));
}

TEST_F(Owning, BehindALostClaimItsOwnLastTenureIsStillItsOwn) {
  log.claim(95);
  log.commit();
  log.claim(98);
  run(1, {Offset{0}, Instant(clock)});
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(Owning, AClaimOfItsOwnThatHasWorkedIsNotLookedThrough) {
  log.claim();
  log.claim(95);  // restored, and waiting for the one before it when it was dropped
  run(20'000, {Offset{1}, Instant(clock + seconds(3))});
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  EXPECT_EQ(owner->wait_until(), Instant(clock + seconds(3)));
}

TEST_F(Owning, AReleasedLogBehindALostClaimNeedsNoWait) {
  log.claim();
  log.commit();
  log.release();
  log.claim(95);
  run(1);
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

// -- Where the group does not say whose the partition is

struct Unconfirmed : Owning {
  // Reads the log where its last tenure had this epoch, and claims if it may.
  void read_after(Offset last) {
    make({last, Instant(clock)}, true);
    give_bounds();
    show();
  }
};

TEST_F(Unconfirmed, ClaimsOnlyBehindItsOwnLastTenureWhereItIsToldTo) {
  log.claim(95);
  log.commit();
  read_after(Offset{0});
  EXPECT_EQ(owner->phase(), Phase::kClaiming);
}

TEST_F(Unconfirmed, AndBehindItsOwnLostClaims) {
  log.claim(95);
  log.commit();
  log.claim(98);
  read_after(Offset{0});
  EXPECT_EQ(owner->phase(), Phase::kClaiming);
}

TEST_F(Unconfirmed, LeavesAloneWhatAnotherHasClaimedSince) {
  log.claim(95);
  log.commit();
  log.claim();
  read_after(Offset{0});
  EXPECT_EQ(host.dropped_reason, Owner::kTaken);
  EXPECT_TRUE(host.appends.empty());
}

TEST_F(Unconfirmed, LeavesAloneWhatItHasNeverHad) {
  read_after(Offset{-1});
  EXPECT_EQ(host.dropped_reason, Owner::kTaken);
}

}  // namespace
}  // namespace penstock
