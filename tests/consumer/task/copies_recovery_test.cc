// What a replay knows after a restart, and of copies that come before it is known.
#include <nlohmann/json.hpp>

#include "consumer/replay/replay_filter.h"
#include "state/rows/keys.h"
#include "tests/consumer/task/copies_fixture.h"

namespace penstock {
namespace {

struct RecoveredCopies : Copying {
  // What another partition's replay has sent here.
  void sent_copy(const std::string& id, int number, Time started_at = {}) {
    record("acme", R"({"id":"replay/r/)" + id + R"(","type":"t"})",
           {{"penstock-message", "penstock.mail/1@5>penstock.mail/0#" + std::to_string(number)},
            {"penstock-derived", "1"},
            {"penstock-replay", R"({"id":"r","of":")" + id + R"(","source":"penstock.mail/1/0"})"},
            {"penstock-replay-started", std::to_string(to_ms(started_at))}});
  }
};

TEST_F(RecoveredCopies, ACommitDuringTheRestoreDoesNotBeginTheReplayAnew) {
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  start_replay();
  read_on();
  EXPECT_EQ(run_all(), "replay/r/a replay/r/b");
  commit();
  const ReplayRow before = row();
  restores = false;
  bounds.restored_rows = 1;
  make();
  task->set_control(&control, now());
  commit();
  while (task->restoring()) task->restore_some(now());
  EXPECT_EQ(row(), before);
  restores = true;
  make();
  task->set_control(&control, now());
  EXPECT_EQ(row(), before);
  read_on();
  EXPECT_EQ(run_all(), "");
}

TEST_F(RecoveredCopies, ACopyCountsThoughItsReplayIsNotKnownHereYet) {
  sent_copy("a", 1);
  EXPECT_EQ(run_all(), "replay/r/a");
  set("r", replay_all());
  EXPECT_EQ(row().counts.received, 1);
  EXPECT_EQ(row().counts.admitted, 1);
  EXPECT_EQ(row().counts.live(), 0);
}

TEST_F(RecoveredCopies, ARecordWithTheHeadersOfACopyIsAnOrdinaryJobUnlessItIsOne) {
  const std::string long_name(kMaxReplayNameBytes + 1, 'x');
  const std::string origin = R"({"id":"r","of":"a","source":"penstock.mail/1/0"})";
  const std::vector<std::pair<std::string, std::string>> forged = {
      {"a", origin},
      {"replay/r", origin},
      {"replay//a", R"({"id":"","of":"a","source":"s"})"},
      {"replay/" + long_name + "/a", R"({"id":")" + long_name + R"(","of":"a","source":"s"})"},
      {"replay/other/a", origin},
      {"replay/r/no-json", "r"},
      {"replay/r/no-source", R"({"id":"r","of":"a"})"},
      {"replay/r/no-text", R"({"id":"r","of":"a","source":1})"},
      {"replay/r/two-lines", "{\n" + origin.substr(1)}};
  int number = 0;
  for (const auto& [id, header] : forged) {
    record("acme", R"({"id":")" + id + R"(","type":"t"})",
           {{"penstock-message", "penstock.mail/1@5>penstock.mail/0#" + std::to_string(++number)},
            {"penstock-replay", header}});
    const auto info = task->queries().find("acme", id, now());
    ASSERT_TRUE(info) << id;
    EXPECT_FALSE(info->row.is_copy()) << id;
  }
  sent_copy("a", ++number);
  EXPECT_TRUE(task->queries().find("acme", "replay/r/a", now())->row.is_copy());
}

TEST_F(RecoveredCopies, ACopyOfALaterReplayOfTheNameCountsForThatOneWhicheverIsKnownHere) {
  start_replay();
  read_on();
  ReplayRecord cancelled = records["r"];
  cancelled.state = ReplayState::kCancelled;
  set("r", cancelled);
  ReplayRecord later = replay_all();
  later.started_at += 1s;
  for (ReplayRange& range : later.ranges) range.to = Offset{0};
  // Neither the end of the earlier one nor the later one is known here yet.
  sent_copy("a", 1, later.started_at);
  EXPECT_EQ(row().counts.received, 1);
  task->set_control(&control, now());
  EXPECT_EQ(run_all(), "replay/r/a");
  set("r", later);
  EXPECT_EQ(row().counts.received, 1);
  EXPECT_EQ(row().counts.ended[end_of(JobState::kSucceeded)], 1);
  EXPECT_FALSE(row().cancelled);
}

TEST_F(RecoveredCopies, ACopyThatEndsBeforeItsReplayIsKnownHereIsNotForgotten) {
  sent_copy("a", 1);
  EXPECT_EQ(run_all(), "replay/r/a");
  task->set_control(&control, now());
  task->replays().forget_deleted();
  set("r", replay_all());
  EXPECT_EQ(row().counts.received, 1);
  EXPECT_EQ(row().counts.ended[0], 1);
}

TEST(ReplayOfTheDead, ADeadCopyPassesOnTheIdOfTheFirstOriginal) {
  ReplayFilter filter(*parse_replay_terms(nlohmann::json::parse(R"({"dead":true})")),
                      "penstock.mail.dead");
  const HeaderView headers[] = {
      {"penstock-reason", "discarded"},
      {"penstock-source", "penstock.mail/0/3"},
      {"penstock-replay", R"({"id":"r","of":"a","source":"penstock.mail/0/3"})"}};
  const LogRecord record{Offset{0}, Time{}, "acme", R"({"id":"replay/r/a","type":"t"})", headers};
  const ReplayFilter::Verdict verdict = filter.judge(record, 0);
  EXPECT_TRUE(verdict.matches);
  EXPECT_EQ(verdict.of, "a");
  EXPECT_EQ(verdict.source, "penstock.mail/0/3");
}

TEST(ReplaysInControl, AReportThatArrivesAgainBehindALaterOneIsIgnored) {
  Control control;
  ReplayProgress report;
  report.commit = 7;
  report.done = true;
  const ReplayTarget target{"mail", "r"};
  ASSERT_TRUE(control.apply(replay_report_key(target, 0), to_json_text(report)));
  report.commit = 6;
  report.done = false;
  ASSERT_TRUE(control.apply(replay_report_key(target, 0), to_json_text(report)));
  EXPECT_TRUE(control.replay_reports(target)[0]->done);
}

TEST(ReplaysInControl, ALatePauseUndoesNeitherAResumeNorACancel) {
  Control control;
  const ReplayTarget target{"mail", "r"};
  ReplayRecord record;
  record.ranges = {{Offset{0}, Offset{1}}};
  ReplayRecord late = record;
  late.state = ReplayState::kPaused;
  record.resumes = 1;
  ASSERT_TRUE(control.apply(replay_key(target), to_json_text(record)));
  ASSERT_TRUE(control.apply(replay_key(target), to_json_text(late)));
  EXPECT_EQ(control.replay(target)->state, ReplayState::kRunning);
  record.state = ReplayState::kCancelled;
  late.resumes = 1;
  ASSERT_TRUE(control.apply(replay_key(target), to_json_text(record)));
  ASSERT_TRUE(control.apply(replay_key(target), to_json_text(late)));
  EXPECT_EQ(control.replay(target)->state, ReplayState::kCancelled);
}

TEST_F(RecoveredCopies, ACopyGetsTheConcurrencyOfAReplayThatBecomesKnownLater) {
  sent_copy("a", 1);
  EXPECT_TRUE(task->queries().find("acme", "replay/r/a", now()));
  ReplayRecord record = replay_all(R"({"concurrency":2})");
  for (ReplayRange& range : record.ranges) range.to = Offset{0};
  set("r", record);
  // Nobody has allotted a slot of it.
  EXPECT_EQ(start(), "");
  EXPECT_NE(why("acme", "replay/r/a").find("replay/mail/r"), std::string::npos);
}

TEST_F(RecoveredCopies, IdsGoWhenTheRangeWasReadOrTheReplayIsCancelled) {
  for (int i = 0; i < 3; ++i) job("acme", "j" + std::to_string(i));
  (void)run_all();
  start_replay("r");
  read_on(1);
  commit();
  EXPECT_EQ(rows_of(keys::kReplayIds), 1u);
  change("r", ReplayState::kCancelled);
  commit();
  EXPECT_EQ(rows_of(keys::kReplayIds), 0u);
  start_replay("s");
  read_on(2);
  commit();
  EXPECT_EQ(rows_of(keys::kReplayIds), 1u);
  read_on();
  commit();
  EXPECT_EQ(rows_of(keys::kReplayIds), 0u);
}

TEST_F(RecoveredCopies, CopiesOfTwoReplaysAreNotHandedOverTogether) {
  TypePolicy policy;
  policy.batch = BatchPolicy{.max = 10};
  types.add("t", policy);
  job("acme", "a");
  job("acme", "b");
  start();
  end("a");
  start_replay("r");
  read_on();
  start_replay("s");
  read_on();
  start();
  EXPECT_EQ(handed(), "replay/r/a replay/r/b");
  change("s", ReplayState::kPaused);
  end("replay/r/a");
  EXPECT_EQ(start(), "");
}

// As a sweep does, which carries what the view shows.
TEST_F(RecoveredCopies, IdsThatAreErasedAreNotSeenAnyMore) {
  job("acme", "a");
  job("acme", "b");
  (void)run_all();
  start_replay();
  read_on(1);
  commit();
  read_on();
  task->save(seq + 1);
  const std::string prefix(1, keys::kReplayIds);
  int seen = 0;
  view->scan(prefix, keys::after_prefix(prefix),
             [&](std::string_view, std::string_view) { return ++seen, true; });
  EXPECT_EQ(seen, 0);
}

}  // namespace
}  // namespace penstock
