#include "state/store/batch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/state/log/row_log.h"

namespace penstock {
namespace {

TEST(Batch, ReplaysItsOperationsInTheirOrder) {
  Batch batch;
  batch.put("a", "1");
  batch.erase("b");
  batch.erase_range("c", "d");
  batch.put("a", "2");
  RowLog log;
  ASSERT_TRUE(replay_batch(batch.bytes(), log));
  EXPECT_EQ(log.operations,
            (std::vector<std::string>{"put a=1", "erase b", "range c..d", "put a=2"}));
}

RC_GTEST_PROP(Batch, KeepsEveryByteOfKeysAndValues,
              (std::vector<std::pair<std::string, std::string>> rows)) {
  Batch batch;
  std::vector<std::string> expected;
  for (const auto& [key, value] : rows) {
    batch.put(key, value);
    expected.push_back("put " + key + "=" + value);
  }
  RowLog log;
  RC_ASSERT(replay_batch(batch.bytes(), log).has_value());
  RC_ASSERT(log.operations == expected);
}

RC_GTEST_PROP(Batch, RubbishIsRefusedOrHarmless, (std::string bytes)) {
  RowLog log;
  const Status status = replay_batch(std::string(12, '\0') + bytes, log);
  RC_ASSERT(bytes.empty() || !status || !log.operations.empty());
}

TEST(Batch, CutBytesAreRefused) {
  Batch batch;
  batch.put("key", "value");
  RowLog log;
  const std::string_view bytes = batch.bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(replay_batch(bytes.substr(0, length), log)) << length;
  }
}

TEST(Batch, AnotherColumnFamilyIsRefused) {
  // count 1, kTypeColumnFamilyValue (5), family 3, key "k", value "v"
  const std::string bytes = std::string("\0\0\0\0\0\0\0\0\1\0\0\0\5\3\1k\1v", 18);
  RowLog log;
  EXPECT_FALSE(replay_batch(bytes, log));
  EXPECT_TRUE(log.operations.empty());
}

TEST(Batch, ClearedItIsEmptyAgain) {
  Batch batch;
  EXPECT_TRUE(batch.empty());
  batch.put("a", "1");
  EXPECT_FALSE(batch.empty());
  batch.clear();
  EXPECT_TRUE(batch.empty());
  RowLog log;
  EXPECT_TRUE(replay_batch(batch.bytes(), log));
}

}  // namespace
}  // namespace penstock
