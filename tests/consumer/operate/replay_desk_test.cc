#include "consumer/operate/replay_desk.h"

#include <gmock/gmock.h>

#include "consumer/worker/control_client.h"
#include "tests/consumer/operate/replay_stage.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Kind = ReplayProblem::Kind;

struct DeskTest : testing::Test {
  ReplayStage stage;
  ReplayDesk desk = stage.desk();
  ReplayTarget target{"mail", "r"};

  DeskTest() {
    stage.jobs(0, "acme", 4);
    stage.jobs(1, "globex", 2);
  }
  ReplayAnswer<ReplayView> start(const std::string& terms = "{}") {
    return desk.start(target, replay_terms(terms), "ann@host", stage.now());
  }
  ReplayAnswer<ReplayView> change(ReplayChange change) {
    return desk.change(target, change, "bob@host", stage.now());
  }
  void finish() {
    stage.report(target, 0, ReplayStage::progress(Offset{4}, true));
    stage.report(target, 1, ReplayStage::progress(Offset{2}, true));
  }
  nlohmann::json shown() {
    const auto view = desk.show(target);
    EXPECT_TRUE(view) << (view ? "" : view.error().message);
    return view ? nlohmann::json(to_json(*view, stage.now(), true)) : nlohmann::json();
  }
};

template <typename T>
Kind kind_of(const ReplayAnswer<T>& answer) {
  EXPECT_FALSE(answer);
  return answer.error().kind;
}

TEST_F(DeskTest, AStartResolvesTheRangesOnceAndIsShownToEverybody) {
  const Time started = stage.now();
  const auto made = start(R"({"types":["send"]})");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->made);
  stage.jobs(0, "acme", 3);
  const auto json = shown();
  EXPECT_EQ(json["id"], "r");
  EXPECT_EQ(json["queue"], "mail");
  EXPECT_EQ(json["state"], "running");
  EXPECT_EQ(json["reason"], nullptr);
  EXPECT_EQ(json["started_at"], format_rfc3339(started));
  EXPECT_EQ(json["started_by"], "ann@host");
  EXPECT_EQ(json["records"], 6);
  EXPECT_EQ(json["partitions"][0]["to"], 4);
  EXPECT_EQ(json["rate"], nullptr);
  EXPECT_EQ(json["estimated_end"], nullptr);
}

TEST_F(DeskTest, ASecondStartWithTheSameTermsChangesNothing) {
  ASSERT_TRUE(start(R"({"ids":["b","a"]})"));
  const std::int64_t told = stage.told();
  const auto again = start(R"({"ids":["a","b"]})");
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->made);
  EXPECT_EQ(again->record.started_by, "ann@host");
  EXPECT_EQ(stage.told(), told);
}

TEST_F(DeskTest, ASecondStartWithOtherTermsIsRefusedAndSaysWhatDiffers) {
  ASSERT_TRUE(start(R"({"rate":"5/s"})"));
  const auto other = start(R"({"rate":"6/s"})");
  EXPECT_EQ(kind_of(other), Kind::kConflict);
  EXPECT_THAT(other.error().message, HasSubstr(R"("rate": "6/s", that one has "5/s")"));
  EXPECT_THAT(start().error().message, HasSubstr("rate"));
  EXPECT_THAT(start(R"({"rate":"5/s","dead":true})").error().message, HasSubstr("dead"));
}

// A start while another one, by bob, has looked for the replay and has not put its own yet.
struct SimultaneousStarts : DeskTest {
  ReplayAnswer<ReplayView> bobs(const std::string& terms, std::function<void()> meanwhile) {
    // Where the desk resolves the ranges.
    InterruptedLog log(stage.log(), ReplayStage::kTopic, std::move(meanwhile));
    return ReplayDesk(log, "penstock", ReplayStage::queues())
        .start(target, replay_terms(terms), "bob@host", stage.now());
  }
  [[nodiscard]] ReplayRecord kept() {
    const auto view = desk.show(target);
    EXPECT_TRUE(view);
    return view ? view->record : ReplayRecord();
  }
};

TEST_F(SimultaneousStarts, TheFirstInTheLogCountsAndTheOtherIsRefused) {
  ReplayRecord anns;
  const auto bob = bobs(R"({"rate":"6/s"})", [&] { anns = start(R"({"rate":"5/s"})")->record; });
  EXPECT_EQ(kind_of(bob), Kind::kConflict);
  EXPECT_THAT(bob.error().message, HasSubstr(R"("rate": "6/s", that one has "5/s")"));
  EXPECT_EQ(kept(), anns);
}

