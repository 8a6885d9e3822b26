// What one step changes fits into one commit.
#include "consumer/limits/slot_message.h"
#include "state/rows/keys.h"
#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

struct Room : Tasking {
  // A job each of so many accounts, with what `more` says for its number; committed whenever there
  // is no room.
  template <typename More>
  void fill(int count, More more) {
    for (int i = 0; i < count; ++i) {
      job("account-" + std::to_string(i), "a", more(i));
      if (!task->wants_input()) commit();
    }
    commit();
  }
};

// The rows of jobs that have an expiry change when they start.
TEST_F(Room, NoMoreStartsThanTheirCommitHolds) {
  const std::string large =
      R"("expires_at":)" + ms(1h) + R"(,"args":{"text":")" + std::string(1'000'000, 'x') + "\"}";
  fill(12, [&](int) { return large; });
  restart();
  std::size_t started = 0;
  for (int step = 0; step < 12 && started < 12; ++step) {
    (void)start();
    EXPECT_GT(host.starts.size(), started) << "it goes on after each commit";
    started = host.starts.size();
    EXPECT_LT(task->unsaved_bytes(), kMaxGatheredBytes + (2 << 20));
    commit();
  }
  EXPECT_EQ(started, 12u);
}

TEST_F(Room, ExpiriesLeaveRoomInTheirCommit) {
  const std::string text = std::string(400'000, 'x');
  fill(20, [&](int i) {
    return "\"expires_at\":" + ms(10s) + ",\"run_at\":" + ms(1h) + R"(,"bulk":{"id":"b)" +
           std::to_string(i) + R"(","index":0,"size":1,"on_done":{"type":"t","args":{"text":")" +
           text + "\"}}}";
  });
  clock = 20s;
  for (int step = 0; step < 20 && task->counters().expired < 20; ++step) {
    task->advance(now());
    EXPECT_LT(task->unsaved_bytes(), kMaxGatheredBytes + (2 << 20));
    commit();
  }
  EXPECT_EQ(task->counters().expired, 20u);
}

TEST_F(Room, DueJobsLeaveRoomForInputAndStarts) {
  const std::string large =
      R"("run_at":)" + ms(10s) + R"(,"args":{"text":")" + std::string(400'000, 'x') + "\"}";
  fill(20, [&](int) { return large; });
  clock = 20s;
  std::size_t started = 0;
  for (int step = 0; step < 40 && started < 20; ++step) {
    task->advance(now());
    EXPECT_LT(task->unsaved_bytes(), Placement::kMaxDueBytes + (1 << 20));
    EXPECT_TRUE(task->wants_input());
    (void)start();
    EXPECT_GT(host.starts.size(), started) << "some start after each";
    started = host.starts.size();
    commit();
  }
  EXPECT_EQ(started, 20u);
}

// Follow-ups would grow it. Acknowledgements alone make room.
TEST_F(Room, AFullOutboxHoldsBackInputAndStartsUntilItDrains) {
  queue.events = Events::kAll;
  job("acme", "runs");
  job("acme", "waits");
  job("beta", "expires", "\"run_at\":" + ms(1h) + ",\"expires_at\":" + ms(10s));
  commit();
  EXPECT_EQ(start(), "runs");
  while (!outbox->full())
    outbox->send({"penstock.other", 0}, {"key", std::string(1 << 20, 'x'), {}}, seq + 1);
  end("runs");  // what runs may end
  clock = 20s;
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->counters().expired, 0u);
  EXPECT_FALSE(task->wants_input());
  commit();
  EXPECT_EQ(start(), "waits");
  EXPECT_EQ(task->counters().expired, 1u);
  EXPECT_TRUE(task->wants_input());
}

TEST_F(Room, InstantAttemptsStopWhereTheOutboxIsFull) {
  queue.events = Events::kAll;
  host.instant = true;
  for (int i = 0; i < 20; ++i) job("account-" + std::to_string(i), "a");
  commit();
  while (outbox->pending() < Outbox::kMaxPending - 5)
    outbox->send({"penstock.other", 0}, {"key", "x", {}}, seq + 1);
  (void)start();
  EXPECT_LT(host.starts.size(), 10u);
  commit();
  (void)start();
  EXPECT_EQ(host.starts.size(), 20u);
}

