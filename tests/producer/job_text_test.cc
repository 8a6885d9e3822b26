#include "producer/job_text.h"

#include <gtest/gtest.h>

#include "topics/record/job_decoder.h"

namespace penstock {
namespace {

using std::chrono::system_clock;

NewJob full_job() {
  NewJob job{.queue = "q", .type = "t", .account = "a"};
  job.args = {{"n", 1}};
  job.run_at = system_clock::from_time_t(10) + std::chrono::microseconds(1);
  job.expires_at = system_clock::from_time_t(20) + std::chrono::microseconds(1);
  job.priority = -5;
  job.weight = 3;
  job.bulk = NewBulk{.id = "b", .index = 2, .size = 9, .on_done = {{"type", "done"}}};
  job.unique_key = "k";
  job.meta = {{"by", "me"}};
  return job;
}

TEST(JobText, IsARecordThatTheDecoderAdmits) {
  const auto text = job_text(full_job(), "made");
  ASSERT_TRUE(text);
  JobDecoder decoder;
  const auto record = decoder.decode("a", *text);
  ASSERT_TRUE(record) << record.error().detail;
  EXPECT_EQ(record->id, "made");
  EXPECT_EQ(record->args, R"({"n":1})");
  EXPECT_EQ(record->priority, -5);
  EXPECT_EQ(record->weight, 3);
  EXPECT_EQ(record->bulk->index, 2);
  EXPECT_EQ(record->unique_key, "k");
  EXPECT_EQ(record->meta, R"({"by":"me"})");
}

TEST(JobText, RoundsTimesSoThatNothingStartsEarlyOrLivesLonger) {
  const auto json = nlohmann::json::parse(*job_text(full_job(), "i"));
  EXPECT_EQ(json.at("run_at"), 10'001);
  EXPECT_EQ(json.at("expires_at"), 20'000);
}

TEST(JobText, LeavesOutWhatWasNotGiven) {
  EXPECT_EQ(*job_text({.type = "t"}, "i"), R"({"type":"t","id":"i","args":{}})");
}

TEST(JobText, KeepsAJobsOwnId) {
  EXPECT_EQ(*job_text({.type = "t", .id = "own"}, "i"), R"({"type":"t","id":"own","args":{}})");
}

TEST(JobText, NamesTheMemberThatIsNoUtf8) {
  const auto text = job_text({.type = "t", .id = "\xff"}, "i");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().member, "/id");
}

}  // namespace
}  // namespace penstock
