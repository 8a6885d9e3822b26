#include "consumer/handlers/exec/exec_executor.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <set>

#include "consumer/handlers/protocol/request_json.h"
#include "consumer/policy/error_pattern.h"
#include "handler_log.h"
#include "script.h"
#include "test_mailbox.h"
#include "timed_out.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

class Exec : public testing::Test {
 protected:
  ExecExecutor& with(int children = 1) {
    exec_.emplace(ExecHandler{script_.argv(), children}, log_.sink());
    return *exec_;
  }
  OutcomeValue outcome_of(const std::string& args, Duration timeout = 30s) {
    if (!exec_) with();
    start(++last_, args, timeout);
    return mailbox_.outcome();
  }
  std::string retry_text(const std::string& args) { return as<RetryLater>(outcome_of(args)).error; }
  void start(std::uint64_t number, std::string args, Duration timeout = 30s) {
    AttemptRequest attempt = request(number, std::move(args));
    attempt.timeout = timeout;
    exec_->start(std::move(attempt), mailbox_);
  }

  Script script_;
  HandlerLog log_;
  TestMailbox mailbox_;
  std::uint64_t last_ = 0;
  std::optional<ExecExecutor> exec_;  // goes first
};

TEST_F(Exec, HandsOverTheRequestOnOneLine) {
  AttemptRequest attempt = request(1, "{\"a\":\n 1}");
  const auto sent = nlohmann::json::parse(request_json(attempt));
  EXPECT_EQ(nlohmann::json::parse(as<NextIteration>(outcome_of("{\"a\":\n 1}")).cursor), sent);
}

TEST_F(Exec, ReadsEachAnswer) {
  as<Done>(outcome_of(R"({"lines":[{"ok":true}]})"));
  EXPECT_EQ(as<NextIteration>(outcome_of(R"({"lines":[{"next":[1]}]})")).cursor, "[1]");
  EXPECT_EQ(as<Snooze>(outcome_of(R"({"lines":[{"snooze":"30s"}]})")).in, 30s);
  EXPECT_EQ(as<Discard>(outcome_of(R"({"lines":[{"discard":"gone"}]})")).reason, "gone");
  EXPECT_EQ(as<CancelJob>(outcome_of(R"({"lines":[{"cancel":"no"}]})")).reason, "no");
  const auto retry = as<RetryLater>(outcome_of(R"({"lines":[{"error":"x","retry_in":"5s"}]})"));
  EXPECT_EQ(retry.error, "x");
  EXPECT_EQ(retry.in, 5s);
}

TEST_F(Exec, CarriesFollowUpJobs) {
  with();
  start(1, R"({"lines":[{"ok":true,"enqueue":[{"type":"a","queue":"q"}]}]})");
  const auto ended = mailbox_.next<AttemptEnded>();
  ASSERT_EQ(ended->enqueue.size(), 1u);
  EXPECT_EQ(ended->enqueue[0].queue, "q");
}

TEST_F(Exec, KeepsItsProcessFromOneRequestToTheNext) {
  as<Done>(outcome_of(R"({"log":"first","lines":[{"ok":true}]})"));
  as<Done>(outcome_of(R"({"log":"second","lines":[{"ok":true}]})"));
  log_.next("pid ");
  log_.next("second");
  start(++last_, R"({"then":"hang","log":"pid again"})");
  EXPECT_EQ(log_.next("pid "), "again") << "no other process began";
}

TEST_F(Exec, IgnoresAnswersWithAnotherToken) {
  as<Discard>(outcome_of(R"({"lines":[{"token":"x","ok":true},{"discard":"mine"}]})"));
}

TEST_F(Exec, PassesOnCheckpoints) {
  as<Done>(outcome_of(R"({"lines":[{"heartbeat":true},{"checkpoint":{"row":9}},{"ok":true}]})"));
  EXPECT_EQ(mailbox_.next<Checkpoint>()->cursor, R"({"row": 9})");
}

TEST_F(Exec, PassesOnProgress) {
  as<Done>(outcome_of(R"({"lines":[{"progress":{"n":1,"total":2}},{"ok":true}]})"));
  EXPECT_EQ(mailbox_.next<ProgressMade>()->total, 2);
}

// The loop takes over nothing, as while Kafka accepts no commit.
TEST_F(Exec, WhatItReportsWaitsInItsPipeUntilTheLoopHasTakenOverWhatCameBefore) {
  with();
  log_.next_process();  // its start is no part of an attempt's time
  mailbox_.take_nothing_over();
  std::string lines;
  const std::size_t count = ReportWindow::kMaxReports * 20;
  for (std::size_t i = 0; i < count; ++i) lines += R"({"checkpoint":)" + std::to_string(i) + "},";
  start(1, R"({"lines":[)" + lines + R"({"ok":true}],"log":"begun"})", 2s);
  ASSERT_TRUE(mailbox_.holds(ReportWindow::kMaxReports));
  wait_for_timeout(2500ms);
  EXPECT_EQ(mailbox_.size(), ReportWindow::kMaxReports);
  mailbox_.take_all_over();
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(1).key) << "it has not timed out meanwhile";
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(mailbox_.next<Checkpoint>()->cursor, std::to_string(i));
  }
}

