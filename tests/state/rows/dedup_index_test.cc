#include "state/rows/dedup_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace penstock {
namespace {

Digest digest_of(int id) { return identity_digest("account", std::to_string(id)); }

// What the index must remember, kept in a plain map.
struct Model {
  std::map<int, std::uint32_t> buckets;
  std::uint32_t oldest = 1;

  [[nodiscard]] bool remembers(int id) const {
    const auto found = buckets.find(id);
    return found != buckets.end() && found->second >= oldest;
  }
};

void step(DedupIndex& index, Model& model, int ids) {
  const int id = *rc::gen::inRange(0, ids);
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
    case 1:
    case 2: {
      RC_ASSERT(index.check_and_admit(digest_of(id)) == model.remembers(id));
      if (!model.remembers(id)) model.buckets[id] = DedupIndex::kLive;
      return;
    }
    case 3:
    case 4: {
      const std::uint32_t bucket = model.oldest + *rc::gen::inRange(0U, 5U);
      index.end(digest_of(id), bucket);
      model.buckets[id] = bucket;
      return;
    }
    case 5:
      index.remove(digest_of(id));
      model.buckets.erase(id);
      return;
    case 6:
      if (*rc::gen::inRange(0, 10) == 0) index.forget_before(++model.oldest);
      return;
    default:
      RC_ASSERT(index.contains(digest_of(id)) == model.remembers(id));
  }
}

// Their digests begin alike: a table that took their slots from there would be one run, and this
// would take minutes.
TEST(DedupIndex, TheIdentitiesOfOneAccountAreSpread) {
  DedupIndex index;
  for (int id = 0; id < 200'000; ++id) ASSERT_FALSE(index.check_and_admit(digest_of(id)));
  for (int id = 0; id < 200'000; ++id) ASSERT_TRUE(index.contains(digest_of(id)));
}

RC_GTEST_PROP(DedupIndex, RemembersWhatAPlainMapDoes, ()) {
  DedupIndex index;
  Model model;
  const int ids = *rc::gen::element(10, 100, 400);
  for (int left = *rc::gen::inRange(0, 1500); left > 0; --left) step(index, model, ids);
  for (int id = 0; id < ids; ++id) {
    RC_ASSERT(index.contains(digest_of(id)) == model.remembers(id));
  }
}

TEST(DedupIndex, AdmitsOnceAndKnowsItAfterwards) {
  DedupIndex index;
  EXPECT_FALSE(index.check_and_admit(digest_of(1)));
  EXPECT_TRUE(index.check_and_admit(digest_of(1)));
  index.end(digest_of(1), 100);
  EXPECT_TRUE(index.check_and_admit(digest_of(1)));
  index.forget_before(101);
  EXPECT_FALSE(index.check_and_admit(digest_of(1)));
}

TEST(DedupIndex, LiveJobsAreNeverForgottenWithTime) {
  DedupIndex index;
  EXPECT_FALSE(index.check_and_admit(digest_of(1)));
  index.forget_before(0xfffffffe);
  EXPECT_TRUE(index.contains(digest_of(1)));
}

TEST(DedupIndex, TakesAtMostThirtyTwoBytesAnIdentityAndShrinksAgain) {
  DedupIndex index;
  constexpr int kMany = 100'000;
  for (int id = 0; id < kMany; ++id) {
    if (!index.check_and_admit(digest_of(id))) index.end(digest_of(id), 10);
  }
  EXPECT_LE(index.bytes(), 48u * kMany);
  const std::size_t grown = index.bytes();
  index.forget_before(11);
  for (int id = kMany; id < kMany + 120'000; ++id)
    index.end(digest_of(id), 11U + static_cast<unsigned>(id) % 2);
  EXPECT_LE(index.bytes(), grown * 2);
  EXPECT_FALSE(index.contains(digest_of(5)));
  EXPECT_TRUE(index.contains(digest_of(kMany + 5)));
}

TEST(DedupIndex, ReservedPlacesAreThere) {
  DedupIndex index;
  index.reserve(1000);
  const std::size_t before = index.bytes();
  for (int id = 0; id < 1000; ++id) EXPECT_FALSE(index.check_and_admit(digest_of(id)));
  EXPECT_EQ(index.bytes(), before);
}

// -- The window

RC_GTEST_PROP(DedupWindow, AnEndIsKeptForTheWholeWindow, ()) {
  const Duration length{*rc::gen::inRange<std::int64_t>(1, 100'000'000)};
  const DedupWindow window(length);
  const Time ended =
      time_from_ms(*rc::gen::inRange<std::int64_t>(1'000'000'000, 2'000'000'000'000));
  const Duration later{*rc::gen::inRange<std::int64_t>(0, length.count() + 1)};
  RC_ASSERT(window.bucket(ended) >= window.oldest_kept(ended + later));
}

RC_GTEST_PROP(DedupWindow, AnEndIsForgottenSoonAfterTheWindow, ()) {
  const Duration length{*rc::gen::inRange<std::int64_t>(1, 100'000'000)};
  const DedupWindow window(length);
  const Time ended =
      time_from_ms(*rc::gen::inRange<std::int64_t>(1'000'000'000, 2'000'000'000'000));
  const Duration slack = length / 8 + Duration{4000};
  RC_ASSERT(window.bucket(ended) < window.oldest_kept(ended + length + slack));
}

TEST(DedupWindow, AWindowHasFewBuckets) {
  const DedupWindow window(std::chrono::hours(24));
  std::map<std::uint32_t, int> buckets;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    ++buckets[window.bucket(time_from_ms(1'800'000'000'000) + std::chrono::minutes(minute))];
  }
  EXPECT_LE(buckets.size(), 18u);
}

}  // namespace
}  // namespace penstock
