// A copy that follows the log of an owner elsewhere.
#include "state/owner/standby.h"

#include "tests/state/owner/owner_fixture.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct StandingBy : Owning {
  std::unique_ptr<Standby> standby;

  void follow(int rank = 0) {
    standby = std::make_unique<Standby>(store, host, rules, rank);
    standby->start();
    standby->bounds(Bounds{Offset{0}, end(), topic}, now());
    read();
  }
  // Everything that is in the log and has not been read yet.
  void read() {
    if (!host.reading) return;
    for (auto at = std::max(read_to_, host.reading->value); at < end().value; ++at) {
      const LogRecord record{
          Offset{at}, at_ms(at), {}, log.records[static_cast<std::size_t>(at)], {}};
      standby->records({&record, 1}, now());
    }
    read_to_ = end().value;
  }
  void wait(std::chrono::nanoseconds how_long) {
    clock += how_long;
    standby->tick(now());
  }
  [[nodiscard]] bool is_vacant() const { return standby->is_vacant(now().boot); }
  void own() {
    log.claim();
    log.commit({{"a", "1"}});
  }

  std::int64_t read_to_ = 0;
};

TEST_F(StandingBy, TheCopyHasWhatTheOwnerCommits) {
  own();
  follow();
  EXPECT_TRUE(standby->is_current());
  log.commit({{"a", "2"}});
  read();
  EXPECT_TRUE(standby->wants_to_settle(now().boot));
  standby->begin_settling(now().boot);
  EXPECT_EQ(row(), "2");
  EXPECT_FALSE(standby->wants_to_settle(now().boot));
  EXPECT_TRUE(host.appends.empty());
}

TEST_F(StandingBy, WhatWasReadIsWrittenAtMostOnceInASecond) {
  own();
  follow();
  standby->begin_settling(now().boot);
  log.commit();
  read();
  EXPECT_FALSE(standby->wants_to_settle(now().boot));
  wait(Standby::kSettleEvery);
  EXPECT_TRUE(standby->wants_to_settle(now().boot));
}

TEST_F(StandingBy, AnOwnerBeginsWithTheCopyWhereItEnds) {
  own();
  follow();
  log.release();
  read();
  standby->stop();
  EXPECT_FALSE(host.reading);
  make();
  give_bounds();
  EXPECT_EQ(host.reading, Offset{end().value - 1});
  show();
  land();
  show();
  EXPECT_EQ(row(), "1");
  EXPECT_EQ(owner->phase(), Phase::kRunning);
}

TEST_F(StandingBy, AReleaseThatIsReadAsItIsWrittenLeavesThePartitionVacant) {
  own();
  follow();
  EXPECT_FALSE(is_vacant());
  log.release();
  read();
  EXPECT_TRUE(is_vacant());
  log.claim(2);
  read();
  EXPECT_FALSE(is_vacant());
}

TEST_F(StandingBy, AReleaseThatWasThereBeforeIsForTheGroup) {
  own();
  log.release();
  follow();
  wait(std::chrono::hours(1));
  EXPECT_FALSE(is_vacant());
}

TEST_F(StandingBy, WhoeverHasAskedClaimsAfterTheRelease) {
  own();
  follow();
  log.add(encode(HandOverRequest{7, log.epoch, "you"}));
  log.release();
  read();
  EXPECT_FALSE(is_vacant());
  wait(Standby::kLeavesToTheAsker);
  EXPECT_TRUE(is_vacant());
}

TEST_F(StandingBy, AnOwnerThatIsSilentForLongerThanItsLeaseHasGone) {
  log.claim(1, milliseconds(4'000));
  log.commit();
  follow();
  wait(rules.take_over_wait(seconds(4)) - milliseconds(1));
  EXPECT_FALSE(is_vacant());
  log.commit();
  read();
  wait(rules.take_over_wait(seconds(4)) - milliseconds(1));
  EXPECT_FALSE(is_vacant());
  wait(milliseconds(1));
  EXPECT_TRUE(is_vacant());
}

TEST_F(StandingBy, AStandbyLeavesThePartitionToThoseBeforeIt) {
  own();
  follow(2);
  log.release();
  read();
  EXPECT_FALSE(is_vacant());
  wait(2 * Standby::kLeavesToTheFirst);
  EXPECT_TRUE(is_vacant());
}

TEST_F(StandingBy, ALogThatWasCutIsReadAnewFromItsStart) {
  own();
  follow();
  standby->out_of_range();
  EXPECT_EQ(host.bounds_asked, 2);
  EXPECT_FALSE(standby->is_current());
  read_to_ = 0;
  standby->bounds(Bounds{Offset{0}, end(), topic}, now());
  read();
  standby->begin_settling(now().boot);
  EXPECT_EQ(row(), "1");
  EXPECT_TRUE(standby->is_current());
}

TEST_F(StandingBy, AHoleInTheLogIsReadAnewToo) {
  own();
  follow();
  const LogRecord record{end().next(), at_ms(1), {}, log.records[0], {}};
  standby->records({&record, 1}, now());
  EXPECT_EQ(host.bounds_asked, 2);
}

TEST_F(StandingBy, WhatAnOwnerWouldRefuseStopsTheCopyAndIsLeftToIt) {
  own();
  follow();
  standby->stop();
  // The topic was created again.
  standby = std::make_unique<Standby>(store, host, rules, 0);
  standby->start();
  standby->bounds(Bounds{Offset{0}, Offset{9}, TopicUuid{8, 8}}, now());
  EXPECT_TRUE(standby->stopped());
  // The log has lost its end.
  standby = std::make_unique<Standby>(store, host, rules, 0);
  standby->start();
  standby->bounds(Bounds{Offset{0}, Offset{1}, topic}, now());
  EXPECT_TRUE(standby->stopped());
  EXPECT_EQ(row(), "1");
}

TEST_F(StandingBy, BoundsThatAreNotAvailableAreAskedForAgain) {
  own();
  standby = std::make_unique<Standby>(store, host, rules, 0);
  standby->start();
  standby->bounds(failure("no broker"), now());
  EXPECT_EQ(host.bounds_asked, 1);
  wait(Standby::kAskAgainAfter);
  EXPECT_EQ(host.bounds_asked, 2);
}

}  // namespace
}  // namespace penstock