TEST_F(Exec, WhatWaitsForTheLoopCanBeEnded) {
  with();
  mailbox_.take_nothing_over();
  const Fd process = log_.next_process();
  start(1, R"({"then":"steps","seconds":600})");
  ASSERT_TRUE(mailbox_.holds(ReportWindow::kMaxReports));
  exec_->kill(request(1).key);
  EXPECT_TRUE(ends(process));
  start(2, R"({"then":"steps","seconds":600})");
  ASSERT_TRUE(mailbox_.holds(2 * ReportWindow::kMaxReports));
  const Fd next = log_.next_process();
  exec_.reset();
  EXPECT_TRUE(ends(next));
}

TEST_F(Exec, LogsStandardError) {
  as<Done>(outcome_of(R"({"log":"two\nlines","lines":[{"ok":true}]})"));
  EXPECT_EQ(log_.next("two"), "");
  EXPECT_EQ(log_.next("lines"), "");
}

TEST_F(Exec, RetriesWhenTheProcessExits) {
  EXPECT_TRUE(retry_text(R"({"then":"exit"})").starts_with("handler process died: exit status 3"));
}

TEST_F(Exec, RetriesWhenTheProcessCrashesAndQuotesItsLastLine) {
  const std::string text = retry_text(R"({"then":"crash","log":"boom"})");
  EXPECT_EQ(
      text,
      "handler process died: killed by signal 11 (Segmentation fault), its last line: \"boom\"");
}

TEST_F(Exec, RetriesWhenTheProcessClosesItsOutput) {
  EXPECT_EQ(retry_text(R"({"then":"close"})"), "it closed its standard output");
}

TEST_F(Exec, CountsAnAnswerGivenRightBeforeTheEnd) {
  as<Done>(outcome_of(R"({"lines":[{"ok":true}],"then":"exit"})"));
}

TEST_F(Exec, ReplacesAProcessThatDied) {
  EXPECT_EQ(as<RetryLater>(outcome_of(R"({"then":"exit"})")).error_class, kExitedError);
  as<Done>(outcome_of(R"({"lines":[{"ok":true}]})"));
}

TEST_F(Exec, KillsAfterTheTimeout) {
  with();
  const Fd process = log_.next_process();
  const auto outcome = outcome_of(R"({"then":"hang"})", 300ms);
  EXPECT_EQ(as<RetryLater>(outcome).error, "timed out after 300ms");
  EXPECT_EQ(as<RetryLater>(outcome).error_class, kTimeoutError);
  EXPECT_TRUE(ends(process));
  as<Done>(outcome_of(R"({"lines":[{"ok":true}]})"));
}

TEST_F(Exec, LivesOnHeartbeatsPastTheTimeout) {
  with();
  const Fd process = log_.next_process();  // its start is no part of an attempt's time
  as<Done>(outcome_of(R"({"then":"beat","seconds":6})", 4s));
}

TEST_F(Exec, RetriesRubbishAndNamesItsStart) {
  with();
  const Fd process = log_.next_process();
  EXPECT_EQ(
      retry_text(R"({"lines":["Hello, world"],"then":"hang"})"),
      "the handler's output is not an answer: no JSON: \"Hello, world\" (neither a value nor a "
      "well-formed number at byte 0)");
  EXPECT_TRUE(ends(process)) << "it must not run on beside the retry";
}

TEST_F(Exec, RefusesALinePastTheMaximum) {
  EXPECT_TRUE(
      retry_text(R"({"then":"flood"})").starts_with("its answer line is longer than 16 MiB"));
}

TEST_F(Exec, SendsALargeRequestWhole) {
  const std::string args = R"({"x":")" + std::string(1'000'000, 'y') + R"("})";
  const auto echoed = nlohmann::json::parse(as<NextIteration>(outcome_of(args)).cursor);
  EXPECT_EQ(echoed.at("args").dump().size(), args.size());
}

TEST_F(Exec, KillsAtOnceAndSaysNothing) {
  with();
  start(1, R"({"then":"hang","log":"begun"})");
  const Fd process = log_.next_process();
  log_.next("begun");
  exec_->kill(request(1).key);
  EXPECT_TRUE(ends(process));
  start(2, R"({"lines":[{"ok":true}]})");
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(2).key);
  EXPECT_EQ(mailbox_.size(), 0u);
}

