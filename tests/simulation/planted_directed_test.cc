// What the simulation has no traffic for, or too rarely, the random test of the core catches, or
// the story that the rule was made for: those checks are proven as the checker's are.
#include <gtest/gtest.h>

#include <cstdio>

#include "consumer/loop/tenure/lease_watch.h"
#include "tests/consumer/task/draining.h"
#include "tests/consumer/task/expiry_story.h"
#include "tests/simulation/bug_switch.h"
#include "tests/state/log/owner_fixture.h"

#ifdef PENSTOCK_PLANTED_BUGS

namespace penstock::simulation {
namespace {

constexpr std::uint32_t kMostDrains = 2000;

struct DrainsWith : testing::TestWithParam<Bug> {
  DrainsWith() { plant(GetParam()); }
  ~DrainsWith() override { plant(Bug::kNone); }
};

TEST_P(DrainsWith, IsCaught) {
  for (std::uint32_t seed = 1; seed <= kMostDrains; ++seed) {
    const std::string fault = Draining(seed).run();
    if (fault.empty()) continue;
    std::printf("caught by seed %u, %s\n", seed, fault.c_str());
    return;
  }
  FAIL() << to_string(GetParam()) << " was not caught in " << kMostDrains << " seeds";
}

INSTANTIATE_TEST_SUITE_P(Bugs, DrainsWith,
                         testing::Values(Bug::kGateSleeps, Bug::kSlotLeaked, Bug::kLimitExceeded,
                                         Bug::kRateForgotten),
                         [](const auto& info) { return std::string(to_string(info.param)); });

// A line that nobody wakes is forgotten while it still waits.
TEST(DrainsWithDeathTest, RowsNotWokenIsCaught) {
  EXPECT_DEATH(
      {
        plant(Bug::kRowsNotWoken);
        for (std::uint32_t seed = 1; seed <= kMostDrains; ++seed) (void)Draining(seed).run();
      },
      "a line without jobs waits for nothing");
}

struct TwoThatKeep : WithLimits {
  ~TwoThatKeep() override { plant(Bug::kNone); }
};

// A limit that stays lowered while both go on is too rare for chance.
TEST_F(TwoThatKeep, KeptBehindWaitingIsCaught) {
  queue.account_concurrency = 2;
  TypePolicy policy;
  policy.limits = {limit("a/{account}", 2)};
  types.add("k", policy);
  job_of("k", "acme", "1");
  job_of("k", "acme", "2");
  EXPECT_EQ(start(), "1 2");
  plant(Bug::kKeptBehindWaiting);
  end("1", NextIteration{"1"});
  set(limit_key("a/acme"), R"({"slots":1})");
  EXPECT_EQ(start(), "");
  end("2", NextIteration{"1"});
  EXPECT_EQ(start(), "") << "without the bug 1 goes on";
}

struct RateAndSlot : WithLimits {
  int others = 0;  // jobs so far that need one of the two only

  ~RateAndSlot() override { plant(Bug::kNone); }
  // The next job that needs this one only, and all that starts.
  std::string with_next(const std::string& type) {
    job_of(type, "acme", type + std::to_string(++others));
    return start();
  }
  // A job that needs both never finds them at once: whenever one is there, the other has just been
  // taken. Empty: nobody waited for a rate that nobody used.
  std::string compete() {
    (void)with_next("slot");
    (void)with_next("rate");
    job_of("both", "acme", "both");
    (void)start();
    for (int i = 0; i < 2 * Gate::kMaxLooks; ++i) {
      const std::string slot = "slot" + std::to_string(others + (i == 0 ? -1 : 0));
      clock += 1s;
      job_of("rate", "acme", "rate" + std::to_string(++others));
      const std::string started = start();
      if (started.find("both") != std::string::npos) return {};
      if (started.empty()) return "look " + std::to_string(i) + ": a rate is kept";
      end(slot);
      if (with_next("slot").find("both") != std::string::npos) return {};
    }
    return {};
  }
};

// A job that waits for a slot and a rate by turns, and ends its patience at the slot.
TEST_F(RateAndSlot, RateKeptIsCaught) {
  queue.account_concurrency = 100;
  const LimitPolicy rate = limit("a/{account}", {}, Rate{1, 1s});
  const LimitPolicy slot = limit("b/{account}", 1);
  type("rate", {rate});
  type("slot", {slot});
  type("both", {rate, slot});
  make();
  EXPECT_EQ(compete(), "") << "without the bug";
  make();
  others = 0;
  plant(Bug::kRateKept);
  EXPECT_NE(compete(), "");
}

// A story of a task, told with a bug and without.
struct Told : Tasking {
  ~Told() override { plant(Bug::kNone); }
};

// An account that was left as rows comes into memory with a new job.
TEST_F(Told, RestOvertakenIsCaught) {
  max_flows = 1;
  const auto second = [this](Bug bug) {
    make();
    plant(bug);
    job("a", "a1");
    job("c", "c1");
    EXPECT_EQ(start(), "a1");
    end("a1");
    job("c", "c2");
    return start();
  };
  EXPECT_EQ(second(Bug::kNone), "c1");
  store = {};
  EXPECT_EQ(second(Bug::kRestOvertaken), "c2");
}

struct ToldOfExpiry : WithExpiryLeft {
  ~ToldOfExpiry() override { plant(Bug::kNone); }
};

TEST_F(ToldOfExpiry, ExpiryKeptIsCaught) {
  plant(Bug::kExpiryKept);
  (void)starts_past_it();
  EXPECT_EQ(task->counters().expired, 1u);
}

struct Claims : Owning {
  ~Claims() override { plant(Bug::kNone); }
};

// Its last tenure had not waited for the one before it when it was dropped.
TEST_F(Claims, OwnClaimsAllFutileIsCaught) {
  plant(Bug::kOwnClaimsAllFutile);
  log.claim();
  log.claim(95);
  run(20'000, {Offset{1}, Instant(clock + std::chrono::seconds(3))});
  EXPECT_EQ(owner->phase(), Phase::kRunning) << "without the bug it waits";
}

// What runs under a claim alone is waited for too.
TEST_F(Claims, ClaimsDoNotCountIsCaught) {
  plant(Bug::kClaimsDoNotCount);
  log.claim();
  log.commit();
  log.claim(2);
  run(10'000);
  EXPECT_EQ(owner->phase(), Phase::kRunning) << "without the bug it waits";
}

// Its code does not heed a kill.
struct Deaf final : Executor {
  void start(AttemptRequest, Mailbox&) override {}
  void request_stop(const AttemptKey&) override {}
  void kill(const AttemptKey&) override {}
  [[nodiscard]] bool still_runs(const AttemptKey&) const override { return true; }
};

TEST(Lingering, LingersOnIsCaught) {
  LeaseWatch leases;
  Deaf executor;
  const AttemptKey key{.queue = 0, .partition = 0, .token = {1, 5, 1}};
  leases.renew(0, Instant{1s}, Offset{5});
  ASSERT_TRUE(leases.starting(key, "acme", &executor));
  leases.started(key);
  leases.kill_all(0);
  plant(Bug::kLingersOn);
  leases.renew(0, Instant{9s}, Offset{42});  // another worker had it in between
  EXPECT_FALSE(leases.check(Instant{2s})) << "without the bug the process must exit";
  plant(Bug::kNone);
}

}  // namespace
}  // namespace penstock::simulation

#endif
