#include "consumer/worker/watchdog.h"

#include <gtest/gtest.h>

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
  [[nodiscard]] std::size_t abandoned() const override { return 0; }

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

TEST(LeaseWatch, EndsAttemptsWhoseLeaseIsOverAndNoOthers) {
  LeaseWatch leases;
  Victims victims;
  const Instant now{seconds(100)};
  leases.renew(0, now + seconds(1));
  leases.renew(1, now);
  leases.started(key(0, 1), &victims);
  leases.started(key(1, 1), &victims);
  EXPECT_TRUE(leases.check(now));
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
  leases.renew(0, Instant{seconds(1)});
  leases.started(key(0, 1), &victims);
  leases.ended(key(0, 1), &victims);
  EXPECT_FALSE(leases.check(Instant{seconds(2)}));
  EXPECT_EQ(victims.killed(), 0u);
}

TEST(Watchdog, EndsAttemptsWithoutTheLoop) {
  LeaseWatch leases;
  Victims victims;
  leases.renew(0, Clock::boot() + milliseconds(20));
  leases.started(key(0, 1), &victims);
  const Watchdog watchdog(
      {&leases}, [] { return std::size_t{0}; }, [] {});
  EXPECT_TRUE(victims.wait_for(1));
}

TEST(Watchdog, ExitsWhenAHandlerIgnoresTheEndOfItsLease) {
  LeaseWatch leases;
  Victims victims;
  std::mutex mutex;
  std::condition_variable changed;
  bool exited = false;
  leases.renew(0, Clock::boot());
  leases.started(key(0, 1), &victims);
  const Watchdog watchdog(
      {&leases}, [] { return std::size_t{1}; },
      [&] {
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
