#include "topics/job_record.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(JobRecord, TakesWhatItsMembersSay) {
  JobDecoder decoder;
  const auto record = decoder.decode(
      "acme",
      R"({"type":"webhook.send","id":"0123","args":{"segment_id":7, "note":"x"} ,"priority":-3})");
  ASSERT_TRUE(record) << record.error().detail;
  EXPECT_EQ(record->account, "acme");
  EXPECT_EQ(record->type, "webhook.send");
  EXPECT_EQ(record->id, "0123");
  EXPECT_EQ(record->args, R"({"segment_id":7, "note":"x"})");
  EXPECT_EQ(record->priority, -3);
}

}  // namespace
}  // namespace penstock
