// How long an owner waits for the one before it, and whom it does not wait for.
#include "state/log/follower.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "tests/state/owner/owner_fixture.h"

namespace penstock {
namespace {

std::string base_row(Offset base) {
  std::string row;
  put_i64(row, base.value);
  return row;
}

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(Owning, WaitsTheLeaseFromTheLastRecordOfTheOldOwner) {
  log.claim();
  log.commit();
  run(1000);  // the claim lies one second behind the last commit
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  EXPECT_FALSE(owner->may_start(now()));
  EXPECT_TRUE(owner->may_commit());
  clock += rules.take_over_wait(rules.lease) - seconds(1) - milliseconds(1);
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  clock += milliseconds(1);
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(Owning, TheWaitHoldsTheLeaseTheClocksRatesAndTheBrokersSkew) {
  EXPECT_GE(rules.take_over_wait(rules.lease), rules.lease + rules.lease / 100 + milliseconds(500));
  EXPECT_LE(rules.take_over_wait(rules.lease), rules.lease * 11 / 10 + milliseconds(500));
}

TEST_F(Owning, AClaimOfTheOldOwnerCountsForTheWaitAsACommitDoes) {
  log.claim();
  run(1000);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(rules.lease) - seconds(1));
}

TEST_F(Owning, WaitsByTheLeaseOfTheOldOwnerAndNotByItsOwn) {
  for (const milliseconds lease : {milliseconds(3'000), milliseconds(60'000)}) {
    log = {};
    ASSERT_TRUE(store.discard());
    host = {};
    log.claim(1, lease);
    log.commit();
    run(1000);
    EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(lease) - seconds(1));
  }
}

TEST_F(Owning, TheLeaseOfAnOwnerWhoseClaimWasCutOffIsInTheRows) {
  const Offset epoch = log.claim(1, seconds(60));
  log.commit();
  log.commit({{std::string(keys::kMetaLease), encode(LeaseRow{epoch, seconds(60)})},
              {std::string(keys::kMetaBase), base_row(Offset{1})}});
  make();
  give_bounds(Offset{1});
  show(0);
  land();
  show(0);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(seconds(60)));
}

TEST_F(Owning, ALeaseInTheRowsIsOnlyThatOfTheEpochThatWroteIt) {
  const Offset earlier = log.claim(1, seconds(60));
  log.commit({{std::string(keys::kMetaLease), encode(LeaseRow{earlier, seconds(60)})}});
  log.claim();
  log.commit({{std::string(keys::kMetaLease), encode(LeaseRow{earlier, seconds(60)})}});
  log.commit({{std::string(keys::kMetaBase), base_row(Offset{3})}});
  make();
  give_bounds(Offset{3});
  show(0);
  land();
  show(0);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(rules.lease));
}

TEST_F(Owning, WaitsForWhomADisplacedOwnerStillWaitedFor) {
  log.claim(1, seconds(60));
  log.commit();
  log.claim(2, seconds(3));  // a second later
  log.commit();
  run(1000);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(seconds(60)) - seconds(3));
}

TEST_F(Owning, BehindAReleaseNobodyBeforeIsWaitedFor) {
  log.claim(1, seconds(60));
  log.commit();
  log.claim(2, seconds(3));
  log.commit();
  log.release();
  log.claim(3, seconds(3));
  run(1000);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(seconds(3)) - seconds(1));
}

TEST_F(Owning, TheRowsOfADisplacedOwnerCoverItsOwnWait) {
  log.claim(1, seconds(60));
  log.commit();
  const Offset epoch = log.claim(2, seconds(3));
  log.commit();
  log.commit({{std::string(keys::kMetaLease), encode(LeaseRow{epoch, seconds(50)})},
              {std::string(keys::kMetaBase), base_row(Offset{3})}});
  make();
  give_bounds(Offset{3});  // no claim is read
  show(0);
  land();
  show(0);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(seconds(50)));
}

TEST_F(Owning, WhileItWaitsItsCommitsTellWhatIsLeftOfTheWait) {
  rules.lease = seconds(3);
  EXPECT_EQ(rules.in_rows(seconds(50)), seconds(50));
  EXPECT_EQ(rules.in_rows(seconds(2)), seconds(3));
  EXPECT_EQ(rules.in_rows(seconds(-1)), seconds(3));  // the wait is over
}

TEST_F(Owning, ItsClaimTellsItsLease) {
  rules.lease = seconds(4);
  make();
  give_bounds();
  EXPECT_EQ(std::get<Claim>(*decode_log_entry(host.appends.back().record)).lease, seconds(4));
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
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(rules.lease));
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

TEST_F(Owning, ALastTenureOfAnotherLogDoesNotHelp) {
  log.claim();
  log.commit();
  run(1, {Offset{0}, Instant(clock), Offset{0}, {7, 7}});
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  EXPECT_EQ(owner->tenure().since, owner->epoch());
}

TEST_F(Owning, ALastTenureOfTheSameLogDoes) {
  log.claim();
  log.commit();
  run(1, {Offset{0}, Instant(clock), Offset{0}, topic});
  EXPECT_EQ(owner->phase(), Phase::kRunning);
  EXPECT_EQ(owner->tenure().since, Offset{0});
  EXPECT_EQ(owner->tenure().log, topic);
}

// -- Claims of this loop that nothing ran under: their acknowledgement was lost

TEST_F(Owning, ALostClaimOfItsOwnIsLookedThrough) {
  log.claim();
  log.commit();
  log.claim(98);
  log.claim(95);
  run(1000);  // three seconds behind the commit
  EXPECT_EQ(owner->phase(), Phase::kWaiting);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(rules.lease) - seconds(3));
}

TEST_F(Owning, ALostClaimOfAnotherLoopIsNot) {
  log.claim();
  log.commit();
  log.claim(89);
  run(1000);
  EXPECT_EQ(owner->wait_until() - now().boot, rules.take_over_wait(rules.lease) - seconds(1));
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
    make({last, Instant(clock)}, Owner::Claims::kOwnLast);
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
