// When a commit counts, and what ends a tenure.
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "tests/state/owner/owner_fixture.h"

namespace penstock {
namespace {

using std::chrono::seconds;

TEST_F(Owning, ACommitCountsWithItsAcknowledgementAtTheNextOffset) {
  run();
  EXPECT_EQ(commit(), 1u);
  EXPECT_EQ(row(), "(none)");
  const Offset at = land();
  EXPECT_EQ(host.counted_seqs, std::vector<std::uint64_t>{1});
  EXPECT_EQ(row(), "1");
  EXPECT_EQ(owner->commits().last_counted(), at);
  EXPECT_EQ(store.position()->at, at);
  EXPECT_EQ(store.position()->epoch, owner->epoch());
}

TEST_F(Owning, CommitsCountInTheirOrderWhateverTheOrderOfTheirAcknowledgements) {
  run();
  commit("1");
  const Offset first = land(false);
  commit("2");
  land();
  EXPECT_TRUE(host.counted_seqs.empty());
  owner->appended(host.appends[1].number, {first, {}}, now());
  EXPECT_EQ(host.counted_seqs, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(row(), "2");
}

TEST_F(Owning, OnlySoManyCommitsAreInFlight) {
  run();
  for (std::size_t i = 0; i < PendingCommits::kMaxInFlight; ++i) {
    EXPECT_TRUE(owner->may_commit());
    commit();
  }
  EXPECT_FALSE(owner->may_commit());
  EXPECT_EQ(owner->commits().size(), PendingCommits::kMaxInFlight);
}

TEST_F(Owning, AGapIsReadBeforeTheCommitBehindItCounts) {
  run();
  log.add(encode(Commit{Offset{-1}, 9, 9, rows_of({{"a", "zombie"}})}));
  commit();
  land();
  EXPECT_TRUE(host.counted_seqs.empty());
  EXPECT_EQ(host.reading, owner->epoch().next());
  show();
  EXPECT_EQ(host.counted_seqs, std::vector<std::uint64_t>{1});
  EXPECT_EQ(row(), "1");
  EXPECT_FALSE(host.reading.has_value());
}

TEST_F(Owning, ARivalClaimInAGapDropsIt) {
  run();
  log.add(encode(Claim{5, 5, owner->epoch(), "rival"}));
  commit();
  land();
  show();
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_TRUE(host.counted_seqs.empty());
  EXPECT_EQ(row(), "(none)");
}

TEST_F(Owning, AClaimThatNamesAnotherEpochInAGapChangesNothing) {
  run();
  log.add(encode(Claim{5, 5, Offset{777}, "late"}));
  commit();
  land();
  show();
  EXPECT_EQ(host.counted_seqs, std::vector<std::uint64_t>{1});
}

TEST_F(Owning, AnAcknowledgementWithoutOffsetIsLookedUpInTheLog) {
  run();
  commit();
  land(false);
  owner->appended(host.appends.back().number, {{}, {}}, now());
  EXPECT_TRUE(host.counted_seqs.empty());
  show();
  EXPECT_EQ(host.counted_seqs, std::vector<std::uint64_t>{1});
}

TEST_F(Owning, SeveralAcknowledgementsWithoutOffsetAreLookedUpInOneRead) {
  run();
  for (const char* value : {"1", "2", "3"}) {
    commit(value);
    land(false);
  }
  for (std::size_t i = 1; i <= 3; ++i) owner->appended(host.appends[i].number, {{}, {}}, now());
  show();
  EXPECT_EQ(host.counted_seqs, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(row(), "3");
}

TEST_F(Owning, ACommitThatIsAcknowledgedButNotInTheLogDropsIt) {
  run();
  commit();
  log.add(encode(Commit{Offset{-1}, 9, 9, rows_of({})}));
  const Offset wrong = log.add(encode(Commit{Offset{-1}, 9, 9, rows_of({})}));
  owner->appended(host.appends.back().number, {wrong, {}}, now());
  show();
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_EQ(row(), "(none)");
}

TEST_F(Owning, AnAcknowledgedCommitThatNeverAppearsInTheLogDropsItInTheEnd) {
  run();
  commit();
  owner->appended(host.appends.back().number, {}, now());  // where it lies is not known
  show();
  clock += rules.give_up_append();
  owner->tick(now());
  EXPECT_EQ(host.dropped_reason, "");
  EXPECT_FALSE(owner->may_start(now()));
  clock += std::chrono::nanoseconds(1);
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_NE(host.dropped_reason.find("cannot be found"), std::string::npos);
  EXPECT_TRUE(host.counted_seqs.empty());
}

TEST_F(Owning, ACommitThatIsNeverAcknowledgedDropsItInTheEnd) {
  run();
  commit();
  clock += rules.give_up_append() + std::chrono::nanoseconds(1);
  owner->tick(now());
  EXPECT_NE(host.dropped_reason.find("not acknowledged in time"), std::string::npos);
}

TEST_F(Owning, AnUnknownOutcomeDropsIt) {
  run();
  commit();
  owner->appended(host.appends.back().number, {{}, "timed out"}, now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_FALSE(owner->may_start(now()));
  EXPECT_FALSE(owner->may_commit());
}

TEST_F(Owning, WhatComesAfterTheDropChangesNothing) {
  run();
  commit();
  owner->drop("test");
  land();
  EXPECT_TRUE(host.counted_seqs.empty());
  EXPECT_EQ(row(), "(none)");
}

TEST_F(Owning, ACommitWaitsForRoomInTheBufferAndNothingIsCommittedBeforeIt) {
  run();
  const std::size_t before = host.appends.size();
  host.buffer_full = true;
  commit("1");
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kRunning);
  EXPECT_EQ(host.appends.size(), before);
  EXPECT_TRUE(owner->waits_for_room());
  EXPECT_FALSE(owner->may_commit());

  host.buffer_full = false;
  owner->tick(now());
  ASSERT_EQ(host.appends.size(), before + 1);
  EXPECT_TRUE(owner->may_commit());
  land();
  EXPECT_EQ(host.counted_seqs, std::vector<std::uint64_t>{1});
  EXPECT_EQ(row(), "1");
}

TEST_F(Owning, TheLeaseOfACommitThatHasWaitedCountsFromWhenItIsSent) {
  run();
  const Instant until = owner->lease_until();
  host.buffer_full = true;
  commit();
  clock += seconds(4);
  EXPECT_EQ(owner->lease_until(), until) << "waiting renews nothing";
  host.buffer_full = false;
  owner->tick(now());
  const Instant sent = now().boot;
  clock += seconds(1);
  land();
  EXPECT_EQ(owner->lease_until(), sent + rules.lease);
}

TEST_F(Owning, ACommitThatFindsNoRoomForTooLongDropsItWithTheReason) {
  run();
  host.buffer_full = true;
  commit();
  clock += rules.give_up_append() + std::chrono::nanoseconds(1);
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_NE(host.dropped_reason.find("queue.buffering.max.kbytes"), std::string::npos);
}

TEST_F(Owning, ACommitThatItsTopicRefusesAsTooLargeSaysWhatToRaise) {
  run();
  commit();
  owner->appended(host.appends.back().number, {{}, "too large", Refusal::kTooLarge}, now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_NE(host.dropped_reason.find("max.message.bytes"), std::string::npos);
}

TEST_F(Owning, AGapThatWasCutDropsIt) {
  run();
  log.add(encode(Commit{Offset{-1}, 9, 9, rows_of({})}));
  commit();
  land();
  owner->out_of_range(now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
}

// -- The lease

TEST_F(Owning, TheLeaseIsCountedFromTheSendOfTheLastCountedRecord) {
  run();
  const Instant sent = now().boot;
  EXPECT_EQ(owner->lease_until(), sent + rules.lease);  // from the claim
  clock += seconds(2);
  commit();
  EXPECT_EQ(owner->lease_until(), sent + rules.lease);
  clock += seconds(3);
  land();
  EXPECT_EQ(owner->lease_until(), sent + seconds(2) + rules.lease);
}

TEST_F(Owning, ACommitInAnUnreadGapDoesNotRenewTheLease) {
  run();
  const Instant until = owner->lease_until();
  clock += seconds(2);
  log.add(encode(Commit{Offset{-1}, 9, 9, rows_of({})}));
  commit();
  land();
  EXPECT_EQ(owner->lease_until(), until);
  show();
  EXPECT_GT(owner->lease_until(), until);
}

TEST_F(Owning, NothingStartsOnceTheLeaseIsOver) {
  run();
  clock += rules.lease;
  EXPECT_FALSE(owner->may_start(now()));
  commit();
  land();
  EXPECT_TRUE(owner->may_start(now()));
}

TEST_F(Owning, NothingStartsThatWouldBeAskedToStopAtOnce) {
  run();
  clock += rules.ask_to_stop() - std::chrono::nanoseconds(1);
  EXPECT_TRUE(owner->may_start(now()));
  clock += std::chrono::nanoseconds(1);
  EXPECT_FALSE(owner->may_start(now()));
}

TEST_F(Owning, AttemptsAreAskedToStopAtThreeFifthsOfTheLease) {
  run();
  EXPECT_EQ(owner->lease_until() - owner->stop_asked_at(), rules.lease * 4 / 10);
}

// -- Release

TEST_F(Owning, AReleaseChainsOnAndEndsTheTenureWhenItCounts) {
  run();
  commit();
  land();
  owner->release(now());
  EXPECT_EQ(owner->phase(), Phase::kReleasing);
  EXPECT_FALSE(owner->may_commit());
  EXPECT_FALSE(owner->may_start(now()));
  land();
  EXPECT_EQ(owner->phase(), Phase::kReleased);
  EXPECT_EQ(host.released_calls, 1);
  EXPECT_TRUE(store.position()->released);
  MemoryStore other;
  Follower follower(other);
  EXPECT_TRUE(follower.is_of(topic));
  feed_all(follower, log);
  EXPECT_TRUE(follower.released());
  EXPECT_EQ(other.contents().rows, store.contents().rows);
  EXPECT_EQ(other.contents().position, store.contents().position);
}

TEST_F(Owning, AnOwnerWhoseWaitIsNotOverCannotRelease) {
  log.claim();
  run(1);
  ASSERT_EQ(owner->phase(), Phase::kWaiting);
  EXPECT_DEATH(owner->release(now()), "wait is over");
}

TEST_F(Owning, ItsCommitsKeepWhereTheCopyWasBegun) {
  std::string base;
  put_i64(base, 1);
  log.claim();
  log.commit();
  log.commit({{std::string(keys::kMetaBase), base}});
  make();
  give_bounds(Offset{1});
  show();
  land();
  show();
  commit();
  land();
  EXPECT_EQ(store.position()->root, Offset{1});
}

TEST_F(Owning, GoesOnFromItsStoreWithoutReadingWhatItHas) {
  run();
  commit();
  land();
  owner->release(now());
  land();
  host = {};
  make();
  give_bounds();
  EXPECT_EQ(host.reading, Offset{2});  // the last record again, to check the copy
  show();
  land();
  show();
  EXPECT_EQ(owner->phase(), Phase::kRunning);
  commit("2");
  land();
  EXPECT_EQ(row(), "2");
  EXPECT_EQ(owner->commits().seq(), 3u);
}

}  // namespace
}  // namespace penstock
