#include "state/store/merged_rows.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "state/store/memory_store.h"
#include "tests/state/log/log_writer.h"
#include "tests/state/log/row_log.h"

namespace penstock {
namespace {

using Operations = std::vector<std::string>;

Operations written(MergedRows& rows, bool bare = false) {
  RowLog log;
  rows.write(log, bare);
  return log.operations;
}

MergedRows merged(std::initializer_list<std::function<void(Batch&)>> commits) {
  MergedRows rows;
  for (const auto& commit : commits) {
    Batch batch;
    commit(batch);
    EXPECT_TRUE(rows.add(batch.bytes()));
  }
  return rows;
}

TEST(MergedRows, ComeInTheOrderOfTheirKeys) {
  auto rows = merged({[](Batch& batch) {
    batch.put("a-key-of-many-bytes-2", "4");
    batch.put("b", "5");
    batch.put("a-key-of-many-bytes-1", "3");
    batch.put("a", "1");
    batch.put(std::string_view("a\0", 2), "2");
  }});
  EXPECT_EQ(written(rows),
            (Operations{"put a=1", std::string("put a\0=2", 8), "put a-key-of-many-bytes-1=3",
                        "put a-key-of-many-bytes-2=4", "put b=5"}));
}

TEST(MergedRows, TheLastChangeOfAKeyCounts) {
  auto rows = merged({[](Batch& batch) {
                        batch.put("a", "1");
                        batch.put("b", "1");
                        batch.erase("c");
                      },
                      [](Batch& batch) {
                        batch.put("a", "2");
                        batch.erase("b");
                        batch.put("c", "2");
                      }});
  EXPECT_EQ(written(rows), (Operations{"put a=2", "erase b", "put c=2"}));
}

TEST(MergedRows, WhereNothingLiesBelowARowThatWasErasedLeavesNoTrace) {
  auto rows = merged({[](Batch& batch) {
                        batch.put("a", "1");
                        batch.put("b", "1");
                        batch.put("c", "1");
                      },
                      [](Batch& batch) {
                        batch.erase("a");
                        batch.erase_range("c", "d");
                      }});
  EXPECT_EQ(written(rows, true), (Operations{"put b=1"}));
}

TEST(MergedRows, ARangeErasesWhatWasBeforeItAndNotWhatCameBehind) {
  auto rows = merged({[](Batch& batch) {
    batch.put("b", "before");
    batch.put("c", "before");
    batch.erase_range("a", "c");
    batch.put("a", "behind");
  }});
  EXPECT_EQ(written(rows), (Operations{"range a..c", "put a=behind", "put c=before"}));
}

TEST(MergedRows, ARowBetweenTwoRangesIsErasedByTheLaterOneAlone) {
  auto rows = merged({[](Batch& batch) {
    batch.erase_range("a", "c");
    batch.put("b", "between");
    batch.put("c", "between");
    batch.erase_range("c", "d");
  }});
  EXPECT_EQ(written(rows), (Operations{"range a..d", "put b=between"}));
}

TEST(MergedRows, RangesThatMeetAreOne) {
  auto rows = merged({[](Batch& batch) {
    batch.erase_range("f", "h");
    batch.erase_range("a", "c");
    batch.erase_range("b", "d");
    batch.erase_range("d", "e");
    batch.erase_range("z", "y");  // none
  }});
  EXPECT_EQ(written(rows), (Operations{"range a..e", "range f..h"}));
}

TEST(MergedRows, AKindWithManyChangesInOrderHasATableOfItsOwn) {
  auto rows = merged({[](Batch& batch) {
    batch.put("a1", "few");
    batch.put("b1", "few");
    for (const std::string key : {"c1", "c2", "c3"}) batch.put(key, "in order");
    batch.put("d1", "few");
    for (const std::string key : {"e2", "e3", "e1"}) batch.put(key, "not in order");
    batch.erase_range("f", "g");
    for (const std::string key : {"h1", "h2", "h3"}) batch.put(key, "in order");
    for (const std::string key : {"i1", "i2", "i3"}) batch.erase(key);
  }});
  std::vector<Operations> tables;
  for (const MergedRows::Kinds& kinds : rows.divided(3)) {
    RowLog log;
    rows.write(log, false, kinds);
    tables.push_back(log.operations);
  }
  EXPECT_EQ(tables,
            (std::vector<Operations>{{"put a1=few", "put b1=few"},
                                     {"put c1=in order", "put c2=in order", "put c3=in order"},
                                     {"range f..g", "put d1=few", "put e1=not in order",
                                      "put e2=not in order", "put e3=not in order"},
                                     {"put h1=in order", "put h2=in order", "put h3=in order"},
                                     {"erase i1", "erase i2", "erase i3"}}));
}

TEST(MergedRows, RubbishLeavesThemAsTheyWere) {
  MergedRows rows;
  ASSERT_TRUE(rows.add(rows_of({{"a", "1"}})));
  const std::size_t bytes = rows.bytes();
  std::string cut = rows_of({{"b", "1"}, {"c", "1"}});
  cut.pop_back();
  EXPECT_FALSE(rows.add(cut));
  EXPECT_EQ(rows.bytes(), bytes);
  EXPECT_EQ(written(rows), (Operations{"put a=1"}));
}

TEST(MergedRows, ClearedTheyAreEmpty) {
  MergedRows rows;
  ASSERT_TRUE(rows.add(rows_of({{"a", "1"}})));
  EXPECT_GT(rows.bytes(), 0u);
  EXPECT_FALSE(rows.empty());
  rows.clear();
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(rows.bytes(), 0u);
  EXPECT_EQ(written(rows), Operations{});
}

// Whatever the commits do, and wherever the merging is cut into pieces.
RC_GTEST_PROP(MergedRows, LeaveTheRowsThatTheCommitsLeaveOneByOne, ()) {
  const auto key = rc::gen::map(rc::gen::inRange(0, 12), [](int i) {
    return std::string(static_cast<std::size_t>(1 + 7 * (i % 3)), 'k') + static_cast<char>('a' + i);
  });
  MemoryStore one_by_one, gathered;
  const int commits = *rc::gen::inRange(1, 12);
  for (int i = 0; i < commits; ++i) {
    Batch batch;
    for (int left = *rc::gen::inRange(0, 8); left > 0; --left) {
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
          batch.erase(*key);
          break;
        case 1: {
          const std::string a = *key, b = *key;
          batch.erase_range(std::min(a, b), std::max(a, b));
          break;
        }
        default:
          batch.put(*key, std::to_string(i * 100 + left));
      }
    }
    const LogPosition position{Offset{i}, Offset{0}, static_cast<std::uint64_t>(i), 0, false};
    RC_ASSERT(one_by_one.apply(batch.bytes(), position).has_value());
    RC_ASSERT(gathered.restore(batch.bytes(), position).has_value());
    if (*rc::gen::inRange(0, 4) == 0) RC_ASSERT(gathered.settle().has_value());
  }
  RC_ASSERT(gathered.settle().has_value());
  RC_ASSERT(gathered.contents().rows == one_by_one.contents().rows);
  RC_ASSERT(gathered.position() == one_by_one.position());
}

}  // namespace
}  // namespace penstock
