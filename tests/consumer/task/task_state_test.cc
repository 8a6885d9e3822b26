// What a restart finds: the same jobs; and a task under everything at once.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

TEST_F(Tasking, ATaskRebuiltFromTheStoreShowsTheSameJobs) {
  queue.account_concurrency = 2;
  for (int i = 0; i < 100; ++i) {
    const std::string account = "acme" + std::to_string(i % 5);
    job(account, "j" + std::to_string(i), i % 3 == 0 ? "\"run_at\":" + ms(Duration{i * 10}) : "");
    record(account, R"({"type":"other","id":"p)" + std::to_string(i) + "\"}");
  }
  start();
  for (const auto& started : std::vector(host.starts)) {
    const int which = std::stoi(started.id.substr(1)) % 4;
    if (which == 0) end(started.id);
    if (which == 1) end(started.id, RetryLater{"no", {}});
    if (which == 2) end(started.id, Discard{"no"});
  }
  start();
  commit();
  const auto before = all_jobs();
  const Offset next = task->input_next();
  restart();
  EXPECT_EQ(task->input_next(), next);
  // A start by itself is no row: that of a running job tells of what it waited for.
  const auto after = all_jobs();
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, bytes] : before) {
    ASSERT_TRUE(after.contains(name)) << name;
    JobRow was = *JobRow::decode(bytes), is = *JobRow::decode(after.at(name));
    was.started_at = is.started_at = Time{};
    EXPECT_EQ(was.encode(), is.encode()) << name;
  }
}

TEST_F(Tasking, WhatNoCommitHoldsIsTakenFromTheInputAgain) {
  job("acme", "a");
  commit();
  job("acme", "b");
  start();
  end("a");
  restart();
  EXPECT_EQ(start(), "a");
  end("a");
  EXPECT_EQ(start(), "b");
  end("b");
  commit();
  restart();
  EXPECT_EQ(start(), "");
  EXPECT_EQ(task->jobs(), 0u);
}

TEST_F(Tasking, MessagesBelongToTheCommitThatIsBuiltAlsoAfterEmptyOnes) {
  make();
  commit();
  commit();
  record("acme", "rubbish");
  outbox->counted(seq);
  EXPECT_TRUE(dead().empty());
  commit();
  EXPECT_EQ(dead().size(), 1u);
}

TEST_F(Tasking, SkippedInputIsPartOfTheState) {
  make();
  EXPECT_EQ(task->input_next(), Offset{0});
  task->skip_to(Offset{7});
  EXPECT_TRUE(task->dirty());
  commit();
  EXPECT_FALSE(task->dirty());
  make();
  EXPECT_EQ(task->input_next(), Offset{7});
}

// -- Why it is not running

TEST_F(Tasking, WhySaysWhatALiveJobWaitsFor) {
  job("acme", "a");
  EXPECT_EQ(state("acme", "a"), "ready");
  EXPECT_NE(why("acme", "a").find("its turn is next"), std::string::npos);
  start();
  job("acme", "b");
  job("acme", "due", "\"run_at\":" + ms(1h));
  EXPECT_NE(why("acme", "a").find("attempt 1 runs since"), std::string::npos);
  EXPECT_EQ(state("acme", "b"), "waiting");
  EXPECT_NE(why("acme", "b").find("already runs 1 of 1 (\"a\")"), std::string::npos);
  EXPECT_NE(why("acme", "due").find("waits for its run_at, 2027-"), std::string::npos);
  end("a", RetryLater{"boom", {}});
  EXPECT_NE(why("acme", "a").find("waits for its retry at 2027-"), std::string::npos);
  EXPECT_NE(why("acme", "a").find("(attempt 2): boom"), std::string::npos);
}

TEST_F(Tasking, WhyCountsTheJobsOfOtherTypesThatComeFirst) {
  types.add("u", {});
  queue.account_concurrency = 2;
  make();
  for (const char* id : {"a1", "a2"}) job("acme", id);
  record("acme", R"({"type":"u","id":"b"})");
  job("acme", "a3");
  EXPECT_NE(why("acme", "a1").find("its turn is next"), std::string::npos);
  EXPECT_EQ(why("acme", "b"), "2 jobs of the account run before it, first \"a1\"");
  EXPECT_EQ(why("acme", "a3"), "3 jobs of the account run before it, first \"a1\"");
  (void)task->start_ready(1, now());
  EXPECT_EQ(why("acme", "b"), "1 job of the account runs before it, first \"a2\"");
  (void)task->start_ready(1, now());
  end("a1");
  EXPECT_NE(why("acme", "b").find("its turn is next"), std::string::npos) << why("acme", "b");
}

