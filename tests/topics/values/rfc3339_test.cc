#include "topics/values/rfc3339.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace penstock {
namespace {

std::optional<std::int64_t> milliseconds_of(std::string_view text) {
  const auto time = parse_rfc3339(text);
  return time ? std::optional(to_ms(*time)) : std::nullopt;
}

TEST(Rfc3339, ReadsTimes) {
  EXPECT_EQ(milliseconds_of("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(milliseconds_of("2026-03-01T12:00:00.25Z"), 1772366400250);
  EXPECT_EQ(milliseconds_of("2024-02-29T23:59:59z"), 1709251199000);
  EXPECT_EQ(milliseconds_of("1969-12-31t23:59:59.999Z"), -1);
}

TEST(Rfc3339, TakesTheOffsetAway) {
  EXPECT_EQ(milliseconds_of("1970-01-01T01:00:00+01:00"), 0);
  EXPECT_EQ(milliseconds_of("1969-12-31T18:30:00-05:30"), 0);
  EXPECT_EQ(milliseconds_of("1970-01-01T00:00:00-00:00"), 0);
}

TEST(Rfc3339, RoundsUpSoThatNothingStartsEarly) {
  EXPECT_EQ(milliseconds_of("1970-01-01T00:00:00.0001Z"), 1);
  EXPECT_EQ(milliseconds_of("1970-01-01T00:00:00.0010000000Z"), 1);
  EXPECT_EQ(milliseconds_of("1970-01-01T00:00:00.9999Z"), 1000);
}

TEST(Rfc3339, TakesALeapSecondForTheSecondAfter) {
  EXPECT_EQ(milliseconds_of("2016-12-31T23:59:60Z"), milliseconds_of("2017-01-01T00:00:00Z"));
  EXPECT_EQ(milliseconds_of("2016-12-31T23:59:60.7Z"), milliseconds_of("2017-01-01T00:00:00Z"));
  EXPECT_EQ(milliseconds_of("2017-01-01T08:59:60+09:00"), milliseconds_of("2017-01-01T00:00:00Z"));
  EXPECT_EQ(milliseconds_of("2016-12-31T12:59:60Z"), std::nullopt);
  EXPECT_EQ(milliseconds_of("2016-12-30T23:59:60Z"), std::nullopt);
}

TEST(Rfc3339, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "Z", "2026-03-01", "2026-03-01T12:00:00", "2026-02-29T12:00:00Z",
        "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00+1:00", "2026-03-01T12:00:00Z ",
        "2026-03-01T25:00:00Z", "9999-12-31T23:59:59.9995Z"}) {
    EXPECT_EQ(milliseconds_of(text), std::nullopt) << text;
  }
}

TEST(Rfc3339, ReadsBackWhatItWrites) {
  EXPECT_EQ(format_rfc3339(time_from_ms(1772366400250)), "2026-03-01T12:00:00.250Z");
  EXPECT_EQ(format_rfc3339(kMinTime), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(format_rfc3339(kMaxTime), "9999-12-31T23:59:59.999Z");
  EXPECT_TRUE(rc::check("any time is read as it was written", [] {
    const auto ms = *rc::gen::inRange(to_ms(kMinTime), to_ms(kMaxTime));
    RC_ASSERT(milliseconds_of(format_rfc3339(time_from_ms(ms))) == ms);
  }));
}

}  // namespace
}  // namespace penstock
