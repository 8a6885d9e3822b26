// From the bounds to the running owner.
#include "tests/state/owner/owner_fixture.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(Owning, OnAnEmptyLogItClaimsAtOnceAndNeedNotWait) {
  make();
  EXPECT_EQ(host.bounds_asked, 1);
  give_bounds();
  ASSERT_EQ(host.appends.size(), 1u);
  const auto entry = decode_log_entry(host.appends[0].record);
  EXPECT_EQ(std::get<Claim>(*entry).previous, Offset{-1});
  EXPECT_EQ(std::get<Claim>(*entry).nonce, 99u);
  land();
  show();
  EXPECT_EQ(owner->phase(), Phase::kRunning);
  EXPECT_EQ(host.restored_calls, 1);
  EXPECT_TRUE(owner->may_start(now()));
}

TEST_F(Owning, ReadsUpToTheEndBeforeItClaimsAndNamesTheEpochThatItReplaces) {
  log.claim();
  log.commit();
  log.claim(2);
  log.commit();
  make();
  give_bounds();
  EXPECT_EQ(host.reading, Offset{0});
  show_one(0, 0);
  show_one(1, 1);
  show_one(2, 2);
  EXPECT_TRUE(host.appends.empty());
  show_one(3, 3);
  ASSERT_EQ(host.appends.size(), 1u);
  const auto entry = decode_log_entry(host.appends[0].record);
  EXPECT_EQ(std::get<Claim>(*entry).previous, Offset{2});
  EXPECT_EQ(std::get<Claim>(*entry).generation, 5u);
}

TEST_F(Owning, RestoresTheRowsBeforeItSaysSo) {
  log.claim();
  log.commit({{"a", "1"}});
  run();
  EXPECT_EQ(row(), "1");
  EXPECT_EQ(host.restored_calls, 1);
  EXPECT_FALSE(host.reading.has_value());
  EXPECT_EQ(owner->commits().seq(), 1u);
}

TEST_F(Owning, ItsOwnClaimReadBeforeItsAcknowledgementIsEnough) {
  log.claim();
  make();
  give_bounds();
  show();
  const Offset at = land(false);
  show();
  EXPECT_EQ(owner->phase(), Phase::kClaiming);
  owner->appended(0, {at, {}}, now());
  EXPECT_EQ(host.restored_calls, 1);
}

TEST_F(Owning, ARivalClaimThatCameFirstDropsIt) {
  log.claim();
  make();
  give_bounds();
  show();
  log.claim(7);
  land();
  show();
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_NE(host.dropped_reason.find("another claim"), std::string::npos);
}

