#include "consumer/job/derived_id.h"

#include <gtest/gtest.h>

#include <set>

#include "topics/record/job_record.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

TEST(DerivedId, IsTheIdAndItsEndingWhereThatFits) {
  EXPECT_EQ(derived_id("a", "/1"), "a/1");
  const std::string longest(kMaxDerivedIdBytes - 2, 'a');
  EXPECT_EQ(derived_id(longest, "/1"), longest + "/1");
}

TEST(DerivedId, IsNeverLongerThanAnIdMayBeAndKeepsItsBeginningAndItsEnding) {
  const std::string id(kMaxDerivedIdBytes, 'a');
  const std::string derived = derived_id(id, "/10000");
  EXPECT_EQ(derived.size(), kMaxDerivedIdBytes);
  EXPECT_TRUE(derived.starts_with("aaaaaaaa") && derived.ends_with("/10000")) << derived;
}

TEST(DerivedId, TwoLongIdsThatDifferInTheirLastByteHaveOthers) {
  const std::string id(kMaxDerivedIdBytes - 1, 'a');
  EXPECT_NE(derived_id(id + "x", "/1"), derived_id(id + "y", "/1"));
}

TEST(DerivedId, IsCutBetweenCharacters) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string id(shift, 'a');
    while (id.size() + 4 <= kMaxDerivedIdBytes) id += "\xF0\x9F\x98\x80";
    const std::string derived = derived_id(id, "/123456");
    EXPECT_TRUE(is_utf8(derived));
    EXPECT_LE(derived.size(), kMaxDerivedIdBytes);
  }
}

TEST(DerivedId, OfALongChainNoTwoAreAlike) {
  std::set<std::string> seen;
  std::string id = "first";
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(seen.insert(id).second) << id;
    EXPECT_LE(id.size(), kMaxDerivedIdBytes);
    id = derived_id(id, "/1");
  }
}

}  // namespace
}  // namespace penstock
