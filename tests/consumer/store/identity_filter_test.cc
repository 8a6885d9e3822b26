#include "consumer/store/identity_filter.h"

#include <gtest/gtest.h>

#include "consumer/store/identities.h"
#include "state/rows/keys.h"
#include "state/store/memory_store.h"

namespace penstock {
namespace {

Digest digest_of(std::uint64_t number) {
  return identity_digest("acme", "job-" + std::to_string(number));
}

class AnIdentityFilter : public ::testing::Test {
 protected:
  void put_rows(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) view.put(keys::identity(digest_of(i)), "l");
  }
  void build(std::uint64_t rows) {
    for (int steps = 0; filter.has_work(rows); ++steps) {
      ASSERT_LT(steps, 1000);
      filter.step(rows);
    }
  }

  MemoryStore rows;
  View view{rows};
  IdentityFilter filter{view};
};

TEST_F(AnIdentityFilter, KnowsNothingBeforeItHasSeenEveryRow) {
  put_rows(0, IdentityFilter::kMaxRowsPerStep + 1);
  filter.restored(IdentityFilter::kMaxRowsPerStep + 1);
  EXPECT_FALSE(filter.surely_absent(digest_of(1'000'000)));
  filter.step(IdentityFilter::kMaxRowsPerStep + 1);
  EXPECT_FALSE(filter.surely_absent(digest_of(1'000'000)));
  filter.step(IdentityFilter::kMaxRowsPerStep + 1);
  EXPECT_TRUE(filter.surely_absent(digest_of(1'000'000)));
}

TEST_F(AnIdentityFilter, AnswersAtOnceWhereThereAreNoRows) {
  filter.restored(0);
  EXPECT_FALSE(filter.has_work(0));
  EXPECT_TRUE(filter.surely_absent(digest_of(1)));
  filter.added(digest_of(1));
  EXPECT_FALSE(filter.surely_absent(digest_of(1)));
}

TEST_F(AnIdentityFilter, NeverSaysThatARowIsAbsent) {
  constexpr std::uint64_t kRows = 10'000;
  put_rows(0, kRows);
  filter.restored(kRows);
  filter.step(kRows);
  filter.added(digest_of(kRows));  // while it is being made
  build(kRows + 1);
  filter.added(digest_of(kRows + 1));
  for (std::uint64_t i = 0; i <= kRows + 1; ++i) EXPECT_FALSE(filter.surely_absent(digest_of(i)));
}

TEST_F(AnIdentityFilter, SparesAllButFewLookUps) {
  constexpr std::uint64_t kRows = 20'000;
  put_rows(0, kRows);
  filter.restored(kRows);
  build(kRows);
  const std::uint64_t more = (IdentityFilter::kGrowth - 1) * kRows;  // up to capacity
  for (std::uint64_t i = 0; i < more; ++i) filter.added(digest_of(kRows + i));
  std::uint64_t in_vain = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    if (!filter.surely_absent(digest_of(1'000'000 + i))) ++in_vain;
  }
  EXPECT_LT(in_vain, 100'000u / 50);
}

TEST_F(AnIdentityFilter, IsMadeAnewWhenItHasBeenGivenAsManyAsItWasMadeFor) {
  filter.restored(0);
  for (std::uint64_t i = 0; i < IdentityFilter::kMinCapacity; ++i) filter.added(digest_of(i));
  put_rows(0, 10);  // the others have ended
  EXPECT_TRUE(filter.has_work(10));
  build(10);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(filter.surely_absent(digest_of(i)));
  EXPECT_TRUE(filter.surely_absent(digest_of(11)));
  EXPECT_FALSE(filter.has_work(10));
}

TEST(Identities, AreSeenTwiceByTheirRowAlone) {
  MemoryStore rows;
  View view(rows);
  Identities identities(view, std::chrono::hours(1));
  identities.restored(0, Time{});
  const Digest digest = digest_of(1);
  EXPECT_FALSE(identities.check_and_admit(digest));
  identities.row_made(digest);
  identities.row_put(digest, "lacme");
  EXPECT_TRUE(identities.check_and_admit(digest));
  EXPECT_EQ(identities.row_key(digest), "lacme");
  identities.row_erased(digest);
  EXPECT_FALSE(identities.check_and_admit(digest));
}

}  // namespace
}  // namespace penstock