TEST_F(Owning, AClaimWithoutOffsetOrWithUnknownOutcomeDropsIt) {
  make();
  give_bounds();
  owner->appended(0, {{}, {}}, now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  make();
  give_bounds();
  owner->appended(0, {{}, "timed out"}, now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_NE(host.dropped_reason.find("timed out"), std::string::npos);
}

TEST_F(Owning, BoundsThatCannotBeHadDropIt) {
  make();
  owner->bounds(failure("no leader"), now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
}

TEST_F(Owning, AClaimWaitsForRoomInTheBufferAndItsLeaseCountsFromWhenItIsSent) {
  host.buffer_full = true;
  make();
  give_bounds();
  EXPECT_EQ(owner->phase(), Phase::kClaiming);
  EXPECT_TRUE(owner->waits_for_room());
  clock += std::chrono::seconds(3);
  host.buffer_full = false;
  owner->tick(now());
  ASSERT_EQ(host.appends.size(), 1u);
  EXPECT_FALSE(owner->waits_for_room());
  land();
  show();
  EXPECT_EQ(owner->lease_until(), now().boot + rules.lease);
}

TEST_F(Owning, AClaimThatFindsNoRoomForTooLongDropsItWithTheReason) {
  host.buffer_full = true;
  make();
  give_bounds();
  clock += rules.give_up_append() + std::chrono::nanoseconds(1);
  owner->tick(now());
  EXPECT_EQ(owner->phase(), Phase::kDropped);
  EXPECT_NE(host.dropped_reason.find("queue.buffering.max.kbytes"), std::string::npos);
}

TEST_F(Owning, AJumpInTheOffsetsDiscardsTheLocalCopyAndBeginsAgain) {
  log.claim();
  log.commit({{"a", "1"}});
  log.commit();
  make();
  give_bounds();
  show_one(0, 0);
  show_one(2, 2);
  EXPECT_EQ(owner->phase(), Phase::kBounds);
  EXPECT_EQ(host.bounds_asked, 2);
  EXPECT_FALSE(store.position().has_value());
  give_bounds();
  show();
  EXPECT_EQ(host.appends.size(), 1u);
}

TEST_F(Owning, AStartBeyondTheLocalPositionDiscardsTheLocalCopy) {
  log.claim();
  log.commit({{"a", "1"}});
  log.commit({{"b", "1"}});
  ASSERT_TRUE(store.apply(rows_of({{"a", "stale"}}), {Offset{1}, Offset{0}, 1, 7, false}));
  make();
  give_bounds(Offset{2});
  EXPECT_EQ(row(), "(none)");
  EXPECT_EQ(host.reading, Offset{2});
}

TEST_F(Owning, APositionThatIsNotInTheLogBeginsAgain) {
  log.claim();
  make();
  give_bounds();
  owner->out_of_range(now());
  EXPECT_EQ(owner->phase(), Phase::kBounds);
  EXPECT_EQ(host.bounds_asked, 2);
}

TEST_F(Owning, ALogCutPastItsBaseIsRefused) {
  log.claim();
  log.commit();
  log.commit();
  make();
  give_bounds(Offset{2});
  show();
  land();
  show();
  EXPECT_NE(host.refused_reason.find("past its base"), std::string::npos);
  EXPECT_EQ(host.restored_calls, 0);
}

TEST_F(Owning, ALogCutPastItsBaseIsRefusedAlsoWhenItsRestoreWasInterrupted) {
  log.claim();
  log.commit();
  log.commit();
  make();
  give_bounds(Offset{2});
  show();
  owner->drop("revoked");
  host = {};
  make();
  give_bounds(Offset{2});
  show();
  land();
  show();
  EXPECT_NE(host.refused_reason.find("past its base"), std::string::npos);
  EXPECT_EQ(host.restored_calls, 0);
}

TEST_F(Owning, OfALogCutPastItsBaseNothingIsKeptForTheNextProcess) {
  log.claim();
  log.commit({{"a", "1"}});
  log.commit();
  make();
  give_bounds(Offset{2});
  show();
  land();
  show();
  EXPECT_FALSE(store.position().has_value());
  host = {};
  run();  // the topic has been restored from a replica
  EXPECT_EQ(host.refused_reason, "");
  EXPECT_EQ(row(), "1");
}

// -- A topic that was deleted and created again, or has lost its end

TEST_F(Owning, ATopicThatWasCreatedAgainIsRefusedAndTheCopyKept) {
  log.claim();
  log.commit({{"a", "1"}});
  run();
  host = {};
  log = {};
  topic = {1, 3};
  make();
  give_bounds();
  EXPECT_NE(host.refused_reason.find("deleted and created again"), std::string::npos);
  EXPECT_NE(host.refused_reason.find(to_text(topic)), std::string::npos);
  EXPECT_NE(host.refused_reason.find(store.kept_aside()), std::string::npos);
  EXPECT_NE(store.kept_aside(), "");
  EXPECT_TRUE(host.appends.empty());
  EXPECT_TRUE(owner->ended());
}

TEST_F(Owning, ACopyThatIsKeptHoldsTheNextProcessBackUntilItIsMovedAway) {
  log.claim();
  log.commit({{"a", "1"}});
  run();
  log = {};
  topic = {1, 3};
  make();
  give_bounds();
  host = {};
  make();
  give_bounds();
  EXPECT_NE(host.refused_reason.find(store.kept_aside()), std::string::npos);
  EXPECT_TRUE(host.appends.empty());
  MemoryStore moved_away;
  owner =
      std::make_unique<Owner>(moved_away, host, host, Owner::Options{"me", {90, 99}, rules, {}});
  host = {};
  owner->start();
  give_bounds();
  land();
  show();
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(Owning, ALogThatEndsBeforeTheCopyIsAskedAgainAndThenRefused) {
  log.claim();
  log.commit({{"a", "1"}});
  run();
  commit("2");
  const Offset last = land();
  ASSERT_EQ(store.position()->at, last);
  host = {};
  make();
  log.records.resize(1);
  give_bounds();
  EXPECT_EQ(host.refused_reason, "");
  for (int i = 0; i < 100 && host.refused_reason.empty(); ++i) {
    clock += std::chrono::milliseconds(500);
    owner->tick(now());
    give_bounds();
  }
  EXPECT_NE(host.refused_reason.find("ends at offset 1"), std::string::npos);
  EXPECT_GT(host.bounds_asked, 10);
  EXPECT_NE(store.kept_aside(), "");
}

TEST_F(Owning, ALateAnswerThatIsTooShortIsNotBelieved) {
  log.claim();
  log.commit({{"a", "1"}});
  run();
  host = {};
  make();
  owner->bounds(Bounds{Offset{0}, Offset{1}, topic}, now());
  clock += std::chrono::seconds(1);
  owner->tick(now());
  give_bounds();
  show();
  land();
  show();
  EXPECT_EQ(host.refused_reason, "");
  EXPECT_EQ(host.restored_calls, 1);
  EXPECT_EQ(row(), "1");
}

TEST_F(Owning, ALogWithAnotherRecordWhereTheCopyWasMadeIsRefusedAndTheCopyKept) {
  log.claim();
  log.commit({{"a", "1"}});
  run();
  host = {};
  const Offset at = store.position()->at;
  log.records[static_cast<std::size_t>(at.value)] = encode(Claim{7, 5, Offset{0}, "another"});
  make();
  give_bounds();
  show();
  EXPECT_NE(host.refused_reason.find("another record at offset"), std::string::npos);
  EXPECT_NE(store.kept_aside(), "");
}

TEST_F(Owning, ACopyThatTheLogIsCutPastIsKeptWhenTheLogIsNotWhole) {
  log.claim();
  log.commit({{"a", "1"}});
  run();
  log.commit();
  log.commit();
  const std::int64_t rest = end().value - 1;
  host = {};
  make();
  give_bounds(Offset{rest});
  show();
  land();
  show();
  EXPECT_NE(host.refused_reason.find("past its base"), std::string::npos);
  EXPECT_NE(store.kept_aside(), "");
}

// Sent to a log that has been deleted, and retried onto the one in its place.
TEST_F(Owning, ALogThatBeginsWithACommitIsRefused) {
  log.claim();
  log.commit({{"a", "1"}});
  log.commit({{"b", "2"}});
  log.records.erase(log.records.begin(), log.records.begin() + 2);
  make();
  give_bounds();
  show();
  land();
  show();
  EXPECT_NE(host.refused_reason.find("past its base"), std::string::npos);
  EXPECT_EQ(host.restored_calls, 0);
}

}  // namespace
}  // namespace penstock
