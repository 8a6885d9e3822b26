#include "consumer/loop/partitions/open_stores.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(OpenStores, OneLoopAtATimeHasThePartitionsRows) {
  OpenStores stores;
  EXPECT_TRUE(stores.open("q", 1, 0));
  EXPECT_FALSE(stores.open("q", 1, 1));
  EXPECT_TRUE(stores.open("q", 2, 1));
  EXPECT_TRUE(stores.open("other", 1, 1));
  stores.close("q", 1);
  EXPECT_TRUE(stores.open("q", 1, 1));
}

TEST(OpenStores, WhoeverHasTheRowsIsToldThatTheyAreWantedUntilItClosesThem) {
  OpenStores stores;
  EXPECT_TRUE(stores.open("q", 1, 0));
  EXPECT_FALSE(stores.is_wanted("q", 1));
  EXPECT_FALSE(stores.open("q", 1, 1));
  EXPECT_TRUE(stores.is_wanted("q", 1));
  stores.close("q", 1);
  EXPECT_FALSE(stores.is_wanted("q", 1));
}

}  // namespace
}  // namespace penstock
