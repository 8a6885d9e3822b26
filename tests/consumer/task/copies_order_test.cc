// Where copies stand: behind the account's other jobs, in lines of their replays, at gates, and
// what is said of that.
#include <functional>

#include "consumer/limits/slot_message.h"
#include "state/rows/keys.h"
#include "tests/consumer/task/copies_fixture.h"

namespace penstock {
namespace {

struct OrderedCopies : Copying {
  using Limits = std::vector<LimitPolicy>;
  std::uint64_t targets = 0;

  void type(const std::string& name, Limits limits) {
    TypePolicy policy;
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    policy.limits = std::move(limits);
    types.add(name, policy);
  }
  static LimitPolicy limit(const std::string& name, int slots) {
    return {parse_limit_name(name).value(), slots, {}, 1};
  }
  void job_of(const std::string& type, const std::string& account, const std::string& id) {
    record(account, R"({"type":")" + type + R"(","id":")" + id + "\"}");
  }
  // The slots of a limit that accounts share.
  void allot(const std::string& limit, int slots) {
    const std::string number = std::to_string(++targets);
    record(limit, to_json(SlotTarget{targets, slots, slots}),
           {{std::string(kSlotsHeader), "1"},
            {std::string(kMessageHeader), "penstock.slots/0@1>penstock.mail/0#" + number}});
  }
  void replay(const std::string& name, const std::string& terms = "{}") {
    start_replay(name, terms);
    read_on();
  }
  // Each order, and each way of sharing where it is "fair".
  void in_every_order(const std::function<void()>& story) {
    for (const Order order : {Order::kCreated, Order::kStrict, Order::kReady, Order::kFair}) {
      for (const FairShare fair : {FairShare::kByAccount, FairShare::kFlat}) {
        if (order != Order::kFair && fair == FairShare::kFlat) continue;
        SCOPED_TRACE(std::to_string(static_cast<int>(order)) + "/" +
                     std::to_string(static_cast<int>(fair)));
        queue.order = order;
        queue.fair = fair;
        begin_again();
        story();
      }
    }
  }
  void ran(const std::string& first, const std::string& second) {
    job("acme", first);
    job("acme", second);
    EXPECT_EQ(run_all(), first + " " + second);
  }
};

// -- Why

TEST_F(OrderedCopies, WhyNamesNoCopyAsRunningBeforeALiveJob) {
  in_every_order([this] {
    ran("a", "b");
    replay("r");
    job("acme", "c");
    EXPECT_EQ(why("acme", "c"), "its turn is next: it waits for a free place of --concurrency");
  });
}

TEST_F(OrderedCopies, WhyNamesTheLiveJobsThatRunBeforeACopy) {
  const std::string rule = "; the account's other jobs run before its copies";
  in_every_order([&] {
    ran("a", "b");
    replay("r");
    job("acme", "c");
    EXPECT_EQ(why("acme", "replay/r/a"), "1 job of the account runs before it, first \"c\"" + rule);
    EXPECT_EQ(why("acme", "replay/r/b"), "2 jobs of the account run before it, first \"c\"" + rule);
    EXPECT_EQ(run_all(), "c replay/r/a replay/r/b");
  });
}

TEST_F(OrderedCopies, WhySaysNothingOfLiveJobsWhereOnlyCopiesAreBefore) {
  in_every_order([this] {
    ran("a", "b");
    replay("r");
    EXPECT_EQ(why("acme", "replay/r/b"),
              "1 job of the account runs before it, first \"replay/r/a\"");
  });
}

TEST_F(OrderedCopies, WhyNamesTheChunkThatRunsBeforeACopy) {
  queue.order = Order::kFair;
  for (const FairShare fair : {FairShare::kByAccount, FairShare::kFlat}) {
    queue.fair = fair;
    begin_again();
    ran("a", "b");
    replay("r");
    for (const char* const bulk : {"B", "C"})
      job("acme", bulk, R"("bulk":{"id":")" + std::string(bulk) + R"(","index":0,"size":1})");
    EXPECT_EQ(why("acme", "replay/r/a"),
              "2 jobs of the account run before it, first \"B\"; the account's other jobs run "
              "before its copies");
  }
}

TEST_F(OrderedCopies, WhyCountsTheRowsOfLiveJobsBeforeACopyAndNoneOfCopiesBeforeALiveJob) {
  constexpr int kJobs = 70;
  static_assert(kJobs > Lines::kKeptJobs);
  in_every_order([this] {
    for (int i = 0; i < kJobs; ++i) job("acme", "j" + std::to_string(i));
    (void)run_all();
    replay("r");
    for (int i = 0; i < kJobs; ++i) job("acme", "c" + std::to_string(i));
    commit();
    EXPECT_EQ(why("acme", "c69"), "69 jobs of the account run before it, first \"c0\"");
    EXPECT_TRUE(why("acme", "replay/r/j0").starts_with("70 jobs of the account run before it"))
        << why("acme", "replay/r/j0");
    EXPECT_TRUE(why("acme", "replay/r/j69").starts_with("139 jobs of the account run before it"))
        << why("acme", "replay/r/j69");
  });
}

TEST_F(OrderedCopies, WhereStrictAFailedCopyHoldsBackTheCopiesBehindItAndNoLiveJob) {
  queue.order = Order::kStrict;
  ran("a", "b");
  replay("r");
  EXPECT_EQ(start(1), "replay/r/a");
  end("replay/r/a", RetryLater{"no", {}});
  EXPECT_EQ(start(), "");
  job("acme", "c");
  EXPECT_EQ(run_all(), "c");
  EXPECT_EQ(state("acme", "replay/r/b"), "waiting");
  clock += 10s + kWallResolution;
  EXPECT_EQ(run_all(), "replay/r/a replay/r/b");
}

// -- Several replays

TEST_F(OrderedCopies, TheCopiesOfAPausedReplayHoldBackNoOtherReplays) {
  in_every_order([this] {
    ran("a", "b");
    replay("r");
    change("r", ReplayState::kPaused);
    replay("s");
    EXPECT_EQ(run_all(), "replay/s/a replay/s/b");
    EXPECT_TRUE(task->replays().find("s")->is_done());
    change("r", ReplayState::kRunning);
    EXPECT_EQ(run_all(), "replay/r/a replay/r/b");
  });
}

TEST_F(OrderedCopies, TheCopiesOfAReplayWithoutASlotHoldBackNoOtherReplays) {
  in_every_order([this] {
    ran("a", "b");
    replay("r", R"({"concurrency":1})");
    replay("s");
    EXPECT_EQ(run_all(), "replay/s/a replay/s/b");
  });
}

TEST_F(OrderedCopies, ReplaysOfAnAccountGoInTheOrderOfTheirCopies) {
  in_every_order([this] {
    ran("a", "b");
    replay("s");
    replay("r");
    EXPECT_EQ(run_all(), "replay/s/a replay/s/b replay/r/a replay/r/b");
  });
}

TEST_F(OrderedCopies, CopiesThatAreRowsComeBackIntoTheirReplaysLines) {
  for (const std::size_t live : {Lines::kMaxLiveJobs, std::size_t{2}}) {
    max_live_jobs = live;
    in_every_order([this] {
      ran("a", "b");
      replay("r");
      replay("s");
      change("r", ReplayState::kPaused);
      job("acme", "c");
      commit();
      restart_with_replays();
      EXPECT_EQ(run_all(), "c replay/s/a replay/s/b");
      commit();
      restart_with_replays();
      change("r", ReplayState::kRunning);
      EXPECT_EQ(run_all(), "replay/r/a replay/r/b");
      commit();
      EXPECT_EQ(rows_of(keys::kLine), 0u);
      EXPECT_EQ(task->jobs(), 0u);
    });
  }
}

TEST_F(OrderedCopies, CopiesThatAnotherQueueHasSentAreNotInTheLineOfAReplayOfThatName) {
  ran("a", "b");
  replay("r");
  change("r", ReplayState::kPaused);
  record("acme", R"({"id":"replay/r/x","type":"t"})",
         {{"penstock-message", "penstock.other/0@5>penstock.mail/0#1"},
          {"penstock-derived", "1"},
          {"penstock-replay", R"({"id":"r","of":"x","source":"penstock.other/0/0"})"},
          {"penstock-replay-queue", "other"}});
  EXPECT_EQ(run_all(), "replay/r/x");
}

TEST_F(OrderedCopies, WhereStrictAFailedCopyHoldsBackNoOtherReplays) {
  queue.order = Order::kStrict;
  ran("a", "b");
  replay("r");
  EXPECT_EQ(start(1), "replay/r/a");
  end("replay/r/a", RetryLater{"no", {}});
  replay("s");
  EXPECT_EQ(run_all(), "replay/s/a replay/s/b");
  clock += 10s + kWallResolution;
  EXPECT_EQ(run_all(), "replay/r/a replay/r/b");
}

// -- Gates

struct GatedCopies : OrderedCopies {
  GatedCopies() { queue.account_concurrency = 10; }