TEST_F(SimultaneousStarts, WithEqualTermsTheOtherIsShownTheFirst) {
  ReplayRecord anns;
  stage.pass(std::chrono::seconds(1));
  const auto bob = bobs("{}", [&] {
    anns = start()->record;
    stage.jobs(0, "acme", 3);  // these do not belong to it
  });
  ASSERT_TRUE(bob) << bob.error().message;
  EXPECT_FALSE(bob->made);
  EXPECT_EQ(bob->record, anns);
  EXPECT_EQ(kept(), anns);
}

TEST_F(SimultaneousStarts, TheFirstStaysAsItWasChangedMeanwhile) {
  const auto bob = bobs(R"({"rate":"6/s"})", [&] {
    ASSERT_TRUE(start());
    ASSERT_TRUE(change(ReplayChange::kPause));
  });
  EXPECT_EQ(kind_of(bob), Kind::kConflict);
  EXPECT_EQ(shown()["state"], "paused");
  EXPECT_EQ(shown()["started_by"], "ann@host");
}

TEST_F(SimultaneousStarts, OneThatWasDeletedMeanwhileDoesNotCount) {
  const auto bob = bobs(R"({"rate":"6/s"})", [&] {
    ASSERT_TRUE(start());
    ASSERT_TRUE(change(ReplayChange::kCancel));
    ASSERT_TRUE(desk.remove(target, 0ms));
  });
  ASSERT_TRUE(bob) << bob.error().message;
  EXPECT_TRUE(bob->made);
  EXPECT_EQ(kept().started_by, "bob@host");
}

TEST_F(SimultaneousStarts, OfThreeTheLastTwoFindTheFirst) {
  ReplayRecord anns;
  const auto carl = bobs(R"({"rate":"7/s"})", [&] {
    const auto bob = bobs(R"({"rate":"6/s"})", [&] { anns = start(R"({"rate":"5/s"})")->record; });
    EXPECT_EQ(kind_of(bob), Kind::kConflict);
  });
  EXPECT_EQ(kind_of(carl), Kind::kConflict);
  EXPECT_EQ(kept(), anns);
}

TEST_F(DeskTest, NamesAndQueuesAreChecked) {
  target.name = "a/b";
  EXPECT_EQ(start().error().member, "/id");
  target = {"male", "r"};
  EXPECT_EQ(kind_of(start()), Kind::kNotFound);
  EXPECT_EQ(kind_of(desk.list("male")), Kind::kNotFound);
  target = {"mail", "r"};
  EXPECT_EQ(start(R"({"to_queue":"shadwo"})").error().member, "/to_queue");
  EXPECT_EQ(start(R"({"to_queue":"mail"})").error().member, "/to_queue");
  EXPECT_EQ(start(R"({"offsets":{"2":[0,1]}})").error().member, "/offsets");
  EXPECT_EQ(kind_of(desk.show(target)), Kind::kNotFound);
  EXPECT_TRUE(start(R"({"to_queue":"shadow"})"));
}

TEST_F(DeskTest, AConfigWithoutQueuesLetsEveryQueueBeNamed) {
  ReplayDesk any(stage.log(), "penstock", {});
  const auto made = any.start(target, replay_terms(R"({"to_queue":"elsewhere"})"), "ann", {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->record.ranges.size(), 2u);
  EXPECT_EQ(kind_of(any.start({"no queue", "r"}, {}, "ann", {})), Kind::kNotFound);
}

TEST_F(DeskTest, ATopicWithOtherPartitionsThanTheConfigSaysIsRefused) {
  auto queues = ReplayStage::queues();
  queues[0].partitions = 3;
  ReplayDesk other(stage.log(), "penstock", queues);
  EXPECT_EQ(kind_of(other.start(target, {}, "ann", {})), Kind::kConflict);
}

TEST_F(DeskTest, TermsThatDoNotFitARecordAreRefused) {
  ReplayTerms terms;
  for (int i = 0; i < 9000; ++i) terms.ids.push_back(std::to_string(i) + std::string(100, 'x'));
  const auto made = desk.start(target, terms, "ann", stage.now());
  EXPECT_EQ(kind_of(made), Kind::kBad);
  EXPECT_EQ(made.error().member, "/ids");
  EXPECT_EQ(kind_of(desk.show(target)), Kind::kNotFound);
}

TEST_F(DeskTest, AQueueHasABoundedNumberOfReplays) {
  ReplayRecord record;
  record.ranges.resize(2);
  for (std::size_t i = 0; i < ReplayDesk::kMaxReplays; ++i)
    stage.put(replay_key({"mail", "old-" + std::to_string(i)}), to_json_text(record));
  EXPECT_EQ(kind_of(start()), Kind::kConflict);
  EXPECT_TRUE(desk.start({"shadow", "r"}, {}, "ann", stage.now()));
}

TEST_F(DeskTest, APauseHoldsUntilItIsResumed) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(change(ReplayChange::kPause));
  EXPECT_EQ(shown()["state"], "paused");
  const std::int64_t told = stage.told();
  EXPECT_TRUE(change(ReplayChange::kPause));
  EXPECT_EQ(stage.told(), told);
  const auto resumed = change(ReplayChange::kResume);
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->record.resumes, 1u);
  EXPECT_EQ(resumed->record.by, "bob@host");
  EXPECT_EQ(shown()["state"], "running");
}