TEST_F(Tasking, WhyNamesWhatAStrictLineWaitsFor) {
  queue.order = Order::kStrict;
  job("acme", "a", "\"run_at\":" + ms(1h));
  job("acme", "b");
  job("acme", "c");
  start();
  EXPECT_NE(why("acme", "b").find("an earlier job of the account waits until"), std::string::npos);
}

TEST_F(Tasking, EachJobStopsWhenItIsTold) {
  for (int i = 0; i < 10; ++i) job("acme" + std::to_string(i), "a");
  int seen = 0;
  task->queries().each_job(now(), [&](const JobInfo&) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

TEST_F(Tasking, AskedAllToStopEachAttemptIsAskedOnce) {
  for (int i = 0; i < 3; ++i) job("acme" + std::to_string(i), "a");
  start();
  task->ask_all_to_stop();
  task->ask_all_to_stop();
  EXPECT_EQ(host.stops.size(), 3u);
  EXPECT_EQ(task->attempts().tokens().size(), 3u);
}

// -- Everything at once

// Random records, outcomes, commands, commits and deaths; whatever they do, every job that was
// admitted ends exactly once where it counts, and accounts never run more than they may.
struct Story : Tasking {
  std::set<std::string> ids;
  std::map<std::string, int> ends;  // by id, of outcomes whose commit counted
  std::vector<std::string> ended;   // since the last commit
  std::map<std::string, std::string> running;

  void TestBody() override {}

  void step() {
    switch (*rc::gen::inRange(0, 12)) {
      case 0:
      case 1:
      case 2:
        return add();
      case 3:
      case 4:
        return run();
      case 5:
      case 6:
      case 7:
        return finish();
      case 8:
        return settle_commit();
      case 9:
        return die();
      case 10:
        clock += Duration{*rc::gen::inRange(0, 20'000)};
        return;
      default:
        return tell();
    }
  }
  static std::string account_of(const std::string& id) {
    return "acme" + std::to_string(std::stoi(id) % 3);
  }
  void add() {
    const std::string id = std::to_string(*rc::gen::inRange(0, 60));
    ids.insert(id);
    job(account_of(id), id, *rc::gen::inRange(0, 4) == 0 ? "\"run_at\":" + ms(clock + 5s) : "");
  }
  void tell() {
    const std::string id = std::to_string(*rc::gen::inRange(0, 60));
    command("reschedule", account_of(id), id,
            "\"run_at\":" + ms(clock + Duration{*rc::gen::inRange(0, 9000)}));
  }
  void run() {
    if (!task) return;
    const std::size_t before = host.starts.size();
    start(*rc::gen::inRange(1, 5));
    for (std::size_t i = before; i < host.starts.size(); ++i) {
      RC_ASSERT(running.emplace(host.starts[i].id, host.starts[i].account).second);
      RC_ASSERT(!ends.contains(host.starts[i].id));
    }
    std::map<std::string, int> at_once;
    for (const auto& [id, account] : running)
      RC_ASSERT(++at_once[account] <= queue.account_concurrency);
  }
  void finish() {
    if (running.empty()) return;
    const auto at = std::next(running.begin(), *rc::gen::inRange<std::ptrdiff_t>(
                                                   0, static_cast<std::ptrdiff_t>(running.size())));
    const std::string id = at->first;
    running.erase(at);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return end(id, Snooze{3s});
      case 1:
        return end(id, Interrupted{"stop"});
      case 2:
        return end(id, NextIteration{"1"});
      default:
        end(id);
    }
    ended.push_back(id);
  }
  void settle_commit() {
    if (!task) return;
    commit();
    for (const std::string& id : ended) ++ends[id];
    ended.clear();
  }
  void die() {
    if (!task) return;
    running.clear();
    ended.clear();
    restart();
  }
  void bring_to_its_end() {
    if (!task) return;
    for (int turn = 0; turn < 1000 && (task->jobs() > 0 || task->live_jobs() > 0); ++turn) {
      clock += 20s;
      run();
      while (!running.empty()) {
        const std::string id = running.begin()->first;
        running.erase(running.begin());
        end(id);
        ended.push_back(id);
      }
      settle_commit();
    }
    settle_commit();
    for (const std::string& id : ids) RC_ASSERT(ends[id] == 1);
    RC_ASSERT(rows_of('l') + rows_of('d') + rows_of('i') == 0u);
  }
};

RC_GTEST_PROP(Task, EveryJobEndsOnceWhateverHappens, ()) {
  Story story;
  story.queue.account_concurrency = *rc::gen::inRange(1, 4);
  story.queue.order = *rc::gen::element(Order::kCreated, Order::kReady, Order::kStrict);
  for (int left = *rc::gen::inRange(0, 150); left > 0; --left) story.step();
  story.bring_to_its_end();
}

TEST_F(Tasking, ProgressIsPartOfTheStateAndSurvivesADeath) {
  job("acme", "a");
  (void)start();
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.progress, -1);
  task->progress(token("a"), 3, 10);
  const Token late = token("a");
  commit();
  restart();
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.progress, 3);
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.progress_total, 10);
  (void)start();
  task->progress(late, 4, 10);
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.progress, 3)
      << "of an attempt that is over";
}

