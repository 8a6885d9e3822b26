// Every row of the table of docs/operations.md: what holds a job, and what is said of it.
#include "consumer/limits/slot_message.h"
#include "tests/consumer/limits/limit_fixture.h"
#include "tests/consumer/loop/loop_fixture.h"
#include "tests/topics/record/document_table.h"

namespace penstock {
namespace {

// Whether the text is that of a cell: `like this`, where an ellipsis stands for anything.
bool says(std::string cell, std::string_view text) {
  static constexpr std::string_view kAnything = "…";
  if (cell.size() < 2 || !cell.starts_with('`') || !cell.ends_with('`')) return false;
  std::string_view rest(cell);
  rest = rest.substr(1, rest.size() - 2);
  for (bool first = true;; first = false) {
    const std::size_t end = rest.find(kAnything);
    const std::string_view piece = rest.substr(0, end);
    const std::size_t at = end == rest.npos && !first
                               ? (text.ends_with(piece) ? text.size() - piece.size() : text.npos)
                               : text.find(piece);
    if (at == text.npos || (first && at != 0)) return false;
    if (end == rest.npos) return at + piece.size() == text.size();
    text.remove_prefix(at + piece.size());
    rest.remove_prefix(end + kAnything.size());
  }
}

struct WhyTable : WithLimits {
  // What is said of job `of` in the end.
  struct Story {
    std::function<void()> happens;
    std::string of;
  };

  void begin() {
    task.reset();
    store = MemoryStore();
    input.clear();
    host = FakeTaskHost();
    control = Control();
    seq = 0;
    clock = Duration(0);
    queue.order = Order::kCreated;
    queue.account_concurrency = 1;
    make();
  }
  void policy(const std::string& name, const std::function<void(TypePolicy&)>& change) {
    TypePolicy policy;
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    change(policy);
    types.add(name, policy);
  }
  void order(Order order, int account_concurrency = 1) {
    queue.order = order;
    queue.account_concurrency = account_concurrency;
    make();
  }
  void jobs_of(const std::string& type, std::initializer_list<const char*> ids) {
    for (const char* const id : ids) job_of(type, "acme", id);
    (void)start();
  }
  // Jobs a, b, c of a type with these limits, in an account with room.
  void limited(std::vector<LimitPolicy> limits) {
    order(Order::kCreated, 10);
    type("call", std::move(limits));
    jobs_of("call", {"a", "b", "c"});
  }
  void paused(const std::string& what) {
    job("acme", "a");
    set(what, R"({"since":1800000000000,"by":"ann@host"})");
    (void)start();
  }
  void broken() {
    order(Order::kCreated, 10);
    policy("call",
           [](TypePolicy& of) { of.retry.breaker = BreakerPolicy{.failures = 1, .probe = 30s}; });
    jobs_of("call", {"a"});
    end("a", RetryLater{"no", Duration{1h}, ""});
    jobs_of("call", {"b", "c"});
  }
  void notice(const std::string& id) { record("acme", id, {{"penstock-crashed", "1"}}); }
  // From another partition, whose replay has made it.
  void copy_of(const std::string& id) {
    record(
        "acme", R"({"type":"t","id":"replay/r/)" + id + "\"}",
        {{"penstock-message", "penstock.mail/1@5>penstock.mail/0#1"},
         {"penstock-derived", "1"},
         {"penstock-replay", R"({"id":"r","of":")" + id + R"(","source":"penstock.mail/1/0"})"}});
  }
  void chunks(const std::string& bulk, int size) {
    for (int i = 0; i < size; ++i) {
      job("acme", bulk + std::to_string(i + 1),
          R"("bulk":{"id":")" + bulk + R"(","index":)" + std::to_string(i) + R"(,"size":)" +
              std::to_string(size) + "}");
    }
  }
  void shared() {
    limited({limit("crm", 10)});
    task->exchange_slots({true, false, true}, now());
    commit();
  }

