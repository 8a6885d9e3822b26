// What an owner knows of its log's size.
#include "state/log/log_size.h"

#include <gtest/gtest.h>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "state/store/memory_store.h"

namespace penstock {
namespace {

struct LogSizes : testing::Test {
  MemoryStore store;
  View view{store};

  // The commit that is being built counts.
  void count() {
    const std::string rows(view.batch().bytes());
    const std::uint64_t seq = store.taken() + 1;
    view.sent(seq);
    ASSERT_TRUE(
        store.apply(rows, {Offset{static_cast<std::int64_t>(seq)}, Offset{0}, seq, 0, false}));
    view.applied(seq);
  }
};

TEST_F(LogSizes, IsThatOfTheRecordsReadWhereNoRowTells) {
  LogSize size;
  size.appended(10);
  size.restored(view, 500);
  EXPECT_EQ(size.bytes(), 510u);
  EXPECT_EQ(size.live(), 0u);
}

TEST_F(LogSizes, IsHandedOnInARow) {
  LogSize size;
  size.appended(1000);
  size.cut(400, 300);
  EXPECT_EQ(size.bytes(), 600u);
  const std::uint64_t commit = view.batch().size();
  size.save(view);
  count();
  LogSize next;
  next.appended(10);
  next.restored(view, 7);
  EXPECT_EQ(next.bytes(), 610u + commit);
  EXPECT_EQ(next.live(), 300u);
}

TEST_F(LogSizes, OfAnEarlierVersionComesWithoutTheLiveRows) {
  std::string row;
  put_u64(row, 700);
  view.put(keys::kMetaLogBytes, row);
  LogSize size;
  size.restored(view, 7);
  EXPECT_EQ(size.bytes(), 700u);
  EXPECT_EQ(size.live(), 0u);
}

}  // namespace
}  // namespace penstock