// -- Interrupted jobs

TEST_F(Tasking, AnInterruptedJobGoesOnFromItsCheckpointAndSpendsNoAttempt) {
  job("acme", "a");
  start();
  task->checkpoint(token("a"), "41");
  end("a", Interrupted{"stopped at its checkpoint"});
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().cursor, "41");
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.attempt, 1);
}

TEST_F(Tasking, ADeathGoesBackToTheLastCommittedCursor) {
  job("acme", "a");
  start();
  task->checkpoint(token("a"), "1");
  commit();
  task->checkpoint(token("a"), "2");  // no commit has it
  restart();
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().cursor, "1");
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.attempt, 1)
      << "a death spends no attempt";
}

TEST_F(Tasking, ACheckpointKeepsThePlaceAndNextGivesTheSchedulerItsSay) {
  job("acme", "a");
  job("bolt", "b");
  EXPECT_EQ(start(1), "a");
  task->checkpoint(token("a"), "1");
  EXPECT_EQ(start(0), "");
  EXPECT_EQ(task->attempts().running(), 1u);
  end("a", NextIteration{"2"});
  EXPECT_EQ(start(1), "b") << "its turn comes before the next iteration's";
}

// -- What a checkpoint produces

struct CheckpointFollowUps : Tasking {
  static constexpr std::string_view kOne = R"({"type":"t"})";

  static std::vector<FollowUp> some(int count) {
    return std::vector<FollowUp>(static_cast<std::size_t>(count),
                                 FollowUp{"", "", std::string(kOne)});
  }
  // The ids of what has been produced, in order.
  [[nodiscard]] std::string produced() const {
    std::string ids;
    for (const auto& message : messages("penstock.mail")) {
      ids += (ids.empty() ? "" : " ") +
             nlohmann::json::parse(*message.value).at("id").get<std::string>();
    }
    return ids;
  }
  void begin() {
    job("acme", "a");
    commit();
    start();
  }
};

TEST_F(CheckpointFollowUps, HaveTheHeadersThatTheHandlerGave) {
  begin();
  std::vector<FollowUp> jobs = some(1);
  jobs[0].headers = {{"traceparent", "00-1"}};
  task->checkpoint(token("a"), "1", jobs);
  commit();
  ASSERT_EQ(messages("penstock.mail").size(), 1u);
  EXPECT_EQ(messages("penstock.mail")[0].headers.at("traceparent"), "00-1");
}

TEST_F(CheckpointFollowUps, CountTheirHeaders) {
  begin();
  std::vector<FollowUp> jobs = some(2);
  jobs[1].headers = {{"x", std::string(kMaxFollowUpBytes, 'x')}};
  task->checkpoint(token("a"), "1", jobs);
  commit();
  EXPECT_EQ(produced(), "") << "together they are too large for a commit, so none is produced";
}

