#include "consumer/worker/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "consumer/worker/clock.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Remembers what was killed, and lets a test wait for it.
class Victims final : public Executor {
 public:
  void start(AttemptRequest, Mailbox&) override {}
  void request_stop(const AttemptKey&) override {}
  void kill(const AttemptKey& key) override {
    const std::lock_guard lock(mutex_);
    killed_.push_back(key);
    changed_.notify_all();
  }

  [[nodiscard]] bool still_runs(const AttemptKey&) const override { return runs_on; }

  std::atomic<bool> runs_on = false;

  [[nodiscard]] bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(30), [&] { return killed_.size() >= count; });
  }
  [[nodiscard]] std::size_t killed() {
    const std::lock_guard lock(mutex_);
    return killed_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<AttemptKey> killed_;
};

AttemptKey key(PartitionId partition, std::uint64_t number) {
  return {0, partition, {1, 2, number}};
}

// As a loop does it.
void start(LeaseWatch& leases, const AttemptKey& key, Victims& victims,
           std::string_view account = "acme") {
  ASSERT_TRUE(leases.starting(key, account, &victims));
  leases.started(key);
}

TEST(LeaseWatch, EndsAttemptsWhoseLeaseIsOverAndNoOthers) {
  LeaseWatch leases;
  Victims victims;
  const Instant now{seconds(100)};
  leases.renew(0, now + seconds(1), Offset{});
  leases.renew(1, now, Offset{});
  start(leases, key(0, 1), victims);
  start(leases, key(1, 1), victims);
  EXPECT_FALSE(leases.check(now)) << "none of them runs on";
  EXPECT_EQ(victims.killed(), 1u);
  const std::vector<AttemptKey> noted = leases.take_killed();
  ASSERT_EQ(noted.size(), 1u);
  EXPECT_EQ(noted[0], key(1, 1));
  EXPECT_TRUE(leases.take_killed().empty());
  EXPECT_FALSE(leases.check(now));
}

TEST(LeaseWatch, AnAttemptThatHasEndedIsNotKilled) {
  LeaseWatch leases;
  Victims victims;
  leases.renew(0, Instant{seconds(1)}, Offset{});
  start(leases, key(0, 1), victims);
  leases.ended(key(0, 1));
  EXPECT_FALSE(leases.check(Instant{seconds(2)}));
  EXPECT_EQ(victims.killed(), 0u);
}

TEST(LeaseWatch, AnAttemptWhoseLeaseHasBeenFoundOverDoesNotStart) {
  LeaseWatch leases;
  Victims victims;
  const Instant now{seconds(100)};
  leases.renew(0, now, Offset{});
  EXPECT_FALSE(leases.check(now));
  EXPECT_FALSE(leases.starting(key(0, 1), "acme", &victims));
  EXPECT_EQ(leases.take_killed(), std::vector<AttemptKey>{key(0, 1)});
  leases.renew(0, now + seconds(1), Offset{});
  EXPECT_TRUE(leases.starting(key(0, 2), "acme", &victims));
}

// The watchdog kills what its executor does not have yet, and does not look away.
TEST(LeaseWatch, AnAttemptIsKilledUntilItHasStartedAndOnceMore) {
  LeaseWatch leases;
  Victims victims;
  const Instant now{seconds(100)};
  leases.renew(0, now, Offset{});
  ASSERT_TRUE(leases.starting(key(0, 1), "acme", &victims));
  leases.check(now);
  leases.check(now);
  EXPECT_EQ(victims.killed(), 2u);
  leases.started(key(0, 1));
  EXPECT_EQ(victims.killed(), 3u);
  leases.check(now);
  EXPECT_EQ(victims.killed(), 3u);
  EXPECT_EQ(leases.take_killed(), std::vector<AttemptKey>{key(0, 1)}) << "it is told once";
}

TEST(LeaseWatch, AKilledAttemptThatRunsOnHoldsBackItsAccountAlone) {
  LeaseWatch leases;
  Victims victims;
  const Instant now{seconds(100)};
  leases.renew(0, now + seconds(1), Offset{});
  start(leases, key(0, 1), victims, "acme");
  victims.runs_on = true;
  EXPECT_FALSE(leases.blocks(0, "acme")) << "its owner counts it";
  leases.kill_all(0);
  EXPECT_TRUE(leases.blocks(0, "acme"));
  EXPECT_TRUE(leases.blocks_any(0));
  EXPECT_FALSE(leases.blocks(0, "globex"));
  EXPECT_FALSE(leases.blocks(1, "acme"));
  EXPECT_FALSE(leases.blocks_any(1));
  EXPECT_FALSE(leases.check(now)) << "its lease is not over";
  EXPECT_TRUE(leases.check(now + seconds(1)));
  leases.renew(0, now + seconds(2), Offset{});
  EXPECT_FALSE(leases.check(now + seconds(1))) << "its partition is this process's again";
  victims.runs_on = false;
  EXPECT_FALSE(leases.blocks(0, "acme"));
  EXPECT_FALSE(leases.blocks_any(0));
}

// Another worker has had the partition in between, and waited for the first lease only.
TEST(LeaseWatch, ALeaseThatIsClaimedAfterAnothersDoesNotCoverWhatRunsOn) {
  LeaseWatch leases;
  Victims victims;
  const Instant now{seconds(100)};
  const Offset epoch{key(0, 1).token.epoch};
  leases.renew(0, now + seconds(1), epoch);
  start(leases, key(0, 1), victims);
  victims.runs_on = true;
  leases.kill_all(0);
  leases.renew(0, now + seconds(9), epoch.next());
  EXPECT_FALSE(leases.check(now));
  EXPECT_TRUE(leases.check(now + seconds(1)));
}

TEST(Watchdog, EndsAttemptsWithoutTheLoop) {
  LeaseWatch leases;
  Victims victims;
  leases.renew(0, Clock::boot() + milliseconds(20), Offset{});
  start(leases, key(0, 1), victims);
  const Watchdog watchdog({&leases}, [] {});
  EXPECT_TRUE(victims.wait_for(1));
}

TEST(Watchdog, ExitsWhenAHandlerIgnoresTheEndOfItsLease) {
  LeaseWatch leases;
  Victims victims;
  std::mutex mutex;
  std::condition_variable changed;
  bool exited = false;
  victims.runs_on = true;
  leases.renew(0, Clock::boot(), Offset{});
  start(leases, key(0, 1), victims);
  const Watchdog watchdog({&leases}, [&] {
    const std::lock_guard lock(mutex);
    exited = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, seconds(30), [&] { return exited; }));
}

TEST(Clock, TheWallClockNeverGoesBack) {
  Clock clock;
  Now last = clock.now();
  for (int i = 0; i < 10'000; ++i) {
    const Now now = clock.now();
    EXPECT_GE(now.wall, last.wall);
    EXPECT_GE(now.boot, last.boot);
    last = now;
  }
}

}  // namespace
}  // namespace penstock