TEST_F(DeskTest, AResumeForgetsWhyTheReplayHadPausedItself) {
  ReplayRecord record = start()->record;
  record.state = ReplayState::kPaused;
  record.reason = "too many died";
  stage.put(replay_key(target), to_json_text(record));
  EXPECT_EQ(shown()["reason"], "too many died");
  ASSERT_TRUE(change(ReplayChange::kResume));
  EXPECT_EQ(shown()["reason"], nullptr);
}

TEST_F(DeskTest, WhatIsOverCannotBeChanged) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(change(ReplayChange::kCancel));
  EXPECT_TRUE(change(ReplayChange::kCancel));
  EXPECT_EQ(kind_of(change(ReplayChange::kResume)), Kind::kConflict);
  EXPECT_EQ(kind_of(change(ReplayChange::kPause)), Kind::kConflict);
  target.name = "done";
  ASSERT_TRUE(start());
  finish();
  for (const ReplayChange what :
       {ReplayChange::kPause, ReplayChange::kResume, ReplayChange::kCancel})
    EXPECT_EQ(kind_of(change(what)), Kind::kConflict);
  EXPECT_EQ(shown()["state"], "finished");
}

TEST_F(DeskTest, AReplayThatDoesNotExistIsNotFound) {
  EXPECT_EQ(kind_of(desk.show(target)), Kind::kNotFound);
  EXPECT_EQ(kind_of(change(ReplayChange::kPause)), Kind::kNotFound);
  EXPECT_EQ(kind_of(desk.remove(target)), Kind::kNotFound);
}

TEST_F(DeskTest, OnlyWhatIsOverIsDeletedWithEverythingThatWasReported) {
  ASSERT_TRUE(start());
  EXPECT_EQ(kind_of(desk.remove(target)), Kind::kConflict);
  finish();
  ASSERT_TRUE(desk.remove(target));
  EXPECT_EQ(kind_of(desk.show(target)), Kind::kNotFound);
  const auto control = ControlClient(stage.log(), "penstock").read();
  for (const auto& report : control->replay_reports(target)) EXPECT_FALSE(report);
}

TEST_F(DeskTest, ACancelledReplayIsDeletedOnceNoPartitionHasCopiesOfIt) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(change(ReplayChange::kCancel));
  ReplayProgress progress = ReplayStage::progress(Offset{2}, false);
  stage.report(target, 0, progress);
  const auto early = desk.remove(target, 0ms);
  EXPECT_EQ(kind_of(early), Kind::kConflict);
  EXPECT_NE(early.error().message.find("2 wait"), std::string::npos) << early.error().message;
  progress.counts.ended[end_of(JobState::kCancelled)] = 2;
  progress.done = true;
  ++progress.commit;
  stage.report(target, 0, progress);
  EXPECT_EQ(kind_of(desk.remove(target, 0ms)), Kind::kConflict) << "the other one says nothing";
  progress = {};
  progress.done = true;
  stage.report(target, 1, progress);
  EXPECT_TRUE(desk.remove(target, 0ms));
}

TEST_F(DeskTest, ACancelledReplayThatNoPartitionHasBegunIsDeleted) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(change(ReplayChange::kCancel));
  EXPECT_TRUE(desk.remove(target, 0ms));
}

