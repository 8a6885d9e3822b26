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

TEST(DedupIndex, TakesAtMostEightBytesAnIdentityOfFiveMillion) {
  DedupIndex index;
  constexpr std::size_t kMany = 5'000'000;
  for (std::uint64_t id = 0; id < kMany; ++id) index.end(text_digest(std::to_string(id)), 10);
  EXPECT_LE(index.bytes(), 8 * kMany);
}

TEST(DedupIndex, GivesTheMemoryOfForgottenIdentitiesBack) {
  DedupIndex index;
  for (int id = 0; id < 100'000; ++id) index.end(digest_of(id), 10);
  const std::size_t grown = index.bytes();
  EXPECT_LE(grown, 13u * 100'000);
  index.forget_before(11);
  EXPECT_LE(index.bytes(), grown / 10);
}

TEST(DedupIndex, ForgottenIdentitiesMakeRoomForNewOnes) {
  DedupIndex index;
  constexpr int kEach = 30'000;
  std::size_t grown = 0;
  for (std::uint32_t bucket = 10; bucket < 100; ++bucket) {
    index.forget_before(bucket);
    const auto first = static_cast<int>(bucket) * kEach;
    for (int id = first; id < first + kEach; ++id) index.end(digest_of(id), bucket);
    if (bucket == 10) grown = index.bytes();
    EXPECT_LE(index.bytes(), grown * 5 / 4);
    EXPECT_TRUE(index.contains(digest_of(first + 1)));
    // Also those whose tag is used again.
    for (int old = 10 * kEach; old < first; old += kEach / 2) {
      EXPECT_FALSE(index.contains(digest_of(old)));
    }
  }
}

// A window has 17 buckets; there may be more, after it has been changed.
TEST(DedupIndex, WithTooManyBucketsTheOldestAreRememberedLonger) {
  DedupIndex index;
  for (int id = 1; id <= 100; ++id) index.end(digest_of(id), static_cast<std::uint32_t>(id));
  for (std::uint32_t oldest = 1; oldest <= 101; ++oldest) {
    index.forget_before(oldest);
    for (auto id = static_cast<int>(oldest); id <= 100; ++id) {
      EXPECT_TRUE(index.contains(digest_of(id)));
    }
    // The last 30 have times of their own, and the first of these is that of all before it.
    for (int id = 1; id < static_cast<int>(oldest); ++id) {
      EXPECT_EQ(index.contains(digest_of(id)), oldest <= 71);
    }
  }
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