TEST_F(CheckpointFollowUps, AreProducedWithItAndNumberedOnToTheEnd) {
  begin();
  task->checkpoint(token("a"), "1", some(2));
  task->checkpoint(token("a"), "2", some(1));
  EXPECT_EQ(produced(), "") << "not before the commit counts";
  commit();
  EXPECT_EQ(produced(), "a/1 a/2 a/3");
  commit();  // they have left
  restart();
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().cursor, "2");
  end("a", NextIteration{"3"}, some(1));
  start();
  task->checkpoint(token("a"), "4", some(1));
  end("a", Done{}, some(1));
  commit();
  EXPECT_EQ(produced(), "a/1 a/2 a/3 a/4 a/5 a/6");
}

TEST_F(CheckpointFollowUps, HaveTheSameIdsWhenADeathTookTheCommit) {
  begin();
  task->checkpoint(token("a"), "1", some(2));
  restart();
  EXPECT_EQ(produced(), "");
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().cursor, "");
  task->checkpoint(token("a"), "1", some(2));
  commit();
  EXPECT_EQ(produced(), "a/1 a/2");
}

TEST_F(CheckpointFollowUps, StayWhenTheAttemptIsStoppedOrFailsLater) {
  begin();
  task->checkpoint(token("a"), "1", some(1));
  end("a", Interrupted{"stopped"});
  EXPECT_EQ(start(), "a");
  task->checkpoint(token("a"), "2", some(1));
  end("a", RetryLater{"no", {}}, some(1));
  commit();
  EXPECT_EQ(produced(), "a/1 a/2") << "those behind the cursor come again with the retry";
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.cursor, "2");
}

TEST_F(CheckpointFollowUps, ThatAreRefusedFailTheAttemptAndLeaveTheCursorWhereItWas) {
  begin();
  task->checkpoint(token("a"), "1", some(1));
  task->checkpoint(token("a"), "2", std::vector<FollowUp>{{"", "", "{}"}});
  EXPECT_EQ(host.stops, std::vector<Token>{token("a")}) << "it need not go on";
  EXPECT_EQ(task->queries().find("acme", "a", now())->row.cursor, "1");
  EXPECT_NE(task->queries().find("acme", "a", now())->row.reason.find("enqueue"),
            std::string::npos);
  task->checkpoint(token("a"), "3", some(1));
  end("a", Done{}, some(1));
  EXPECT_EQ(state("acme", "a"), "retrying");
  commit();
  EXPECT_EQ(produced(), "a/1");
  clock = 11s;
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts.back().cursor, "1");
  task->checkpoint(token("a"), "2", some(1));
  end("a");
  commit();
  EXPECT_EQ(produced(), "a/1 a/2");
}

TEST_F(CheckpointFollowUps, AreMeasuredWithWhatStandsAroundThem) {
  const std::string account(100, 'a'), topic = "penstock.mail";
  job(account, "a");
  commit();
  start();
  std::vector<FollowUp> all;
  for (std::size_t bytes = 0; bytes <= kMaxFollowUpBytes;) {
    all.push_back({"", "", R"({"type":"t","id":")" + std::to_string(all.size()) + "\"}"});
    bytes += follow_up_bytes(all.back().record, account, topic);
  }
  const FollowUp one_more = all.back();
  all.pop_back();
  const std::size_t before = view->batch().size();
  task->checkpoint(token("a"), "1", all);
  const std::size_t rows = view->batch().size() - before;
  EXPECT_GT(rows, kMaxFollowUpBytes * 8 / 10) << "the measure is close to the truth";
  EXPECT_LE(rows, kMaxFollowUpBytes);
  commit();
  EXPECT_EQ(task->queries().find(account, "a", now())->row.cursor, "1");
  all.push_back(one_more);
  task->checkpoint(token("a"), "2", all);
  EXPECT_EQ(task->queries().find(account, "a", now())->row.reason,
            "enqueue: " + std::string(kTooManyFollowUps));
  end("a");
  EXPECT_EQ(state(account, "a"), "retrying");
}

TEST_F(CheckpointFollowUps, OfAnAttemptThatIsOverAreNotProduced) {
  begin();
  const Token late = token("a");
  end("a", NextIteration{"1"});
  start();
  task->checkpoint(late, "2", some(1));
  commit();
  EXPECT_EQ(produced(), "");
}

}  // namespace
}  // namespace penstock
