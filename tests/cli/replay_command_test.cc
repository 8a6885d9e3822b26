// The replay commands on a simulated log; the test plays the workers.
#include <gmock/gmock.h>

#include "cli/commands.h"
#include "cli/replay/replay_follow.h"
#include "cli/replay/replay_options.h"
#include "cli/replay/replay_view.h"
#include "tests/cli/program_run.h"
#include "tests/cli/temporary_file.h"
#include "tests/consumer/operate/replay_stage.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

struct ReplayCommand : testing::Test {
  ReplayStage stage;
  ReplayCommand() { stage.jobs(0, "acme", 3); }

  Printed run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--brokers", "b:1", "replay"});
    std::ostringstream out, err;
    Output output(out, err, Terminal());
    Program program(output, {.open_log = [this](const Config&) -> Result<std::unique_ptr<Log>> {
                               return stage.another_log();
                             },
                             .open_sender = {}});
    add_commands(program);
    const int status = program.run(arguments);
    return {status, out.str(), err.str()};
  }
  Printed start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"start", "--queue", "mail", "--id", "r", "--detach"});
    return run(std::move(arguments));
  }
  Printed on(const std::string& command, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {command, "r", "--queue", "mail"});
    return run(std::move(arguments));
  }
  // The terms of the replay "r", as they are kept.
  ordered_json terms(std::vector<std::string> arguments) {
    const Printed printed = start(std::move(arguments));
    EXPECT_EQ(printed.status, 0) << printed.err;
    const auto view = stage.desk().show({"mail", "r"});
    return view ? to_json(view->record.terms) : ordered_json();
  }
};

TEST_F(ReplayCommand, AStartThatIsNotFollowedShowsTheReplay) {
  const Printed printed = start({"--json"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  const auto json = ordered_json::parse(printed.out);
  EXPECT_EQ(json["id"], "r");
  EXPECT_EQ(json["state"], "running");
  EXPECT_EQ(json["records"], 3);
  EXPECT_THAT(printed.err, HasSubstr("Started the replay \"r\", which reads 3 records."));
}

TEST_F(ReplayCommand, EveryOptionIsOneOfTheTerms) {
  EXPECT_EQ(terms({"--from",        "2026-03-01T12:00:00Z",
                   "--to",          "1772452800000",
                   "--type",        "a",
                   "--type",        "b",
                   "--account",     "acme",
                   "--where",       "/n=7",
                   "--where",       "/s=x y",
                   "--rate",        "5/s",
                   "--concurrency", "3",
                   "--max-dead",    "1%",
                   "--keep-expiry"}),
            ordered_json::parse(
                R"({"from":"2026-03-01T12:00:00.000Z","to":"2026-03-02T12:00:00.000Z",
                    "types":["a","b"],"accounts":["acme"],"where":{"/n":7,"/s":"x y"},
                    "rate":"5/s","concurrency":3,"max_dead":"1%","keep_expiry":true})"));
}

TEST_F(ReplayCommand, OffsetsMayBeGivenTogetherOrOneByOne) {
  EXPECT_EQ(
      terms({"--offsets", "0:1-2,1:0-", "--to-queue", "shadow", "--through", "exec:/bin/cat -u"}),
      ordered_json::parse(R"({"offsets":{"0":[1,2],"1":[0,null]},"to_queue":"shadow",
                                    "through":["/bin/cat","-u"]})"));
  EXPECT_EQ(start({"--offsets", "0:1-2", "--offsets", "1:0", "--to-queue", "shadow", "--through",
                   "exec:/bin/cat -u"})
                .status,
            0);
}

TEST_F(ReplayCommand, IdsComeFromAFile) {
  const TemporaryFile ids("b\r\n\na\nb\n");
  EXPECT_EQ(terms({"--ids", ids.path(), "--dead", "--reason", "crashed"}),
            ordered_json::parse(R"({"dead":true,"reasons":["crashed"],"ids":["a","b"]})"));
}

TEST_F(ReplayCommand, AJobIsNamedByItsIdAloneOrBesideAFile) {
  const TemporaryFile ids("b\n");
  EXPECT_EQ(terms({"--job", "acme-2", "--job", "acme-0"}),
            ordered_json::parse(R"({"ids":["acme-0","acme-2"]})"));
  EXPECT_EQ(on("cancel").status, 0);
  EXPECT_EQ(on("delete").status, 0);
  EXPECT_EQ(terms({"--job", "c", "--ids", ids.path(), "--job", "a"}),
            ordered_json::parse(R"({"ids":["a","b","c"]})"));
  EXPECT_THAT(start({"--job", "acme-2", "--dry-run"}).out, HasSubstr("1 of 3 records would be"));
}

TEST_F(ReplayCommand, WrongUsageIsStatus2AndSaysWhatWasExpected) {
  const TemporaryFile none("\n"), many(std::string(kMaxReplayBytes, 'x') + "\n" + "y\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--from", "yesterday"}, "an age such as 2h"},
      {{"--offsets", "0"}, "PARTITION:FROM-TO"},
      {{"--offsets", "0:x-2"}, "PARTITION:FROM-TO"},
      {{"--offsets", "0:2-1"}, "not below from"},
      {{"--offsets", "0:1-2", "--offsets", "0:5-6"}, "more than once"},
      {{"--offsets", "7:1-2"}, "partition 7"},
      {{"--where", "n=7"}, "/pointer=value"},
      {{"--where", "/n=7", "--where", "/n=8"}, "two values for /n"},
      {{"--where", "/n=\xff"}, "UTF-8"},
      {{"--ids", none.path()}, "has no ids"},
      {{"--ids", many.path()}, "divide them"},
      {{"--ids", "/nonexistent/ids"}, "cannot read"},
      {{"--ids", "/nonexistent/ids", "--job", "a"}, "cannot read"},
      {{"--through", "noop"}, "exec:/path"},
      {{"--reason", "crashed"}, "without \"dead\""},
      {{"--rate", "often"}, "often"}};
  for (const auto& [arguments, expected] : cases) {
    const Printed printed = start(arguments);
    EXPECT_EQ(printed.status, 2) << arguments[0] << ": " << printed.err;
    EXPECT_THAT(printed.err, HasSubstr(expected));
  }
  EXPECT_EQ(run({"start", "--queue", "mail"}).status, 2);
  EXPECT_EQ(run({"start", "--id", "r"}).status, 2);
  EXPECT_EQ(run({"start", "--queue", "mail", "--id", "a/b"}).status, 2);
  EXPECT_EQ(stage.told(), 0);
}

