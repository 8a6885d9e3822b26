#include "topics/embedded/disk/segments.h"

#include <gtest/gtest.h>

namespace penstock::embedded {
namespace {

constexpr std::int64_t kMs = 1;

Segment chunk(std::int64_t base, std::int64_t bytes, std::int64_t at_ms) {
  const Time at = time_from_ms(at_ms);
  return {.base = Offset{base}, .count = 10, .bytes = bytes, .first_at = at, .last_at = at};
}

// Five segments of 10 records and 100 bytes, at 0, 1000, .. 4000 ms.
Segments five() {
  Segments segments;
  for (int i = 0; i < 5; ++i) segments.add(chunk(i * 10, 100, i * 1000 * kMs), 100);
  return segments;
}

TEST(Segments, AChunkJoinsTheSegmentUntilItIsLargeEnough) {
  Segments segments;
  segments.add(chunk(0, 60, 0), 100);
  segments.add(chunk(10, 60, 5), 100);
  const Segment& third = segments.add(chunk(20, 60, 9), 100);
  EXPECT_EQ(third.base, Offset{20});
  ASSERT_EQ(segments.all().size(), 2u);
  EXPECT_EQ(segments.all()[0].end(), Offset{20});
  EXPECT_EQ(segments.all()[0].bytes, 120);
  EXPECT_EQ(segments.all()[0].last_at, time_from_ms(5));
}

TEST(Segments, ASegmentSpansALimitedTime) {
  Segments segments;
  segments.add(chunk(0, 1, 0), 1000);
  segments.add(chunk(10, 1, Duration(kSegmentSpan).count() - 1), 1000);
  EXPECT_EQ(segments.all().size(), 1u);
  segments.add(chunk(20, 1, Duration(kSegmentSpan).count()), 1000);
  EXPECT_EQ(segments.all().size(), 2u);
}

TEST(Segments, RetentionByAgeDropsWhatIsOlderAndNothingElse) {
  const Retention retention{.age = Duration(2000), .bytes = {}};
  EXPECT_EQ(five().retained_from(Offset{0}, time_from_ms(2000), retention), Offset{0});
  EXPECT_EQ(five().retained_from(Offset{0}, time_from_ms(3001), retention), Offset{20});
  EXPECT_EQ(five().retained_from(Offset{0}, time_from_ms(9000), retention), Offset{50});
}

TEST(Segments, RetentionBySizeKeepsAtLeastThatMuch) {
  const Retention retention{.age = {}, .bytes = 250};
  EXPECT_EQ(five().retained_from(Offset{0}, time_from_ms(0), retention), Offset{20});
}

TEST(Segments, WithoutLimitsEverythingIsKept) {
  const Retention retention{.age = {}, .bytes = {}};
  EXPECT_EQ(five().retained_from(Offset{3}, time_from_ms(1'000'000'000), retention), Offset{3});
}

TEST(Segments, RetentionNeverMovesTheStartBack) {
  const Retention retention{.age = {}, .bytes = 450};
  EXPECT_EQ(five().retained_from(Offset{35}, time_from_ms(0), retention), Offset{35});
}

TEST(Segments, OnlySegmentsWhollyBelowTheStartAreDropped) {
  Segments segments = five();
  EXPECT_EQ(segments.drop_below(Offset{29}).size(), 2u);
  EXPECT_EQ(segments.all().front().base, Offset{20});
  EXPECT_EQ(segments.drop_below(Offset{50}).size(), 3u);
  EXPECT_TRUE(segments.all().empty());
}

}  // namespace
}  // namespace penstock::embedded
