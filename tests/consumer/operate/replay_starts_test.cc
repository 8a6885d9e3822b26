#include "consumer/operate/replay_starts.h"

#include <gtest/gtest.h>

#include "tests/consumer/operate/replay_stage.h"

namespace penstock {
namespace {

ReplayRecord started_by(const std::string& operator_name) {
  ReplayRecord record;
  record.ranges = {{Offset{0}, Offset{5}}};
  record.started_at = record.at = time_from_ms(1'800'000'000'000);
  record.started_by = record.by = operator_name;
  return record;
}
ReplayRecord paused(ReplayRecord record) {
  record.state = ReplayState::kPaused;
  record.by = "somebody else";
  return record;
}

const ReplayRecord kAnns = started_by("ann"), kBobs = started_by("bob");

ReplayStarts after(const std::vector<std::optional<ReplayRecord>>& records) {
  ReplayStarts starts;
  for (const auto& record : records) {
    if (!record) {
      starts.look_at(std::nullopt);
    } else {
      starts.look_at(to_json_text(*record));
    }
  }
  return starts;
}

TEST(ReplayStarts, TheFirstCountsHoweverManyFollow) {
  EXPECT_FALSE(after({}).first());
  EXPECT_EQ(after({kAnns}).first(), kAnns);
  EXPECT_EQ(after({kAnns, kBobs, started_by("carl")}).first(), kAnns);
}

TEST(ReplayStarts, AChangeOfTheFirstIsNoOtherStart) {
  EXPECT_EQ(after({kAnns, paused(kAnns)}).first(), paused(kAnns));
  EXPECT_FALSE(after({kAnns, paused(kAnns)}).is_overwritten());
  EXPECT_EQ(after({kAnns, paused(kBobs)}).first(), kAnns);
}

TEST(ReplayStarts, ItIsOverwrittenWhileTheNewestRecordIsOfAnother) {
  EXPECT_TRUE(after({kAnns, kBobs}).is_overwritten());
  EXPECT_FALSE(after({kAnns, kBobs, kAnns}).is_overwritten());
}

TEST(ReplayStarts, ADeletionForgetsEverything) {
  EXPECT_FALSE(after({kAnns, kBobs, std::nullopt}).first());
  EXPECT_EQ(after({kAnns, std::nullopt, kBobs}).first(), kBobs);
  EXPECT_FALSE(after({kAnns, kBobs, std::nullopt, kBobs}).is_overwritten());
}

TEST(ReplayStarts, ARecordThatIsNotUnderstoodChangesNothing) {
  ReplayStarts starts = after({kAnns});
  starts.look_at("{}");
  starts.look_at("no json");
  EXPECT_EQ(starts.first(), kAnns);
  EXPECT_FALSE(starts.is_overwritten());
}

TEST(ReplayStarts, OnlyRecordsOfThisReplayFromTheOffsetOnAreLookedAt) {
  ReplayStage stage;
  const ReplayTarget target{"mail", "r"};
  stage.put(replay_key(target), to_json_text(started_by("carl")));
  const auto from = control_end(stage.log(), "penstock");
  ASSERT_TRUE(from);
  stage.put(replay_key({"mail", "s"}), to_json_text(started_by("carl")));
  stage.put(replay_key({"shadow", "r"}), to_json_text(started_by("carl")));
  stage.report(target, 0, ReplayStage::progress(Offset{1}, false));
  stage.put(replay_key(target), to_json_text(kAnns));
  const auto starts = read_starts(stage.log(), "penstock", target, *from);
  ASSERT_TRUE(starts) << starts.error().message;
  EXPECT_EQ(starts->first(), kAnns);
}

}  // namespace
}  // namespace penstock