  std::map<std::string, Story> waits() {
    return {
        {"its `run_at` has not come",
         {[this] { job("acme", "a", "\"run_at\":" + ms(1min)); }, "a"}},
        {"its retry is not due",
         {[this] {
            jobs_of("t", {"a"}), end("a", RetryLater{"boom", std::nullopt, ""});
          },
          "a"}},
        {"an attempt or a command has put it off",
         {[this] { jobs_of("t", {"a"}), end("a", Snooze{5s}); }, "a"}},
        {"it may be what kills its process",
         {[this] {
            job("acme", "a");
            notice("a"), notice("a");
            host.suspect_runs = true;
            (void)start();
          },
          "a"}},
        {"the notice of a death has not been read",
         {[this] {
            jobs_of("t", {"a"});
            commit();
            restart();
            host.notices["a"] = Offset{1};
            (void)start();
          },
          "a"}},
        {"it was cancelled while it ran, and its worker died",
         {[this] {
            jobs_of("t", {"a"});
            command("cancel", "acme", "a");
            commit();
            restart();
          },
          "a"}},
        {"nobody knows its type", {[this] { job_of("other", "acme", "a"); }, "a"}},
        {"strict: nobody knows an earlier job's type",
         {[this] { order(Order::kStrict), job_of("other", "acme", "a"), jobs_of("t", {"b"}); },
          "b"}},
        {"strict: an earlier job's time has not come",
         {[this] {
            order(Order::kStrict), job("acme", "a", "\"run_at\":" + ms(1min)), jobs_of("t", {"b"});
          },
          "b"}},
    };
  }
  std::map<std::string, Story> gates() {
    return {
        {"its queue is paused", {[this] { paused("pause/mail"); }, "a"}},
        {"its type is paused", {[this] { paused("pause/mail/type/t"); }, "a"}},
        {"its account is paused", {[this] { paused("pause/mail/account/acme"); }, "a"}},
        {"its breaker is open", {[this] { broken(); }, "b"}},
        {"its breaker's probe runs",
         {[this] {
            broken();
            clock += 30s;
            EXPECT_EQ(start(), "b");
          },
          "c"}},
        {"a limit's slots are in use", {[this] { limited({limit("crm/{account}", 1)}); }, "b"}},
        {"an earlier job of its type waits for any of these",
         {[this] { limited({limit("crm/{account}", 1)}); }, "c"}},
        {"a limit is halted",
         {[this] {
            order(Order::kCreated, 10);
            type("call", {limit("crm/{account}", 1)});
            set(limit_key("crm/acme"), R"({"slots":0})");
            jobs_of("call", {"a"});
          },
          "a"}},
        {"a rate lets none start",
         {[this] {
            limited({limit("sms/{account}", {}, Rate{1, Duration{60'000}}, 1)});
          },
          "b"}},
        {"other partitions have a shared limit", {[this] { shared(); }, "a"}},
        {"what its partition has of a shared limit is in use",
         {[this] {
            shared();
            record("crm", to_json(SlotTarget{1, 1, 10}),
                   {{std::string(kSlotsHeader), "1"},
                    {std::string(kMessageHeader), "penstock.slots/0@1>penstock.mail/0#1"}});
            (void)start();
          },
          "b"}},
        {"a shared limit was lowered, and its partition runs more than its part",
         {[this] {
            order(Order::kCreated, 10);
            type("call", {limit("crm", 10)});
            jobs_of("call", {"a", "b", "c"});
            record("crm", to_json(SlotTarget{1, 2, 10}),
                   {{std::string(kSlotsHeader), "1"},
                    {std::string(kMessageHeader), "penstock.slots/0@1>penstock.mail/0#1"}});
            (void)start();
            set(limit_key("crm"), R"({"slots":3})");
          },
          "c"}},
        {"another job of its unique key runs",
         {[this] {
            order(Order::kCreated, 10);
            policy("u", [](TypePolicy& of) {
              of.unique = UniquePolicy{{parse_json_pointer("/k").value()}, UniqueScope::kRunning};
            });
            job_of("u", "acme", "a", R"("args":{"k":1})");
            job_of("u", "acme", "b", R"("args":{"k":1})");
            (void)start();
          },
          "b"}},
    };
  }
  void large_batch() {
    policy("batch", [](TypePolicy& of) { of.batch = BatchPolicy{.max = 100}; });
    const std::string args = R"("args":")" + std::string(9000, 'x') + '"';
    for (int i = 0; i < 100; ++i) job_of("batch", "acme", std::to_string(i), args);
    commit();
    (void)start();
    end("0", RetryLater{"no"});
    commit();
    clock = 11s;
    (void)start();
  }
  std::map<std::string, Story> turns() {
    const auto batch = [this](Duration delay) {
      policy("batch",
             [delay](TypePolicy& of) { of.batch = BatchPolicy{.max = 10, .delay = delay}; });
      job_of("batch", "acme", "a");
      job_of("batch", "acme", "b");
      (void)start();
    };
    return {
        {"its account runs as many as it may",
         {[this] {
            jobs_of("t", {"a", "b"});
          },
          "b"}},
        {"its batch is being collected", {[batch] { batch(1s); }, "b"}},
        {"its batch is due", {[this, batch] { batch(1s), clock = 1s, (void)start(0); }, "a"}},
        {"its failed batch is large and comes back in parts", {[this] { large_batch(); }, "0"}},
        {"a batch of its type and account runs",
         {[this, batch] { order(Order::kCreated, 10), batch(0s), jobs_of("batch", {"c"}); }, "c"}},
        {"other accounts come first", {[this] { job("bolt", "x"), job("acme", "a"); }, "a"}},
        {"other bulks of its account come first",
         {[this] { order(Order::kFair), chunks("A", 2), chunks("B", 2); }, "B1"}},
        {"chunks of its bulk come first", {[this] { order(Order::kFair), chunks("A", 4); }, "A4"}},
        {"jobs of its account come first",
         {[this] { job("acme", "a"), job("acme", "b"), job("acme", "c"); }, "c"}},
        {"it is a replay's copy, and other jobs of its account come first",
         {[this] { copy_of("x"), job("acme", "a"), job("acme", "b"); }, "replay/r/x"}},
        {"every place of `--concurrency` is taken", {[this] { job("acme", "a"); }, "a"}},
    };
  }
};

TEST_F(WhyTable, EveryRowOfTheDocumentsTableIsWhatIsSaid) {
  auto rows = document_table("operations.md", "why");
  ASSERT_EQ(rows.count("what holds it"), 1u);
  rows.erase("what holds it");
  auto stories = waits();
  stories.merge(gates());
  stories.merge(turns());
  for (const auto& [what, story] : stories) {
    SCOPED_TRACE(what);
    ASSERT_EQ(rows.count(what), 1u) << "the document does not say it";
    begin();
    story.happens();
    EXPECT_PRED2(says, rows[what].at(0), why("acme", story.of));
  }
  EXPECT_EQ(rows.size(), stories.size()) << "the document has rows without a story";
}

TEST_F(WhyTable, AJobThatWaitsForSomethingIsWaitingAndNotReady) {
  begin();
  paused("pause/mail");
  EXPECT_EQ(state("acme", "a"), "waiting");
}

TEST_F(WhyTable, WhatHoldsTheWholePartitionIsSaidOfJobsThatNothingElseHolds) {
  begin();
  host.held = "its worker is busy elsewhere";
  job("acme", "a");
  job("acme", "b", "\"run_at\":" + ms(1min));
  EXPECT_EQ(why("acme", "a"), host.held);
  EXPECT_NE(why("acme", "b"), host.held);
}

// -- A whole partition

// The group notices a death before the lease is over.
struct ShortSession : Looping {
  ShortSession() : Looping({.seed = 5, .session_timeout = seconds(6)}) {}
};

TEST_F(ShortSession, WhySaysThatTheNextOwnerWaitsAndThatAWorkerLeaves) {
  ASSERT_NO_FATAL_FAILURE(die_with_a_job_in_flight());
  LoopWorker two(cluster, queue, 77);
  const PartitionId home = partition_of("acme", 4);
  const auto why = [&](const char* id) -> std::string {
    Tenure* const tenure = two.loop->tenure(home);
    const auto job = tenure && tenure->task()
                         ? tenure->task()->queries().find("acme", id, two.machine.now())
                         : std::nullopt;
    return job ? job->why : "";
  };
  ASSERT_TRUE(until([&] { return !why("a").empty(); }));
  EXPECT_TRUE(
      why("a").starts_with("its worker has taken over the partition and starts nothing before "))
      << why("a");
  ASSERT_TRUE(until([&] { return !two.executor_.held.empty(); }));
  EXPECT_TRUE(why("a").starts_with("attempt 1 runs since")) << why("a");
  produce("acme", "b", "held");
  ASSERT_TRUE(until([&] { return why("b") == "the account already runs 1 of 1 (\"a\")"; }));
  two.loop->stop(two.machine.now().boot + seconds(60));
  two.executor_.end_all();
  cluster.run_for(milliseconds(5));
  two.pass();
  ASSERT_TRUE(two.loop->tenure(home));
  EXPECT_EQ(why("b"), "its worker is handing over the partition: the next owner starts it");
}

// And appends are waited for longer than that too.
struct CutOff : Looping {
  CutOff()
      : Looping({.seed = 5, .session_timeout = seconds(120), .delivery_timeout = seconds(60)}) {}
};

TEST_F(CutOff, WhySaysThatTheLeaseIsOver) {
  LoopWorker& one = worker();
  ASSERT_TRUE(until([&] { return one.owned() == 4; }));
  cluster.run_for(seconds(1));
  one.machine.cut_data(cluster.now() + seconds(60));
  Tenure* const tenure = one.loop->tenure(partition_of("acme", 4));
  ASSERT_TRUE(until([&] { return !tenure->owner().may_start(one.machine.now()); }));
  ASSERT_FALSE(tenure->ended());
  EXPECT_EQ(
      tenure->attempts().held_back(one.machine.now()),
      "its worker starts nothing because Kafka acknowledges none of its commits and its lease "
      "is running out");
}

}  // namespace
}  // namespace penstock
