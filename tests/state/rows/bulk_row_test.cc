#include "state/rows/bulk_row.h"

#include <gtest/gtest.h>

#include "state/rows/keys.h"

namespace penstock {
namespace {

BulkRow full_row() {
  BulkRow row;
  row.size = 100'000;
  row.admitted = 99'000;
  row.succeeded = 7;
  row.dead = 6;
  row.cancelled = 5;
  row.expired = 4;
  row.first_seq = JobSeq{12};
  row.first_at = time_from_ms(1);
  row.last_at = time_from_ms(2);
  row.first_end = time_from_ms(1'000);
  row.last_end = time_from_ms(22'000);
  row.done_at = time_from_ms(5);
  row.on_done_bytes = 300;
  row.rows_until = time_from_ms(6);
  return row;
}

TEST(BulkRow, ComesBackAsItWas) {
  const std::string bytes = full_row().encode();
  const Result<BulkRow> row = BulkRow::decode(bytes);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->encode(), bytes);
  EXPECT_EQ(row->expired, 4u);
  EXPECT_EQ(row->first_seq, JobSeq{12});
  EXPECT_EQ(row->done_at, time_from_ms(5));
  EXPECT_EQ(row->on_done_bytes, 300u);
  EXPECT_EQ(row->rows_until, time_from_ms(6));
  EXPECT_EQ(row->ended(), 22u);
  EXPECT_EQ(row->live(), 98'978u);
}

TEST(BulkRow, CutShortOrTooLongOrOfAnotherFormatIsRefused) {
  const std::string bytes = full_row().encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(BulkRow::decode(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(BulkRow::decode(bytes + "x"));
  EXPECT_FALSE(BulkRow::decode('\4' + bytes.substr(1)));
}

TEST(BulkRow, TheEndIsEstimatedOnlyFromSeveralEndsAndIsNeverOver) {
  BulkRow row = full_row();
  row.done_at = Time{};
  row.size = 32;  // 22 ended in 21 s: 10 more take 10 s
  EXPECT_EQ(row.estimated_end(time_from_ms(22'000)), time_from_ms(32'000));
  EXPECT_EQ(row.estimated_end(time_from_ms(99'000)), time_from_ms(99'000));
  row.size = 22;
  EXPECT_EQ(row.estimated_end(time_from_ms(22'000)), Time{});
  row = BulkRow{};
  row.size = 9;
  row.succeeded = 1;
  EXPECT_EQ(row.estimated_end(time_from_ms(22'000)), Time{});
}

TEST(BulkKeys, TheRowsOfABulkLieTogetherItsHeadFirst) {
  const std::string prefix = keys::bulk_prefix("acme", "b");
  EXPECT_LT(keys::bulk_head(prefix), keys::bulk_on_done(prefix));
  EXPECT_LT(keys::bulk_on_done(prefix), keys::bulk_page(prefix, 0));
  EXPECT_LT(keys::bulk_page(prefix, 0), keys::bulk_page(prefix, 0xffffffff));
  EXPECT_LT(keys::bulk_page(prefix, 0xffffffff), keys::after_prefix(prefix));
  EXPECT_TRUE(prefix.starts_with(keys::bulk_prefix("acme")));
}

TEST(BulkKeys, TellWhoseTheyAre) {
  const std::string prefix = keys::bulk_prefix("acme", "b");
  for (const std::string& key : {keys::bulk_head(prefix), keys::bulk_page(prefix, 7)}) {
    const keys::BulkKey parsed = keys::parse_bulk(key);
    EXPECT_EQ(parsed.account, "acme");
    EXPECT_EQ(parsed.bulk, "b");
    EXPECT_EQ(parsed.prefix, prefix);
  }
  EXPECT_EQ(keys::parse_bulk_check(keys::bulk_check(time_from_ms(-5), prefix)), prefix);
  EXPECT_LT(keys::bulk_check(time_from_ms(4), prefix), keys::bulk_checks_before(time_from_ms(5)));
}

}  // namespace
}  // namespace penstock