TEST_F(DeskTest, APauseThatAPartitionHasSaidIsShown) {
  ASSERT_TRUE(start());
  const ReplayPause pause{desk.show(target)->record.started_at, 0, "its program failed", {}};
  stage.put(replay_pause_key(target, 1), to_json_text(pause));
  EXPECT_EQ(shown()["state"], "paused");
  EXPECT_EQ(shown()["reason"], "its program failed");
  ASSERT_TRUE(change(ReplayChange::kResume));
  EXPECT_EQ(shown()["state"], "running");
}

TEST_F(DeskTest, ReportsThatCameAfterADeletionDoNotCountForANewReplayOfTheName) {
  ASSERT_TRUE(start());
  finish();
  ASSERT_TRUE(desk.remove(target));
  finish();
  ASSERT_TRUE(start());
  EXPECT_EQ(shown()["state"], "running");
  EXPECT_EQ(shown()["scanned"], 0);
}

TEST_F(DeskTest, AListHasTheReplaysOfOneQueueOrOfAll) {
  ASSERT_TRUE(start());
  target.name = "a";
  ASSERT_TRUE(start());
  target = {"shadow", "s"};
  ASSERT_TRUE(start());
  const auto names = [this](const std::string& queue) {
    std::string text;
    const auto views = desk.list(queue);
    for (const ReplayView& view : views.value()) text += view.target.name + " ";
    return text;
  };
  EXPECT_EQ(names(""), "a r s ");
  EXPECT_EQ(names("mail"), "a r ");
}

TEST_F(DeskTest, RateAndEndAreThoseOfTheLastReportHoweverLateItIsAsked) {
  ReplayRecord record = start()->record;
  record.started_at = time_from_ms(1'800'000'098'000);
  stage.put(replay_key(target), to_json_text(record));
  stage.report(target, 0, ReplayStage::progress(Offset{2}, false));
  const auto view = desk.show(target);
  ASSERT_TRUE(view);
  auto json = nlohmann::json(to_json(*view, time_from_ms(1'800'000'103'000), true));
  EXPECT_EQ(json["started_at"], "2027-01-15T08:01:38.000Z");
  EXPECT_EQ(json["started_by"], "ann@host");
  EXPECT_EQ(json["rate"], 1.0);                                  // two records in two seconds
  EXPECT_EQ(json["estimated_end"], "2027-01-15T08:01:47.000Z");  // four are left, at one a second
  ASSERT_TRUE(change(ReplayChange::kPause));
  stage.pass(std::chrono::hours(1));
  json = shown();
  EXPECT_EQ(json["rate"], 1.0);
  EXPECT_EQ(json["estimated_end"], nullptr);
}

TEST_F(DeskTest, CountsAreShownInAllAndPerPartition) {
  ASSERT_TRUE(start());
  ReplayProgress progress = ReplayStage::progress(Offset{3}, false);
  progress.counts.left_out[static_cast<std::size_t>(LeftOut::kRepeat)] = 1;
  progress.counts.admitted = 2;
  progress.counts.ended = {1, 0, 0, 0, 0};
  progress.running = 1;
  stage.report(target, 0, progress);
  const auto json = shown();
  for (const auto& counts : {json, json["partitions"][0]}) {
    EXPECT_EQ(counts["scanned"], 3);
    EXPECT_EQ(counts["left_out"], nlohmann::json({{"repeat", 1}}));
    EXPECT_EQ(counts["admitted"], 2);
    EXPECT_EQ(counts["running"], 1);
    EXPECT_EQ(counts["waiting"], 0);
    EXPECT_EQ(counts["ended"], nlohmann::json({{"succeeded", 1}}));
  }
  EXPECT_EQ(json["partitions"][0]["next"], 3);
  EXPECT_EQ(json["partitions"][1]["reported_at"], nullptr);
}

TEST_F(DeskTest, AFollowerSeesWhatIsNewWithoutASecondSession) {
  const auto follower = ControlFollower::open(stage.log(), "penstock");
  ASSERT_TRUE(follower);
  ASSERT_TRUE((*follower)->read());
  ASSERT_TRUE(start());
  const auto control = (*follower)->read();
  ASSERT_TRUE(control) << control.error().message;
  ASSERT_TRUE(find_replay(**control, target));
  finish();
  const auto later = (*follower)->read();
  EXPECT_TRUE(find_replay(**later, target)->totals.finished);
}

}  // namespace
}  // namespace penstock