TEST_F(Exec, GivesEachChildOneRequestAtATime) {
  with(1);
  start(1, R"({"then":"hang","log":"begun"})");
  log_.next("begun");
  start(2, R"({"lines":[{"ok":true}]})");
  start(3, R"({"lines":[{"ok":true}]})");
  start(4, R"({"lines":[{"ok":true}]})");
  exec_->request_stop(request(1).key);
  exec_->request_stop(request(2).key);
  exec_->kill(request(3).key);
  const auto stopped = mailbox_.next<AttemptEnded>();
  EXPECT_EQ(stopped->key, request(2).key);
  as<Interrupted>(stopped->outcome);
  EXPECT_EQ(mailbox_.size(), 0u) << "the first goes on when asked to stop";
  exec_->kill(request(1).key);
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(4).key);
}

TEST_F(Exec, WhatIsAskedToStopEndsAtItsNextCheckpointAndIsNoFailure) {
  with();
  start(1, R"({"then":"steps","seconds":600})");
  (void)mailbox_.next<Checkpoint>();
  exec_->request_stop(request(1).key);
  const auto ended = mailbox_.next<AttemptEnded>();
  EXPECT_EQ(ended->key, request(1).key);
  as<Interrupted>(ended->outcome);
  start(2, R"({"lines":[{"checkpoint":1},{"ok":true}]})");
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(2).key)
      << "the next attempt is not asked to stop";
}

TEST_F(Exec, RunsItsChildrenBesideEachOther) {
  with(2);
  start(1, R"({"then":"hang"})");
  start(2, R"({"lines":[{"ok":true}]})");
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(2).key);
}

TEST_F(Exec, AnAttemptHasBegunWhenAChildTakesIt) {
  with(1);
  start(1, R"({"then":"hang","log":"taken"})");
  start(2, R"({"lines":[{"ok":true}]})");
  start(3, R"({"lines":[{"ok":true}]})");
  log_.next("taken");
  EXPECT_EQ(mailbox_.begun(), (std::vector<std::uint64_t>{1})) << "the others wait for the child";
  exec_->kill(request(2).key);
  exec_->kill(request(1).key);
  EXPECT_EQ(mailbox_.next<AttemptEnded>()->key, request(3).key);
  EXPECT_EQ(mailbox_.begun(), (std::vector<std::uint64_t>{1, 3}));
}

TEST_F(Exec, WorksThroughALine) {
  with(3);
  for (std::uint64_t i = 1; i <= 300; ++i) start(i, R"({"lines":[{"ok":true}]})");
  std::set<std::uint64_t> ended;
  for (int i = 0; i < 300; ++i) ended.insert(mailbox_.next<AttemptEnded>()->key.token.number);
  EXPECT_EQ(ended.size(), 300u);
}

TEST_F(Exec, EndsItsChildrenWithItself) {
  with(2);
  start(1, R"({"then":"hang"})");
  const Fd one = log_.next_process(), two = log_.next_process();
  exec_.reset();
  EXPECT_TRUE(ends(one));
  EXPECT_TRUE(ends(two));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a zombie is left";
  EXPECT_EQ(mailbox_.size(), 0u);
}

TEST_F(Exec, LetsAnIdleChildEndByItself) {
  const Script script(
      "import sys\nprint('up', file=sys.stderr, flush=True)\nsys.stdin.read()\n"
      "print('bye', file=sys.stderr)\n");
  exec_.emplace(ExecHandler{script.argv(), 1}, log_.sink());
  log_.next("up");
  exec_.reset();
  log_.next("bye");
}

TEST_F(Exec, EndsAChildThatIgnoresTheEndOfItsInputAndSigterm) {
  const Script script(
      "import os, signal, sys\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
      "print('pid', os.getpid(), file=sys.stderr, flush=True)\nwhile True: signal.pause()\n");
  exec_.emplace(ExecHandler{script.argv(), 1}, log_.sink());
  const Fd process = log_.next_process();
  exec_.reset();
  EXPECT_TRUE(ends(process));
}

TEST_F(Exec, RetriesWhileItsProgramCannotBeStarted) {
  exec_.emplace(ExecHandler{{"/nowhere/handler"}, 2}, log_.sink());
  EXPECT_EQ(retry_text("{}"),
            "handler process cannot start: /nowhere/handler: No such file or directory");
  EXPECT_EQ(log_.next("handler process cannot start"),
            ": /nowhere/handler: No such file or directory");
}

TEST_F(Exec, WaitsLongerAfterEachEarlyDeath) {
  const auto begin = std::chrono::steady_clock::now();
  exec_.emplace(ExecHandler{{"/bin/false"}, 1}, log_.sink());
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(retry_text("{}").starts_with("handler process died: exit status 1"));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 3 * RespawnPause::kFirst);
}

TEST_F(Exec, GivesChildrenNothingButTheirStandardStreams) {
  const Script script(
      "import os, sys\n"
      "print('fds', sorted(os.listdir('/proc/self/fd'))[:-1], file=sys.stderr, flush=True)\n"
      "sys.stdin.read()\n");
  const Fd inherited(dup(0));
  exec_.emplace(ExecHandler{script.argv(), 1}, log_.sink());
  EXPECT_EQ(log_.next("fds "), "['0', '1', '2']");
}

}  // namespace
}  // namespace penstock
