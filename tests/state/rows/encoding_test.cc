#include "state/rows/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "state/rows/keys.h"
#include "topics/partitioner.h"

namespace penstock {
namespace {

std::string encoded(std::int64_t value) {
  std::string out;
  put_i64(out, value);
  return out;
}

RC_GTEST_PROP(Encoding, SignedNumbersSortAsTheirBytes, (std::int64_t a, std::int64_t b)) {
  RC_ASSERT((a < b) == (encoded(a) < encoded(b)));
}

RC_GTEST_PROP(Encoding, WhatIsWrittenIsReadBack,
              (std::uint8_t a, std::uint32_t b, std::uint64_t c, std::int64_t d, std::string e)) {
  const auto varint = *rc::gen::arbitrary<std::uint64_t>();
  std::string out;
  put_u8(out, a);
  put_u32(out, b);
  put_u64(out, c);
  put_i64(out, d);
  put_varint(out, varint);
  put_text(out, e);
  Cursor cursor(out);
  RC_ASSERT(cursor.u8() == a);
  RC_ASSERT(cursor.u32() == b);
  RC_ASSERT(cursor.u64() == c);
  RC_ASSERT(cursor.i64() == d);
  RC_ASSERT(cursor.varint() == varint);
  RC_ASSERT(cursor.text() == e);
  RC_ASSERT(cursor.at_end() && !cursor.failed());
}

TEST(Encoding, TheLargestVarintHasTenBytesAndComesBack) {
  std::string out;
  put_varint(out, ~0ULL);
  EXPECT_EQ(out.size(), 10u);
  EXPECT_EQ(Cursor(out).varint(), ~0ULL);
}

TEST(Encoding, AVarintWithoutAnEndIsAFailure) {
  Cursor cursor(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11));
  cursor.varint();
  EXPECT_TRUE(cursor.failed());
}

TEST(Encoding, ReadingPastTheEndFailsAndStaysFailed) {
  Cursor cursor("abc");
  EXPECT_EQ(cursor.u64(), 0u);
  EXPECT_TRUE(cursor.failed());
  EXPECT_TRUE(cursor.text().empty());
  EXPECT_TRUE(cursor.failed());
}

TEST(Encoding, ALengthBeyondTheBytesIsAFailure) {
  std::string out;
  put_varint(out, 100);
  out += "short";
  Cursor cursor(out);
  EXPECT_TRUE(cursor.text().empty());
  EXPECT_TRUE(cursor.failed());
}

// -- Keys

RC_GTEST_PROP(Keys, OrderedByTimeThenSeq, (std::int64_t a, std::int64_t b)) {
  const auto seq_a = *rc::gen::inRange<std::int64_t>(0, 1000);
  const auto seq_b = *rc::gen::inRange<std::int64_t>(0, 1000);
  const bool less = std::pair(a, seq_a) < std::pair(b, seq_b);
  RC_ASSERT(less == (keys::due(time_from_ms(a), JobSeq{seq_a}) <
                     keys::due(time_from_ms(b), JobSeq{seq_b})));
}

RC_GTEST_PROP(Keys, AnAccountsLineIsOrderedByOrderThenSeq, (std::int64_t a, std::int64_t b)) {
  const auto seq_a = *rc::gen::inRange<std::int64_t>(0, 1000);
  const auto seq_b = *rc::gen::inRange<std::int64_t>(0, 1000);
  const bool less = std::pair(a, seq_a) < std::pair(b, seq_b);
  RC_ASSERT(less == (keys::line("acme", "mail", a, JobSeq{seq_a}) <
                     keys::line("acme", "mail", b, JobSeq{seq_b})));
}

RC_GTEST_PROP(Keys, LineKeysAreParsedBack, (std::int64_t order, std::int64_t seq)) {
  const auto account =
      *rc::gen::resize(255, rc::gen::suchThat<std::string>(
                                [](const std::string& s) { return !s.empty() && s.size() < 256; }));
  const auto line = *rc::gen::resize(
      255, rc::gen::suchThat<std::string>([](const std::string& s) { return s.size() < 256; }));
  const std::string key = keys::line(account, line, order, JobSeq{seq});
  const keys::LineKey parsed = keys::parse_line(key);
  RC_ASSERT(parsed.account == account);
  RC_ASSERT(parsed.line == line);
  RC_ASSERT(parsed.order == order);
  RC_ASSERT(parsed.seq == JobSeq{seq});
}

RC_GTEST_PROP(Keys, NoAccountsLineReachesIntoAnothers, (std::int64_t order, std::int64_t seq)) {
  const auto name =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab\xff"))));
  const std::string a = *name, b = *name;
  RC_PRE(a != b && a.size() < 256 && b.size() < 256);
  const std::string key = keys::line(a, "mail", order, JobSeq{seq});
  const std::string from = keys::line_prefix(b), to = keys::after_prefix(from);
  RC_ASSERT(!(from <= key && key < to));
}

RC_GTEST_PROP(Keys, AfterAPrefixComesEveryKeyThatDoesNotBeginWithIt, (std::string rest)) {
  const std::string prefix =
      "l" + *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a\xff")));
  const std::string after = keys::after_prefix(prefix);
  RC_ASSERT(prefix + rest < after);
  RC_ASSERT(!after.starts_with(prefix));
}

TEST(Keys, TimeKeysAreParsedBackAndDoNotMeetOtherKinds) {
  const Time at = time_from_ms(1'800'000'000'123);
  for (const std::string& key :
       {keys::due(at, JobSeq{7}), keys::ended(at, JobSeq{7}), keys::expiry(at, JobSeq{7})}) {
    EXPECT_EQ(keys::parse_time(key).at, at);
    EXPECT_EQ(keys::parse_time(key).seq, JobSeq{7});
  }
  EXPECT_NE(keys::due(at, JobSeq{7}), keys::ended(at, JobSeq{7}));
}

TEST(Keys, ADedupChunkTellsItsBucketAndLiesWithinIt) {
  const std::string key = keys::dedup(77, 3);
  EXPECT_EQ(keys::parse_dedup_bucket(key), 77u);
  EXPECT_LT(keys::dedup_bucket(77), key);
  EXPECT_LT(key, keys::dedup_bucket(78));
}

TEST(Keys, ThePositionSortsBeforeEveryOtherMetaRow) {
  for (const std::string_view meta : {keys::kMetaInputNext, keys::kMetaBase, keys::kMetaGeneration,
                                      keys::kMetaJobs, keys::kMetaPartitions, keys::kMetaFormat}) {
    EXPECT_LT(keys::kMetaPosition, meta);
  }
}

TEST(Digest, AccountAndIdDoNotRunTogether) {
  EXPECT_NE(identity_digest("ab", "c"), identity_digest("a", "bc"));
  EXPECT_EQ(identity_digest("ab", "c"), identity_digest("ab", "c"));
  const std::string long_id(300, 'x');
  EXPECT_NE(identity_digest("a", long_id), identity_digest("b", long_id));
}

TEST(Digest, BeginsWithTheHashThatTellsTheAccountsPartition) {
  for (const std::string account : {"a", "acme", "a-little-bit-long-string"}) {
    for (const std::string& id : {std::string("1"), std::string("2"), std::string(300, 'x')}) {
      EXPECT_EQ(identity_digest(account, id).account(), account_hash(account));
      EXPECT_EQ(account_digest(account, id).account(), account_hash(account));
      std::string bytes;
      put_digest(bytes, identity_digest(account, id));
      EXPECT_EQ(bytes.size(), kDigestBytes);
      EXPECT_EQ(Cursor(bytes).u32(), account_hash(account));
    }
    for (const int partitions : {1, 12, 97}) {
      const std::uint32_t positive = identity_digest(account, "1").account() & 0x7fffffff;
      EXPECT_EQ(static_cast<PartitionId>(positive % static_cast<std::uint32_t>(partitions)),
                partition_of(account, partitions));
    }
  }
}

TEST(Digest, TheRestIsTheHashOfAllOfIt) {
  EXPECT_EQ(account_digest("a", "text").low, text_digest("text").low);
  EXPECT_EQ(account_digest("a", "text").high & 0xffffffff, text_digest("text").high & 0xffffffff);
}

}  // namespace
}  // namespace penstock
