#include "state/owner/restore.h"

#include <gtest/gtest.h>

#include "state/store/memory_store.h"
#include "tests/state/log/log_writer.h"

namespace penstock {
namespace {

using Step = Restore::Step;

struct RestoreTest : testing::Test {
  MemoryStore store;
  LogWriter log;
  Restore restore{store, {90, 99}, Offset{-1}, {}};

  [[nodiscard]] Step feed(std::size_t i) {
    const auto at = static_cast<std::int64_t>(i);
    return restore.feed({Offset{at}, at_ms(at), {}, log.records[i], {}}).value();
  }
};

TEST_F(RestoreTest, TakesTheRecordsInOrder) {
  log.claim(1);
  log.commit({{"a", "1"}});
  ASSERT_EQ(feed(0), Step::kRead);
  EXPECT_EQ(restore.next(), Offset{1});
  EXPECT_EQ(feed(0), Step::kKnown);
  ASSERT_EQ(feed(1), Step::kRead);
  EXPECT_EQ(restore.copy().seq(), 1u);
}

TEST_F(RestoreTest, ARecordBeyondTheNextIsAHole) {
  log.claim(1);
  log.commit({{"a", "1"}});
  EXPECT_EQ(feed(1), Step::kHole);
  EXPECT_EQ(restore.next(), Offset{0});
}

TEST_F(RestoreTest, ARecordWithoutValueIsAnError) {
  EXPECT_FALSE(restore.feed({Offset{0}, Time{}, {}, {}, {}}).has_value());
}

}  // namespace
}  // namespace penstock
