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

}  // namespace
}  // namespace penstock
