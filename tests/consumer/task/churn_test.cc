// A partition's state after a day of jobs that come and go, in virtual time: no larger than what is
// alive and kept.
//
//   PENSTOCK_CHURN_JOBS=100000000 consumer_test --gtest_filter='Churn.*'
//
// runs so many over kChurnPartitions, one by one.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

constexpr std::uint64_t kUsualJobs = 60'000;
constexpr std::uint64_t kChurnPartitions = 12;
constexpr Duration kStep = 5s;
constexpr Duration kKept = 10min;
constexpr Duration kWindow = 1h;  // a day has 384 turns of its buckets
constexpr std::uint64_t kSteps = static_cast<std::uint64_t>(24h / kStep);
constexpr std::size_t kChunksABulk = 4;
constexpr std::uint64_t kRepeated = 12 * 50;  // so many jobs before, of the same account

struct Size {
  std::size_t rows = 0;
  std::uint64_t bytes = 0;
};

struct Churn : Tasking {
  std::uint64_t made = 0;  // jobs of this partition
  std::int64_t offset = 0;

  Churn() {
    queue.account_concurrency = 1000;
    queue.dedup_window = kWindow;
    TypePolicy kept;
    kept.keep_succeeded = kept.keep_dead = kKept;
    kept.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 30s, .jitter = 0};
    types.add("kept", kept);
    TypePolicy once;
    once.unique = UniquePolicy{
        {parse_json_pointer("/n").value()}, UniqueScope::kTtl, OnConflict::kDrop, kKept};
    types.add("once", once);
    TypePolicy paced;
    paced.limits = {
        {parse_limit_name("host/{account}/{args/n}").value(), 2, Rate{1, Duration{1000}}, 1}};
    types.add("paced", paced);
  }

  // One of a mix: its type, the letter of its id, and what else its record says.
  [[nodiscard]] std::string job_text(std::uint64_t n) const {
    const std::string number = std::to_string(n);
    const auto text = [&](const char* type, const char* letter, const std::string& more = "") {
      return R"({"type":")" + std::string(type) + R"(","id":")" + letter + number +
             R"(","args":{"n":)" + number + "}" + more + "}";
    };
    switch (n % 12) {
      case 0:
        return text("kept", "k");
      case 1:
        return text("once", "o");
      case 2:
        return text("paced", "p");
      case 3:
        return text("kept", "discard");
      case 4:
        return text("kept", "fail");
      case 5:
        return text("t", "later", R"(,"run_at":)" + ms(clock + 1min));
      case 6:
        return text("t", "expire",
                    R"(,"run_at":)" + ms(clock + 1min) + R"(,"expires_at":)" + ms(clock + 30s));
      case 7:
        return R"({"type":"t","id":"q)" + std::to_string(n + 2 - kRepeated) + "\"}";
      case 8: {
        const std::uint64_t chunk = n / 12;
        return text("t", "b",
                    R"(,"bulk":{"id":"bulk)" + std::to_string(chunk / kChunksABulk) +
                        R"(","index":)" + std::to_string(chunk % kChunksABulk) + R"(,"size":)" +
                        std::to_string(kChunksABulk) + "}");
      }
      default:
        return text("t", "q");
    }
  }
  [[nodiscard]] static std::string account_of(std::uint64_t n) {
    if (n % 12 == 7) return account_of(n + 2);  // whose earlier one it repeats
    return "acct-" + std::to_string(n % 12 == 8 ? n / 12 / kChunksABulk % 50 : n / 12 % 50);
  }
  void admit(std::uint64_t n) {
    const std::string account = account_of(n), value = job_text(n);
    LogRecord record{Offset{offset++}, now().wall, account, value, {}};
    task->admit({&record, 1}, now());
    ++made;
  }
  // Starts what may start, and ends it as its id says.
  void run() {
    (void)task->start_ready(100'000, now());
    for (const FakeTaskHost::Started& started : std::exchange(host.starts, {})) {
      OutcomeValue outcome = Done{};
      if (started.id.starts_with("discard")) outcome = Discard{"no"};
      if (started.id.starts_with("fail") && started.attempt == 1)
        outcome = RetryLater{"no", std::nullopt, ""};
      task->attempt_ended(started.token, {std::move(outcome), {}}, now());
    }
  }
  void turn() {
    clock += kStep;
    for (int i = 0; i < 50; ++i) {
      task->advance(now());
      run();
      if (task->dirty()) commit();
      if (task->next_time().value_or(now().wall + 1s) > now().wall) break;
    }
  }
  [[nodiscard]] Size size() { return {store.contents().rows.size(), store.approximate_bytes()}; }
  // What a step's worth of jobs leaves for so long, and a step or two around it.
  [[nodiscard]] static std::size_t most(std::uint64_t a_step, Duration kept) {
    const auto steps = static_cast<std::uint64_t>(kept / kStep) + 4;
    return static_cast<std::size_t>((a_step * steps + 11) / 12 + steps);
  }
  void expect_no_more_than_lives(std::uint64_t a_step) {
    // Three of twelve are kept; one lives for a minute or half a minute of each of three kinds.
    EXPECT_LE(rows_of(keys::kEnded), 3 * most(a_step, kKept));
    EXPECT_LE(rows_of(keys::kDue), 3 * most(a_step, 1min));
    EXPECT_LE(rows_of(keys::kExpiry), most(a_step, 1min));
    EXPECT_EQ(rows_of(keys::kIdentity),
              rows_of(keys::kEnded) + rows_of(keys::kDue) + rows_of(keys::kLine));
    EXPECT_LE(rows_of(keys::kUnique), most(a_step, kKept));
    EXPECT_LE(rows_of(keys::kUniqueUntil), most(a_step, kKept));
    EXPECT_LE(rows_of(keys::kRate), most(a_step, 10 * kStep) + Limits::kMinLookedAtPerStep);
    // A bulk: its counters, a page of its chunks, and when to look at it.
    EXPECT_LE(rows_of(keys::kBulk), 2 * most(a_step, 2 * kWindow + 1min));
    EXPECT_LE(rows_of(keys::kBulkCheck), most(a_step, 2 * kWindow + 1min));
    // A chunk a commit, of the window and the bucket that is being filled and the one that is being
    // forgotten.
    EXPECT_LE(rows_of(keys::kDedup), 3 * static_cast<std::size_t>((kWindow + kWindow / 8) / kStep));
  }
};

