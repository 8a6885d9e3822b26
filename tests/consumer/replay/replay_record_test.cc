#include "consumer/replay/replay_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

ReplayRecord replay_of_two_partitions() {
  ReplayRecord record;
  record.terms = *parse_replay_terms(nlohmann::json::parse(R"({"types":["t"],"rate":"5/s"})"));
  record.ranges = {{Offset{10}, Offset{30}}, {Offset{0}, Offset{0}}};
  record.removed = 10;
  record.oldest = time_from_ms(900);
  record.started_at = time_from_ms(1000);
  record.started_by = "ann@host";
  record.state = ReplayState::kPaused;
  record.reason = "too many died";
  record.at = time_from_ms(2000);
  record.by = "penstock";
  record.resumes = 3;
  return record;
}

ReplayProgress replay_progress(Offset next, bool done) {
  ReplayProgress progress;
  progress.next = next;
  progress.counts.scanned = 8;
  progress.counts.matched = 6;
  progress.counts.left_out = {1, 0, 0, 0, 1, 0, 0};
  progress.counts.admitted = 5;
  progress.counts.ended = {2, 1, 0, 0, 0};
  progress.running = 1;
  progress.at = time_from_ms(5000);
  progress.done = done;
  return progress;
}

TEST(ReplayRecord, IsTheSameAfterItsJsonForm) {
  const ReplayRecord record = replay_of_two_partitions();
  EXPECT_EQ(parse_replay_record(to_json_text(record)), record);
}

TEST(ReplayRecord, OneWithoutTermsRangesOrAKnownStateIsRefused) {
  const auto json = nlohmann::json::parse(to_json_text(replay_of_two_partitions()));
  for (const char* const member : {"terms", "ranges", "state"}) {
    auto without = json;
    without.erase(member);
    EXPECT_FALSE(parse_replay_record(without.dump())) << member;
  }
  auto stranger = json;
  stranger["state"] = "asleep";
  EXPECT_FALSE(parse_replay_record(stranger.dump()));
}

TEST(ReplayRecord, OneWithTermsThatAreTooDeepIsRefused) {
  constexpr std::size_t kDeep = 400'000;
  EXPECT_FALSE(parse_replay_record(R"({"terms":{"from":)" + std::string(kDeep, '[') +
                                   std::string(kDeep, ']') + "}}"));
}

TEST(ReplayRecord, ANameOfAnOperatorThatIsNotUtf8DoesNotMakeItFail) {
  ReplayRecord record = replay_of_two_partitions();
  record.started_by = "\xff";
  EXPECT_TRUE(parse_replay_record(to_json_text(record)));
}

TEST(ReplayProgress, IsTheSameAfterItsJsonForm) {
  const ReplayProgress progress = replay_progress(Offset{20}, true);
  EXPECT_EQ(parse_replay_progress(to_json_text(progress)), progress);
}

TEST(ReplayTotals, APartitionThatHasReportedNothingIsLeftToRead) {
  const ReplayTotals totals = totals_of(replay_of_two_partitions(), {});
  EXPECT_EQ(totals.records, 20);
  EXPECT_EQ(totals.left, 20);
  EXPECT_FALSE(totals.finished);
}

TEST(ReplayTotals, AddUpWhatThePartitionsReport) {
  ReplayRecord record = replay_of_two_partitions();
  record.ranges[1] = {Offset{0}, Offset{20}};
  const ReplayTotals totals =
      totals_of(record, {replay_progress(Offset{18}, false), replay_progress(Offset{20}, true)});
  EXPECT_EQ(totals.left, 12);
  EXPECT_EQ(totals.counts.scanned, 16);
  EXPECT_EQ(totals.running, 2);
  EXPECT_EQ(totals.waiting(), 2);
  EXPECT_EQ(totals.last_report, time_from_ms(5000));
  EXPECT_FALSE(totals.finished);
}

TEST(ReplayTotals, AReplayIsFinishedWhenAllAreDoneAndWhatWasForwardedHasArrived) {
  const ReplayRecord record = replay_of_two_partitions();
  ReplayProgress sender = replay_progress(Offset{30}, true);
  EXPECT_TRUE(totals_of(record, {sender}).finished);
  sender.counts.forwarded = 1;
  EXPECT_FALSE(totals_of(record, {sender}).finished);
  ReplayProgress receiver = replay_progress(Offset{0}, false);
  receiver.counts.received = 1;
  EXPECT_FALSE(totals_of(record, {sender, receiver}).finished);
  receiver.done = true;
  EXPECT_TRUE(totals_of(record, {sender, receiver}).finished);
}

TEST(ReplayTotals, ACancelledReplayStaysCancelledWhenItIsDone) {
  ReplayRecord record = replay_of_two_partitions();
  const ReplayTotals done = totals_of(record, {replay_progress(Offset{30}, true)});
  EXPECT_EQ(state_name(record, {}), "paused");
  EXPECT_EQ(state_name(record, done), "finished");
  record.state = ReplayState::kCancelled;
  EXPECT_EQ(state_name(record, done), "cancelled");
}

}  // namespace
}  // namespace penstock