// -- All that a commit writes is counted before it is built

struct Gathered : WithLimits {
  static constexpr std::size_t kOwnRows = 200;  // of the commit itself

  Gathered() { queue.account_concurrency = 1000; }
  static std::string long_account(int i) { return std::to_string(i) + std::string(240, 'a'); }
  static std::string long_id(int i) { return std::to_string(i) + std::string(120, 'i'); }
  void expect_counted() {
    const std::size_t gathered = task->unsaved_bytes();
    task->save(seq + 1);
    EXPECT_LE(view->batch().size(), gathered + kOwnRows);
    commit();
  }
};

TEST_F(Gathered, RowsOfJobsWithLongNames) {
  for (int i = 0; i < 200; ++i)
    job(long_account(i), long_id(i),
        "\"expires_at\":" + ms(1h) + ",\"bulk\":{\"id\":\"" + long_id(i) +
            "\",\"index\":0,\"size\":1}");
  expect_counted();
}

TEST_F(Gathered, CursorsThatCameAfterTheirJobs) {
  for (int i = 0; i < 8; ++i) job("acme", std::to_string(i));
  start();
  for (int i = 0; i < 8; ++i)
    task->checkpoint(token(std::to_string(i)), "\"" + std::string(100'000, 'c') + "\"");
  expect_counted();
}

TEST_F(Gathered, RatesAndEndedIdentities) {
  type("call", {limit("per/{account}", {}, Rate{1, 1h}, 5)});
  host.instant = true;
  for (int i = 0; i < 500; ++i) job_of("call", long_account(i), "a");
  start();
  EXPECT_EQ(host.starts.size(), 500u);
  expect_counted();
}

// -- What is said of shared limits

struct ManyShared : WithLimits {
  static constexpr std::size_t kLimits = 6000;
  ManyShared() { type("call", {limit("{args/name}", 5)}); }
};

TEST_F(ManyShared, ReportsAreSaidInAsManyCommitsAsTheyNeed) {
  for (std::size_t i = 0; i < kLimits; ++i) {
    const std::string name = std::to_string(i) + std::string(200, 'n');
    job_of("call", "account-" + std::to_string(i), "a", R"("args":{"name":")" + name + "\"}");
    if (!task->wants_input()) commit();
  }
  commit();
  for (int step = 0; step < 60 && host.starts.empty(); ++step) {
    task->advance(now());
    start();
    task->exchange_slots({true, false, true}, now());
    EXPECT_LT(task->unsaved_bytes(), kMaxGatheredBytes + (8 << 10));
    if (task->has_reports()) {
      EXPECT_GT(task->unsaved_bytes(), kMaxGatheredBytes / 2) << "none waits without need";
    }
    commit();
    if (task->has_reports()) {
      EXPECT_EQ(task->next_time(), Time{}) << "it goes on at once";
    }
    if (task->next_time() != Time{}) break;
  }
  EXPECT_FALSE(task->has_reports());
  EXPECT_EQ(messages("penstock.slots").size(), kLimits);
}

TEST_F(ManyShared, LimitsThatAreForgottenTogetherAreForgottenInPieces) {
  queue.account_concurrency = 10;
  type("paced", {limit("per/{account}", {}, Rate{1, Duration{1000}}, 1)});
  host.instant = true;
  constexpr int kRates = 12'000;
  for (int i = 0; i < kRates; ++i) {
    job_of("paced", std::to_string(i) + std::string(200, 'a'), "a");
    if (!task->wants_input()) commit();
  }
  commit();
  for (int step = 0; step < 100 && host.starts.size() < kRates; ++step) {
    start();
    commit();
  }
  EXPECT_EQ(rows_of(keys::kRate), static_cast<std::size_t>(kRates));
  clock += 1h;
  for (int step = 0; step < 200 && rows_of(keys::kRate) > 0; ++step) {
    task->advance(now());
    EXPECT_LT(view->batch().size(), kMaxForgottenPerStep * 500);
    clock += 2s;
    commit();
  }
  EXPECT_EQ(rows_of(keys::kRate), 0u);
}

}  // namespace
}  // namespace penstock