TEST_F(Churn, ADayLeavesNoMoreThanWhatIsAliveAndKept) {
  const char* const given = std::getenv("PENSTOCK_CHURN_JOBS");
  const std::uint64_t partitions = given ? kChurnPartitions : 1;
  const std::uint64_t jobs = (given ? std::strtoull(given, nullptr, 10) : kUsualJobs) / partitions /
                             48 * 48;  // whole bulks
  const auto began = std::chrono::steady_clock::now();
  Size early{}, late{}, largest{}, left{};
  for (std::uint64_t one = 0; one < partitions; ++one) {
    store = MemoryStore();
    clock = Duration(0), seq = 0, offset = 0, made = 0;
    make();
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      for (const std::uint64_t until = jobs * (step + 1) / kSteps; made < until;) admit(made);
      turn();
      if (step == kSteps / 2) {  // another owner
        commit();
        make();
      }
      if (step == kSteps / 6) early = size();
      if (step % (kSteps / 48) == 0) {
        expect_no_more_than_lives(jobs / kSteps + 1);
        largest.bytes = std::max(largest.bytes, size().bytes);
        largest.rows = std::max(largest.rows, size().rows);
      }
    }
    late = size();
    EXPECT_LE(late.rows, early.rows * 11 / 10);
    EXPECT_LE(late.bytes, early.bytes * 11 / 10);
    for (Duration quiet{0}; quiet < 3 * kWindow; quiet += kStep) turn();
    left = size();
    for (const auto& [key, value] : store.contents().rows) {
      EXPECT_TRUE(key[0] == keys::kMeta || key[0] == keys::kOutboxSeq)
          << "a row of kind " << key[0] << " stays";
    }
    EXPECT_EQ(task->live_jobs(), 0u);
    task.reset();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf(
      "{\"jobs\":%llu,\"partitions\":%llu,\"after_4h\":{\"rows\":%zu,\"bytes\":%llu},\"after_24h\":"
      "{\"rows\":%zu,"
      "\"bytes\":%llu},\"most\":{\"rows\":%zu,\"bytes\":%llu},\"left\":{\"rows\":%zu,\"bytes\":%"
      "llu},\"seconds\":%.1f}\n",
      static_cast<unsigned long long>(jobs * partitions),
      static_cast<unsigned long long>(partitions), early.rows,
      static_cast<unsigned long long>(early.bytes), late.rows,
      static_cast<unsigned long long>(late.bytes), largest.rows,
      static_cast<unsigned long long>(largest.bytes), left.rows,
      static_cast<unsigned long long>(left.bytes), took.count());
}

TEST_F(Churn, WhatIsOverAtOnceIsPrunedInBoundedStepsThatFollowAtOnce) {
  make();
  constexpr std::uint64_t kAtOnce = 3 * JobStore::kMaxRowsPerStep + 7;
  for (std::uint64_t i = 0; i < kAtOnce; ++i) {
    const std::string value = R"({"type":"kept","id":")" + std::to_string(i) + "\"}";
    LogRecord record{Offset{offset++}, now().wall, "acme", value, {}};
    task->admit({&record, 1}, now());
    run();
    if (i % 500 == 0) commit();
  }
  commit();
  EXPECT_EQ(rows_of(keys::kEnded), kAtOnce);
  clock += kKept + kStep;
  for (std::size_t left = kAtOnce; left > 0;) {
    task->advance(now());
    commit();
    const std::size_t over = std::min(left, JobStore::kMaxRowsPerStep);
    left -= over;
    ASSERT_EQ(rows_of(keys::kEnded), left);
    ASSERT_EQ(rows_of(keys::kIdentity), left);
    ASSERT_EQ(task->next_time() == Time{}, left > 0);
  }
}

TEST_F(Churn, RatesThatNobodyAsksForAfterARestartAreForgotten) {
  make();
  for (std::uint64_t n = 2; n < 12 * 50; n += 12) admit(n);
  run();
  commit();
  EXPECT_EQ(rows_of(keys::kRate), 50u);
  make();
  clock += 100ms;
  task->advance(now());
  commit();
  EXPECT_EQ(rows_of(keys::kRate), 50u) << "they may still hold something back";
  clock += 2s;
  for (int i = 0; i < 3; ++i) {
    task->advance(now());
    commit();
    clock += 1s;
  }
  EXPECT_EQ(rows_of(keys::kRate), 0u);
}

}  // namespace
}  // namespace penstock
