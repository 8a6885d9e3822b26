// What a copy is: a test for each line of the table in docs/replay.md.
#include <nlohmann/json.hpp>

#include "consumer/replay/copy_record.h"
#include "state/log/outbox.h"
#include "tests/consumer/task/copies_fixture.h"
#include "topics/partitioner.h"

namespace penstock {
namespace {

nlohmann::json value_of(Task& task, const std::string& account, const std::string& id, Now now) {
  const auto info = task.queries().find(account, id, now);
  return info ? nlohmann::json::parse(info->row.value) : nlohmann::json();
}

TEST_F(Copying, ACopyHasTheNameOfItsReplayAndTheIdOfItsOriginal) {
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay();
  read_on();
  EXPECT_EQ(run_all(), "replay/r/a");
  EXPECT_EQ(row().counts.admitted, 1);
  EXPECT_EQ(row().counts.ended[0], 1);
  EXPECT_TRUE(row().read);
}

TEST_F(Copying, ARecordWithoutAnIdIsCopiedUnderItsPlace) {
  record("acme", R"({"type":"t"})");
  EXPECT_EQ(run_all(), "penstock.mail/0/0");
  start_replay();
  read_on();
  EXPECT_EQ(run_all(), "replay/r/penstock.mail/0/0");
}

TEST_F(Copying, TypeArgsPriorityWeightMetaAndHeadersAreTheSame) {
  record("acme",
         R"({"type":"t","id":"a","args":{"n":1.50},"priority":5,"weight":3,"meta":{"m":[1]}})",
         {{"traceparent", "00-1"}, {"penstock-other", "x"}});
  start_replay();
  read_on();
  const auto info = task->queries().find("acme", "replay/r/a", now());
  ASSERT_TRUE(info);
  EXPECT_EQ(info->row.type, "t");
  EXPECT_EQ(info->row.priority, 5);
  EXPECT_EQ(info->row.weight, 3);
  ASSERT_EQ(info->row.headers.size(), 1u);
  EXPECT_EQ(info->row.headers[0].name, "traceparent");
  EXPECT_NE(info->row.value.find(R"("args":{"n":1.50})"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(info->row.value)["meta"]["m"][0], 1);
}

TEST_F(Copying, APastRunAtIsNowAndAFutureOneStaysTheSame) {
  job("acme", "past", "\"run_at\":" + ms(-1h));
  job("acme", "future", "\"run_at\":" + ms(1h));
  EXPECT_EQ(run_all(), "past");
  start_replay();
  read_on();
  EXPECT_EQ(run_all(), "replay/r/past");
  EXPECT_EQ(state("acme", "replay/r/future"), "scheduled");
  clock += 1h;
  EXPECT_EQ(run_all(), "future replay/r/future");
}

TEST_F(Copying, ACopyDoesNotExpireUnlessItIsAskedTo) {
  job("acme", "a", "\"expires_at\":" + ms(1s));
  clock += 2s;
  EXPECT_EQ(run_all(), "");
  start_replay("r");
  read_on();
  EXPECT_EQ(run_all(), "replay/r/a");
  start_replay("kept", R"({"keep_expiry":true})");
  read_on();
  EXPECT_EQ(run_all(), "");
  EXPECT_EQ(row("kept").counts.ended[4], 1);
}

TEST_F(Copying, ACopyCountsTowardsNoBulkAndCausesNoSecondOnDone) {
  job("acme", "a", R"("bulk":{"id":"b","index":0,"size":1,"on_done":{"type":"t","id":"d"}})");
  EXPECT_EQ(run_all(), "a");
  commit();
  const std::size_t before = messages("penstock.mail").size();
  start_replay();
  read_on();
  EXPECT_FALSE(value_of(*task, "acme", "replay/r/a", now()).contains("bulk"));
  EXPECT_EQ(run_all(), "replay/r/a");
  commit();
  EXPECT_EQ(messages("penstock.mail").size(), before);
}

TEST_F(Copying, CommandsBadRecordsAndRepeatsAreLeftOutAndCounted) {
  job("acme", "a");
  job("acme", "a");
  command("cancel", "acme", "a");
  record("acme", "no json");
  record("acme", std::nullopt);
  start_replay();
  read_on();
  EXPECT_EQ(row().counts.scanned, 5);
  EXPECT_EQ(row().counts.matched, 2);
  EXPECT_EQ(row().counts.admitted, 1);
  EXPECT_EQ(left_out(LeftOut::kRepeat), 1);
  EXPECT_EQ(left_out(LeftOut::kCommand), 1);
  EXPECT_EQ(left_out(LeftOut::kBad), 2);
}

TEST_F(Copying, ARepeatIsLeftOutThoughTheFirstCopyEndedBeforeTheWindow) {
  queue.dedup_window = 0h;
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay();
  read_on(1);
  EXPECT_EQ(run_all(), "replay/r/a");
  commit();
  clock += 48h;
  restart_with_replays();
  read_on();
  EXPECT_EQ(run_all(), "");
  EXPECT_EQ(left_out(LeftOut::kRepeat), 1);
}

TEST_F(Copying, WhatTheCopyEnqueuesHasIdsOfItsOwn) {
  job("acme", "a");
  start(1);
  end("a", Done{}, {{"", "", R"({"type":"t"})"}, {"", "", R"({"type":"t","id":"mail-1"})"}});
  start_replay();
  read_on();
  start(1);
  end("replay/r/a", Done{},
      {{"", "", R"({"type":"t"})"}, {"", "", R"({"type":"t","id":"mail-1"})"}});
  commit();
  std::vector<std::string> ids;
  for (const auto& message : messages("penstock.mail"))
    ids.push_back(nlohmann::json::parse(*message.value)["id"]);
  EXPECT_EQ(ids, (std::vector<std::string>{"a/1", "mail-1", "replay/r/a/1", "replay/r/mail-1"}));
}

TEST_F(Copying, WhatTheCopyEnqueuesKeepsItsArgumentsByteForByte) {
  const std::string args = R"("args":{"n":12345678901234567890123,"m":1.10})";
  job("acme", "a");
  (void)run_all();
  start_replay();
  read_on();
  start(1);
  end("replay/r/a", Done{}, {{"", "", R"({"type":"t","id":"mail-1",)" + args + "}"}});
  commit();
  ASSERT_EQ(messages("penstock.mail").size(), 1u);
  EXPECT_EQ(messages("penstock.mail")[0].value,
            R"({"id":"replay/r/mail-1","type":"t",)" + args + "}");
}

TEST_F(Copying, ThroughAProgramThatEchoesArgumentsPassByteForByte) {
  const std::string args = R"("args":{"n":12345678901234567890123,"m":1.10})";
  job("acme", "a", args);
  (void)run_all();
  start_replay("r", R"({"through":["/bin/cat"]})");
  const std::string value = *input[0].value;
  const LogRecord record{Offset{0}, base(), "acme", value, {}};
  const Copies::Reading of = task->copies().sources().front().of;
  const auto line = task->copies().line_for(of, record);
  ASSERT_TRUE(line);
  task->advance(now());
  ASSERT_TRUE(task->copies().take_answered(of, record, line));
  const auto info = task->queries().find("acme", "replay/r/a", now());
  ASSERT_TRUE(info);
  EXPECT_NE(info->row.value.find(args), std::string::npos) << info->row.value;
}

TEST_F(Copying, AForwardedRecordIsCopiedOnceFromWhereItWasFirst) {
  queue.partitions = 2;
  std::string here = "a", there = "a";
  while (partition_of(here, 2) != 0) here += "a";
  while (partition_of(there, 2) != 1) there += "a";
  job(there, "lost");
  // What partition 1 had forwarded to this one.
  record(here, R"({"type":"t","id":"found"})",
         {{"penstock-message", "penstock.mail/1@5>penstock.mail/0#1"},
          {"penstock-origin", "penstock.mail/1/0"}});
  start_replay();
  read_on();
  commit();
  EXPECT_EQ(row().counts.forwarded, 1);
  EXPECT_EQ(left_out(LeftOut::kForwarded), 1);
  bool sent = false;
  for (const auto& message : messages("penstock.mail")) {
    if (!message.headers.contains("penstock-replay")) continue;
    sent = true;
    EXPECT_EQ(message.to.partition, 1);
    EXPECT_EQ(nlohmann::json::parse(*message.value)["id"], "replay/r/lost");
  }
  EXPECT_TRUE(sent);
}

TEST_F(Copying, TheHandlerIsToldWhatItIsACopyOf) {
  job("acme", "a");
  start_replay();
  read_on();
  const auto info = task->queries().find("acme", "replay/r/a", now());
  ASSERT_TRUE(info);
  EXPECT_EQ(nlohmann::json::parse(info->row.replay),
            nlohmann::json::parse(R"({"id":"r","of":"a","source":"penstock.mail/0/0"})"));
}

TEST_F(Copying, CopiesForAnotherQueueAreSentThereAndDoNotRunHere) {
  host.queues["shadow"] = 4;
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay("r", R"({"to_queue":"shadow"})");
  read_on();
  commit();
  EXPECT_EQ(run_all(), "");
  const auto there = messages("penstock.shadow");
  ASSERT_EQ(there.size(), 1u);
  EXPECT_EQ(there[0].to.partition, partition_of("acme", 4));
  EXPECT_EQ(there[0].headers.at("penstock-replay-queue"), "mail");
  EXPECT_EQ(row().counts.sent, 1);
  EXPECT_TRUE(task->replays().find("r")->is_done());
}

// -- Order

TEST_F(Copying, AnAccountsLiveJobsStartBeforeItsCopiesWhichKeepTheirOrder) {
  job("acme", "a");
  job("acme", "b");
  EXPECT_EQ(run_all(), "a b");
  start_replay();
  read_on();
  job("acme", "c");
  job("acme", "d");
  EXPECT_EQ(run_all(), "c d replay/r/a replay/r/b");
}

TEST_F(Copying, LiveJobsComeFirstInEveryOrder) {
  for (const Order order : {Order::kStrict, Order::kReady, Order::kFair, Order::kCreated}) {
    queue.order = order;
    begin_again();
    job("acme", "a");
    job("acme", "b");
    EXPECT_EQ(run_all(), "a b");
    start_replay();
    read_on();
    commit();
    job("acme", "c");
    EXPECT_EQ(run_all(), "c replay/r/a replay/r/b") << static_cast<int>(order);
  }
}

TEST_F(Copying, AccountConcurrencyCoversLiveJobsAndCopies) {
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay();
  read_on();
  EXPECT_EQ(start(1), "replay/r/a");
  job("acme", "b");
  EXPECT_EQ(start(), "");
  end("replay/r/a");
  EXPECT_EQ(start(), "b");
}

TEST_F(Copying, AccountsWithLiveJobsComeBeforeThoseWithCopiesAlone) {
  for (int i = 0; i < 5; ++i) job("old" + std::to_string(i), "x");
  (void)run_all();
  start_replay();
  read_on();
  job("new1", "a");
  job("new2", "b");
  EXPECT_EQ(start(2), "a b");
}

TEST_F(Copying, EveryTenthTurnIsForCopies) {
  job("old", "x");
  EXPECT_EQ(run_all(), "x");
  start_replay();
  read_on();
  for (int i = 0; i < 20; ++i) job("new" + std::to_string(i), "n" + std::to_string(i));
  std::vector<std::string> order;
  for (std::string id = start(1); !id.empty(); id = start(1)) {
    order.push_back(id);
    end(id);
  }
  const auto at = std::find(order.begin(), order.end(), "replay/r/x") - order.begin();
  EXPECT_EQ(at, 9);
}

// -- Uniqueness

struct UniqueCopies : Copying {
  void use(UniqueScope scope, OnConflict on_conflict = OnConflict::kDrop) {
    TypePolicy policy;
    policy.unique = UniquePolicy{
        {}, scope, on_conflict, scope == UniqueScope::kTtl ? Duration(1h) : Duration(0)};
    types.add("t", policy);
  }
};

TEST_F(UniqueCopies, ACopyYieldsToALiveJobThatHoldsItsLock) {
  for (const OnConflict on_conflict :
       {OnConflict::kDrop, OnConflict::kReplace, OnConflict::kDead}) {
    use(UniqueScope::kUntilDone, on_conflict);
    begin_again();
    job("acme", "a");
    EXPECT_EQ(run_all(), "a");
    job("acme", "b");
    start_replay();
    read_on();
    EXPECT_EQ(run_all(), "b") << static_cast<int>(on_conflict);
    EXPECT_EQ(row().counts.ended[3], row().counts.admitted);
    EXPECT_TRUE(dead().empty());
  }
}

TEST_F(UniqueCopies, ALiveJobIsNotDroppedForAWaitingCopy) {
  use(UniqueScope::kUntilDone);
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay();
  read_on();
  job("acme", "b");
  EXPECT_EQ(run_all(), "b");
  EXPECT_EQ(row().counts.ended[3], 1);
}

TEST_F(UniqueCopies, ALiveJobIsNotDroppedForARunningCopyButRunsAfterIt) {
  use(UniqueScope::kUntilDone);
  queue.account_concurrency = 2;
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay();
  read_on();
  EXPECT_EQ(start(1), "replay/r/a");
  job("acme", "b");
  EXPECT_EQ(start(1), "");
  end("replay/r/a");
  EXPECT_EQ(start(1), "b");
}

TEST_F(UniqueCopies, ALockThatItsOriginalHoldsUntilATimeDoesNotBlockACopy) {
  use(UniqueScope::kTtl);
  job("acme", "a");
  EXPECT_EQ(run_all(), "a");
  start_replay();
  read_on();
  EXPECT_EQ(run_all(), "replay/r/a");
  // The lock of the original is still held.
  job("acme", "b");
  EXPECT_EQ(run_all(), "");
}

// -- Exactly once

TEST_F(Copying, AReplayGoesOnAfterARestartAndCopiesEachRecordOnce) {
  for (int i = 0; i < 10; ++i) job("acme", "j" + std::to_string(i));
  (void)run_all();
  start_replay();
  read_on(4);
  commit();
  read_on(3);
  restart_with_replays();
  EXPECT_EQ(row().next.value, 4);
  read_on();
  std::string expected;
  for (int i = 0; i < 10; ++i) expected += (i ? " replay/r/j" : "replay/r/j") + std::to_string(i);
  EXPECT_EQ(run_all(), expected);
  EXPECT_EQ(row().counts.admitted, 10);
}

TEST_F(Copying, ARecordIsCopiedOnlyOnceItHasBecomeAJobItself) {
  make();
  input.push_back({"acme", R"({"type":"t","id":"a"})", {}});
  start_replay();
  read_on();
  EXPECT_EQ(row().counts.scanned, 0);
  feed();
  read_on();
  EXPECT_EQ(row().counts.scanned, 1);
}

// -- What operators do

TEST_F(Copying, APausedReplayReadsNothingAndItsCopiesWait) {
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  start_replay();
  read_on(1);
  change("r", ReplayState::kPaused);
  EXPECT_TRUE(task->copies().sources().empty());
  EXPECT_EQ(run_all(), "");
  EXPECT_NE(why("acme", "replay/r/a").find("replay \"r\" to be resumed"), std::string::npos);
  change("r", ReplayState::kRunning);
  read_on();
  EXPECT_EQ(run_all(), "replay/r/a replay/r/b");
}

TEST_F(Copying, TheCopiesOfACancelledReplayEndWithoutRunning) {
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  start_replay();
  read_on(1);
  change("r", ReplayState::kCancelled);
  read_on();
  EXPECT_EQ(run_all(), "");
  EXPECT_EQ(row().counts.ended[2], 1);
  EXPECT_EQ(row().counts.admitted, 1);
}

TEST_F(Copying, ItPausesItselfWhenTooManyCopiesDie) {
  EXPECT_EQ(die_until_paused(), 3);
  start();
  commit();
  const auto said = messages("penstock.control");
  const auto paused = std::find_if(said.begin(), said.end(), [](const auto& message) {
    return message.key == "replay/mail/r/0/pause";
  });
  ASSERT_NE(paused, said.end());
  const auto pause = parse_replay_pause(*paused->value);
  ASSERT_TRUE(pause);
  EXPECT_TRUE(pause->counts_for(records["r"]));
  EXPECT_NE(pause->reason.find("dead"), std::string::npos);
}

TEST_F(Copying, ANewOwnerPausesForTheDeadThatAnEarlierOneCounted) {
  (void)die_until_paused();
  commit();
  restart_with_replays();  // the control topic has not been told of the pause
  read_on();
  EXPECT_EQ(start(1), "");
}

TEST_F(Copying, ARateBoundsHowManyCopiesAreMade) {
  for (int i = 0; i < 100; ++i) job("acme", "j" + std::to_string(i));
  (void)run_all();
  start_replay("r", R"({"rate":"10/s"})");
  read_on();
  const std::int64_t first = row().counts.admitted;
  EXPECT_LE(first, 2);
  clock += 1s;
  for (int i = 0; i < 10; ++i) {
    read_on();
    clock += 100ms;
  }
  EXPECT_LE(row().counts.admitted, first + 12);
  EXPECT_GE(row().counts.admitted, first + 8);
}

TEST_F(Copying, ItsConcurrencyIsASharedLimit) {
  queue.account_concurrency = 10;
  for (int i = 0; i < 5; ++i) job("a" + std::to_string(i), "j");
  (void)run_all();
  start_replay("r", R"({"concurrency":2})");
  read_on();
  EXPECT_EQ(start(), "");
  EXPECT_NE(why("a0", "replay/r/j").find("replay/mail/r"), std::string::npos)
      << why("a0", "replay/r/j");
}

TEST_F(Copying, ReportsTellWhatThePartitionHasDone) {
  job("acme", "a");
  (void)run_all();
  start_replay();
  read_on();
  (void)run_all();
  start();
  commit();
  const auto said = messages("penstock.control");
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back().key, "replay/mail/r/0");
  const auto progress = parse_replay_progress(*said.back().value);
  ASSERT_TRUE(progress);
  EXPECT_TRUE(progress->done);
  EXPECT_EQ(progress->counts.ended[0], 1);
}

TEST_F(Copying, ADeletedReplayLeavesNothing) {
  job("acme", "a");
  (void)run_all();
  start_replay();
  read_on();
  (void)run_all();
  commit();
  EXPECT_EQ(rows_of('p'), 1u);
  ASSERT_TRUE(control.apply(replay_key({"mail", "r"}), std::nullopt));
  task->set_control(&control, now());
  task->replays().forget_deleted();
  commit();
  EXPECT_EQ(rows_of('p'), 0u);
  EXPECT_EQ(rows_of('n'), 0u);
}

}  // namespace
}  // namespace penstock