TEST_F(ReplayCommand, ASecondStartWithAnAgeIsToldWhyItsTermsDiffer) {
  EXPECT_EQ(start({"--from", "2026-03-01T12:00:00Z"}).status, 0);
  EXPECT_EQ(start({"--from", "2026-03-01T12:00:00Z"}).status, 0);
  const Printed aged = start({"--from", "2h"});
  EXPECT_EQ(aged.status, 1);
  EXPECT_THAT(aged.err, HasSubstr("An age such as 2h counts from now"));
  const Printed other = start({"--from", "2026-03-02T12:00:00Z"});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, Not(HasSubstr("An age")));
}

TEST_F(ReplayCommand, TheShortFormNamesTheReplayAfterTheTime) {
  const Printed printed = run({"--queue", "mail", "--from", "2h", "--detach", "--json"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  const std::string id = ordered_json::parse(printed.out)["id"];
  EXPECT_THAT(id, testing::MatchesRegex("replay-[0-9]+T[0-9]+Z"));
  EXPECT_THAT(printed.err, HasSubstr(id));
}

TEST_F(ReplayCommand, ADryRunPrintsWhatWouldBeCopied) {
  const Printed printed = start({"--where", "/n=1", "--dry-run"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out,
            "1 of 3 records would be copied; left out: -\n"
            "type send: 1\naccount acme: 1\n"
            "sample acme/acme-1 (send, penstock.mail/0/1) {\"n\":1}\n");
  EXPECT_EQ(stage.told(), 0);
}

TEST_F(ReplayCommand, AReplayIsChangedAndListed) {
  EXPECT_EQ(start({}).status, 0);
  const Printed paused = on("pause", {"--json"});
  EXPECT_EQ(ordered_json::parse(paused.out)["state"], "paused");
  EXPECT_EQ(paused.err, "Paused the replay \"r\".\n");
  EXPECT_EQ(on("resume").status, 0);
  const Printed list = run({"list"});
  EXPECT_THAT(list.out, testing::StartsWith("mail\tr\trunning\t"));
  EXPECT_EQ(
      ordered_json::parse(run({"list", "--queue", "mail", "--json"}).out)["partitions"].size(), 2u);
  EXPECT_EQ(run({"list", "--queue", "shadow"}).out, "");
  EXPECT_EQ(on("delete").status, 1);
  EXPECT_EQ(on("cancel").status, 0);
  EXPECT_EQ(on("resume").status, 1);
  EXPECT_EQ(on("delete").status, 0);
  for (const char* const command : {"show", "pause", "resume", "cancel", "delete"})
    EXPECT_EQ(on(command).status, 3) << command;
}

TEST_F(ReplayCommand, AReplayIsFoundByItsNameAmongAllQueues) {
  EXPECT_EQ(start({}).status, 0);
  EXPECT_EQ(ordered_json::parse(run({"show", "r", "--json"}).out)["queue"], "mail");
  EXPECT_EQ(run({"pause", "r"}).status, 0);
  EXPECT_EQ(ordered_json::parse(run({"resume", "r", "--json"}).out)["state"], "running");
  EXPECT_EQ(run({"cancel", "r"}).status, 0);
  EXPECT_EQ(run({"delete", "r"}).status, 0);
  for (const char* const command : {"show", "pause", "resume", "cancel", "delete"}) {
    const Printed none = run({command, "r"});
    EXPECT_EQ(none.status, 3) << command;
    EXPECT_THAT(none.err, HasSubstr("no queue has a replay \"r\"; see `penstock replay list`"));
  }
}

TEST_F(ReplayCommand, ANameThatSeveralQueuesHaveNeedsTheQueue) {
  EXPECT_EQ(start({}).status, 0);
  EXPECT_EQ(run({"start", "--queue", "shadow", "--id", "r", "--detach"}).status, 0);
  const std::int64_t told = stage.told();
  for (const char* const command : {"show", "pause", "resume", "cancel", "delete"}) {
    const Printed several = run({command, "r"});
    EXPECT_EQ(several.status, 2) << command;
    EXPECT_THAT(several.err, HasSubstr("2 queues have a replay \"r\" (mail, shadow): name one "
                                       "with --queue"));
  }
  EXPECT_EQ(stage.told(), told);
  EXPECT_EQ(on("cancel").status, 0);
  EXPECT_EQ(ordered_json::parse(run({"show", "r", "--queue", "shadow", "--json"}).out)["state"],
            "finished");
}

TEST_F(ReplayCommand, AListHasTheReplaysOfAllQueuesUnlessOneIsNamed) {
  EXPECT_EQ(start({}).status, 0);
  EXPECT_EQ(run({"start", "--queue", "shadow", "--id", "s", "--detach"}).status, 0);
  EXPECT_THAT(run({"list"}).out,
              testing::ContainsRegex("^mail\tr\trunning\t[^\n]*\nshadow\ts\tfinished\t"));
  EXPECT_THAT(run({"list", "--queue", "shadow"}).out, testing::StartsWith("shadow\ts\t"));
}

TEST_F(ReplayCommand, ShowPrintsATableWithARowPerPartition) {
  EXPECT_EQ(start({}).status, 0);
  stage.report({"mail", "r"}, 0, ReplayStage::progress(Offset{2}, false));
  const std::string shown = run({"show", "r"}).out;
  EXPECT_THAT(shown, HasSubstr("scanned       2\nmatched       2\n"));
  EXPECT_THAT(shown, HasSubstr("\n0\t1\t2\t2\t2\t0\t2\t0\t2027-"));
  EXPECT_THAT(shown, HasSubstr("\n1\t0\t0\t0\t0\t0\t0\t0\t-\t-\t-\n"));
}

TEST_F(ReplayCommand, WhatRetentionHasRemovedIsSaidAtOnce) {
  stage.cluster().trim(ReplayStage::kTopic, 0, Offset{2});
  const std::string removed =
      "Retention has removed 2 records that may have belonged to it; the oldest one left is of ";
  const Printed dry = start({"--dry-run"});
  EXPECT_THAT(dry.out, HasSubstr("1 of 1 records would be copied; left out: -\n" + removed));
  const Printed started = start({});
  EXPECT_THAT(started.err, HasSubstr("which reads 1 records. " + removed));
  EXPECT_THAT(started.out, HasSubstr("\nremoved       " + removed));
  EXPECT_THAT(run({"show", "r"}).out, HasSubstr("\nremoved       " + removed));
}

TEST_F(ReplayCommand, WhatRetentionHasRemovedHasNoOldestRecordWhereNoneIsLeft) {
  stage.cluster().trim(ReplayStage::kTopic, 0, Offset{3});
  const Printed started = start({});
  EXPECT_THAT(started.err, HasSubstr("which reads 0 records. Retention has removed 3 records that "
                                     "may have belonged to it.\n"));
  EXPECT_THAT(start({}).err, HasSubstr("Retention has removed 3 records"));
}

// -- What is shown of a replay

struct Shown : testing::Test {
  std::ostringstream out, err;
  ReplayView view;
  const Time started = time_from_ms(1'800'000'098'000);  // two seconds before the report

  Shown() {
    view.target = {"mail", "r"};
    view.record.ranges = {{Offset{0}, Offset{100}}, {Offset{10}, Offset{20}}};
    view.record.started_at = started;
    view.record.started_by = "ann@host";
    ReplayProgress progress = ReplayStage::progress(Offset{50}, false);
    progress.counts.matched = 45;
    progress.counts.left_out[static_cast<std::size_t>(LeftOut::kCommand)] = 5;
    progress.counts.left_out[static_cast<std::size_t>(LeftOut::kRepeat)] = 1;
    progress.counts.admitted = 44;
    progress.counts.ended[end_of(JobState::kSucceeded)] = 30;
    progress.counts.ended[end_of(JobState::kDead)] = 2;
    progress.running = 4;
    view.reports = {progress};
    view.totals = totals_of(view.record, view.reports);
  }
  std::string text(Terminal terminal = {}) {
    Output output(out, err, terminal);
    show_replay(output, view, started + std::chrono::seconds(3));
    return out.str();
  }
};

TEST_F(Shown, TotalsComeFirstThenARowPerPartition) {
  EXPECT_EQ(text(),
            "id            r\n"
            "queue         mail\n"
            "state         running\n"
            "terms         {}\n"
            "started       2027-01-15T08:01:38.000Z by ann@host\n"
            "records       110, 60 left to read\n"
            "scanned       50\n"
            "matched       45\n"
            "left out      5 command, 1 repeat\n"
            "admitted      44\n"
            "sent          0\n"
            "waiting       8\n"
            "running       4\n"
            "ended         30 succeeded, 2 dead\n"
            "rate          25 records/s\n"
            "ends about    2027-01-15T08:01:43.400Z\n"
            "\n"
            "PARTITION\tLEFT\tSCANNED\tMATCHED\tADMITTED\tSENT\tWAITING\tRUNNING\tREPORTED\t"
            "LEFT OUT\tENDED\n"
            "0\t50\t50\t45\t44\t0\t8\t4\t2027-01-15T08:01:40.000Z\t5 command, 1 repeat\t"
            "30 succeeded, 2 dead\n"
            "1\t10\t0\t0\t0\t0\t0\t0\t-\t-\t-\n");
}

TEST_F(Shown, ATerminalGetsAlignedColumns) {
  const std::string shown = text({.out = true});
  EXPECT_THAT(shown, HasSubstr("\nPARTITION  LEFT  SCANNED  MATCHED  ADMITTED  SENT  WAITING  "
                               "RUNNING  REPORTED                  LEFT OUT             ENDED\n"
                               "0          50    50       45       44        0     8        4  "));
  EXPECT_EQ(shown.find("PARTITION"), shown.rfind("PARTITION"));
}

TEST_F(Shown, EveryOneOfManyPartitionsHasItsRow) {
  view.record.ranges.resize(1500);
  const std::string shown = text();
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 18 + 1500);
  EXPECT_THAT(shown, HasSubstr("\n1499\t0\t0\t"));
}

TEST_F(Shown, TheRateIsOfCopiesOnceAllIsReadAndAReplayThatIsPausedHasNoEnd) {
  view.reports[0]->next = Offset{100};
  view.record.ranges[1] = {};
  view.record.state = ReplayState::kPaused;
  view.record.reason = "too many died";
  view.reports[0]->counts.ended[end_of(JobState::kSucceeded)] = 1;
  view.totals = totals_of(view.record, view.reports);
  const std::string shown = text();
  EXPECT_THAT(shown, HasSubstr("state         paused: too many died\n"));
  EXPECT_THAT(shown, HasSubstr("rate          1.5 copies/s\nends about    -\n"));
  view.record.started_at -= std::chrono::hours(1);
  out.str("");
  EXPECT_THAT(text(), HasSubstr("rate          below 0.1 copies/s\n"));
}

// -- Following, look by look

struct Following : testing::Test {
  std::ostringstream out, err;
  Output output{out, err, Terminal()};
  ReplayView view;
  int looks = 0;

  Following() {
    view.target = {"mail", "r"};
    view.record.ranges = {{Offset{0}, Offset{100}}, {Offset{0}, Offset{0}}};
    view.totals = totals_of(view.record, {});
  }
  void report(ReplayProgress progress) {
    view.reports = {std::move(progress)};
    view.totals = totals_of(view.record, view.reports);
  }
  // Calls `then` at each look, until the user has had enough.
  ReplayAnswer<ReplayView> follow(const std::function<void()>& then, int enough = 1000) {
    return ReplayFollow(output, {.look = [&]() -> ReplayAnswer<ReplayView> {
                                   then();
                                   return view;
                                 },
                                 .wait = [&] { return ++looks <= enough; }})
        .run(view);
  }
};

TEST_F(Following, EndsWhenTheReplayHasFinished) {
  const auto last = follow([this] {
    if (looks == 3) report(ReplayStage::progress(Offset{100}, true));
  });
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(state_name(last->record, last->totals), "finished");
}

TEST_F(Following, EndsWhenTheReplayPausesItself) {
  const auto last = follow([this] {
    if (looks < 2) return;
    view.record.state = ReplayState::kPaused;
    view.record.reason = "too many died";
  });
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(last->record.reason, "too many died");
}

TEST_F(Following, EndsWithTheUsersPatienceAndLeavesTheReplayAlone) {
  const auto last = follow([] {}, 4);
  EXPECT_EQ(state_name(last->record, last->totals), "running");
}

TEST_F(Following, EndsWithTheErrorWhenKafkaDoesNotAnswer) {
  const auto last =
      ReplayFollow(output, {.look = []() -> ReplayAnswer<ReplayView> {
                              return tl::unexpected(ReplayProblem{
                                  ReplayProblem::Kind::kUnavailable, "no answer", {}});
                            },
                            .wait = [] { return true; }})
          .run(view);
  EXPECT_EQ(last.error().message, "no answer");
}

TEST_F(Following, SaysOnceThatNoWorkerReportsAPartitionThatHasRecords) {
  ASSERT_TRUE(follow([] {}, 3 * ReplayFollow::kNoReportFor));
  const std::string said = err.str();
  EXPECT_THAT(said, HasSubstr("No worker has reported anything of 1 partition yet"));
  EXPECT_EQ(said.find("No worker"), said.rfind("No worker"));
}

TEST_F(Following, DoesNotSayThatOfPartitionsThatReport) {
  ASSERT_TRUE(follow([this] { report(ReplayStage::progress(Offset{5}, false)); }, 30));
  EXPECT_THAT(err.str(), Not(HasSubstr("No worker")));
}

TEST_F(Following, DrawsAProgressBarOnATerminalAndRemovesIt) {
  Output terminal(out, err, {.err = true});
  const auto last =
      ReplayFollow(terminal, {.look = [&]() -> ReplayAnswer<ReplayView> {
                                const bool over = looks == 3;
                                report(ReplayStage::progress(Offset{over ? 100 : 50}, over));
                                return view;
                              },
                              .wait = [&] { return ++looks <= 3; }})
          .run(view);
  ASSERT_TRUE(last);
  const std::string half =
      "\r\x1b[K[" + std::string(20, '#') + std::string(20, '.') + "] 50%  50 of 100 records";
  const std::string full = "\r\x1b[K[" + std::string(40, '#') + "] 100%  100 of 100 records";
  EXPECT_EQ(err.str(), half + full + "\r\x1b[K");
}

TEST_F(Following, PrintsALineNowAndThenWithoutATerminal) {
  ASSERT_TRUE(follow([this] { report(ReplayStage::progress(Offset{looks}, false)); },
                     3 * ReplayFollow::kTellEvery));
  const std::string said = err.str();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 3);
  EXPECT_THAT(said, HasSubstr("running: 5 of 100 records read, 5 copies"));
}

}  // namespace
}  // namespace penstock