  // A copy of `p` waits at the limit, which `h` of the same account has.
  void waits_behind_h() {
    type("call", {limit("crm/{account}", 1)});
    job_of("call", "acme", "p");
    EXPECT_EQ(run_all(), "p");
    job_of("call", "acme", "h");
    EXPECT_EQ(start(), "h");
    replay("r");
    EXPECT_EQ(start(), "");
    EXPECT_TRUE(why("acme", "replay/r/p").starts_with("waits for the limit \"crm/acme\""));
  }
  // Other jobs of the account have so many turns that its tag passes that of the copy.
  void others_run() {
    for (int i = 0; i < 30; ++i) job("acme", "t" + std::to_string(i));
    (void)run_all();
  }
};

TEST_F(GatedCopies, ALiveJobPassesTheCopyThatCameToTheLimitFirst) {
  in_every_order([this] {
    if (queue.order == Order::kStrict) return;  // all live jobs are in one line
    waits_behind_h();
    others_run();
    job_of("call", "acme", "c");
    EXPECT_EQ(start(), "");
    end("h");
    EXPECT_EQ(start(), "c");
    end("c");
    EXPECT_EQ(start(), "replay/r/p");
    end("replay/r/p");
    EXPECT_EQ(start(), "replay/r/h");
  });
}

TEST_F(GatedCopies, ACopyThatComesToTheLimitLaterStaysBehindTheLiveJob) {
  in_every_order([this] {
    if (queue.order == Order::kStrict) return;
    type("call", {limit("crm/{account}", 1)});
    job_of("call", "acme", "p");
    EXPECT_EQ(run_all(), "p");
    others_run();
    job_of("call", "acme", "h");
    job_of("call", "acme", "c");
    EXPECT_EQ(start(), "h");
    replay("r", R"({"types":["call"]})");
    EXPECT_EQ(start(), "");
    end("h");
    EXPECT_EQ(start(), "c");
    end("c");
    EXPECT_EQ(start(), "replay/r/p");
  });
}

TEST_F(GatedCopies, ALiveJobTakesTheSlotThatIsPromisedToACopyOfItsAccount) {
  in_every_order([this] {
    waits_behind_h();
    end("h");
    job_of("call", "acme", "c");
    EXPECT_EQ(start(), "c");
    end("c");
    EXPECT_EQ(start(), "replay/r/p");
  });
}

// Where limits are shared, the slot that one account does not use is another's.
struct SharedByCopies : GatedCopies {
  void begin(int slots_of_a) {
    for (const char* const name : {"x", "x2", "x3"}) type(name, {limit("a", slots_of_a)});
    type("y", {limit("b", 1)});
    type("xy", {limit("a", slots_of_a), limit("b", 1)});
    make();
    allot("a", slots_of_a);
    allot("b", 1);
    job_of("x", "acme", "p");
    job_of("x2", "acme", "p2");
    EXPECT_EQ(run_all(), "p p2");
    start_replay("r");
  }
  // All slots are promised to copies that cannot use them any more; `q` of another account waits.
  void promised_to_copies(const std::string& holders) {
    EXPECT_EQ(start(), holders);
    read_on();
    EXPECT_EQ(start(), "");
    for (int i = 0; i < 30; ++i) job("bolt", "t" + std::to_string(i));
    (void)run_all();
    job_of("x", "bolt", "q");
    EXPECT_EQ(start(), "");
  }
};

TEST_F(SharedByCopies, AnotherAccountGetsTheSlotThatALiveJobTookFromACopyAndDoesNotUse) {
  begin(1);
  job_of("x", "zed", "holds-a");
  job_of("y", "zed", "holds-b");
  promised_to_copies("holds-a holds-b");
  end("holds-a");
  change("r", ReplayState::kPaused);
  job_of("xy", "acme", "live");
  EXPECT_EQ(start(), "q");
  EXPECT_TRUE(why("acme", "live").starts_with("waits for the limit \"b\""));
}

TEST_F(SharedByCopies, ALiveJobTakesNoMorePromisesOfCopiesThanItUses) {
  begin(2);
  job_of("x", "zed", "one");
  job_of("x", "zed", "two");
  promised_to_copies("one two");
  end("one");
  end("two");
  job_of("x3", "acme", "live");
  EXPECT_EQ(start(), "live replay/r/p2");
}

TEST_F(SharedByCopies, WhatALiveJobDoesNotTakeFromCopiesTheyGiveBack) {
  begin(2);
  job_of("x", "zed", "one");
  job_of("x", "zed", "two");
  promised_to_copies("one two");
  end("one");
  end("two");
  change("r", ReplayState::kPaused);
  job_of("x3", "acme", "live");
  EXPECT_EQ(start(), "live q");
}

}  // namespace
}  // namespace penstock
