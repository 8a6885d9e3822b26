#include "state/rows/unique_row.h"

#include <gtest/gtest.h>

#include "state/rows/job_row.h"
#include "state/rows/keys.h"

namespace penstock {
namespace {

UniqueRow two_holders() {
  return {
      {{JobSeq{7}, Time{}, "a"}, {JobSeq{INT64_MAX}, time_from_ms(1'000), std::string(255, 'b')}}};
}

TEST(UniqueRow, ComesBackAsItWas) {
  const Result<UniqueRow> row = UniqueRow::decode(two_holders().encode());
  ASSERT_TRUE(row);
  EXPECT_EQ(row->holders, two_holders().holders);
}

TEST(UniqueRow, EveryCutAndAnotherFormatIsRefused) {
  const std::string bytes = two_holders().encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(UniqueRow::decode(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(UniqueRow::decode(bytes + "x"));
  EXPECT_FALSE(UniqueRow::decode('\2' + bytes.substr(1)));
}

TEST(UniqueRow, TimesLieInTheirOrderAndNameTheirLock) {
  const Digest key{1, 2};
  EXPECT_LT(keys::unique_until(time_from_ms(5), Digest{9, 9}),
            keys::unique_until(time_from_ms(6), key));
  EXPECT_LT(keys::unique_until(time_from_ms(6)), keys::unique_until(time_from_ms(6), key));
  EXPECT_EQ(keys::parse_unique_until(keys::unique_until(time_from_ms(6), key)), key);
}

TEST(UniqueRow, AJobsRowHasItsKeyWithOrWithoutABulk) {
  for (const char* bulk : {"", "b"}) {
    JobRow job;
    job.bulk = bulk;
    job.unique = {3, 4};
    const Result<JobRow> read = JobRow::decode(job.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->unique, job.unique);
    EXPECT_EQ(read->bulk, bulk);
    EXPECT_FALSE(JobRow::decode(job.encode() + "x"));
    EXPECT_FALSE(JobRow::decode(job.encode().substr(0, job.encode().size() - 1)));
    JobRow used = job;
    ASSERT_TRUE(used.assign(JobRow{}.encode()));
    EXPECT_EQ(used.unique, Digest{});
  }
}

TEST(UniqueRow, AJobWithoutAKeyPaysNoByte) {
  JobRow with;
  with.unique = {3, 4};
  EXPECT_EQ(JobRow{}.encode() + 'k', with.encode().substr(0, with.encode().size() - kDigestBytes));
}

}  // namespace
}  // namespace penstock
