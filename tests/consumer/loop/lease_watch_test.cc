// Attempts end with the lease under which they run, also those whose code runs on.
#include "consumer/loop/tenure/lease_watch.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using std::chrono::seconds;

// Its code does not heed a kill.
struct Deaf final : Executor {
  void start(AttemptRequest, Mailbox&) override {}
  void request_stop(const AttemptKey&) override {}
  void kill(const AttemptKey&) override {}
  [[nodiscard]] bool still_runs(const AttemptKey&) const override { return true; }
};

struct Lingering : testing::Test {
  LeaseWatch leases;
  Deaf executor;
  const AttemptKey key{.queue = 0, .partition = 0, .token = {1, 5, 1}};

  // An attempt that was killed under a lease until 1 s, and runs on.
  void linger() {
    leases.renew(0, Instant{seconds(1)}, Offset{5});
    ASSERT_TRUE(leases.starting(key, "acme", &executor));
    leases.started(key);
    leases.kill_all(0);
  }
};

TEST_F(Lingering, ALeaseThatIsRenewedCoversIt) {
  linger();
  leases.renew(0, Instant{seconds(9)}, Offset{5});
  EXPECT_FALSE(leases.check(Instant{seconds(2)}));
  EXPECT_TRUE(leases.check(Instant{seconds(9)})) << "the process must exit";
}

TEST_F(Lingering, ALeaseThatWasClaimedAfterAnotherWorkersDoesNot) {
  linger();
  leases.renew(0, Instant{seconds(9)}, Offset{42});
  EXPECT_TRUE(leases.check(Instant{seconds(2)})) << "the process must exit";
}

}  // namespace
}  // namespace penstock
