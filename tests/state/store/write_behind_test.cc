// Writing commits on another thread: their order, how far it is, and what becomes of an error.
#include "state/store/write_behind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <semaphore>

namespace penstock {
namespace {

LogPosition at(std::int64_t offset) { return {Offset{offset}, Offset{0}, 1, 0, false}; }

// Writes when it is let, and remembers what.
struct Sink final : CommitSink {
  std::counting_semaphore<> let{0}, entered{0};
  std::string seen;
  std::size_t most_together = 0;
  Status outcome;

  Status write(std::span<const CountedCommit> commits) override {
    entered.release();
    let.acquire();
    for (const CountedCommit& commit : commits) seen += commit.rows;
    most_together = std::max(most_together, commits.size());
    return outcome;
  }
};

TEST(WriteBehind, CommitsAreWrittenInTheirOrderAndThoseThatWaitTogether) {
  Sink sink;
  WriteBehind behind;
  WriteBehind::Line line(behind, sink);
  ASSERT_TRUE(line.add("a", at(1)));
  sink.entered.acquire();
  for (const char* rows : {"b", "c", "d"}) ASSERT_TRUE(line.add(rows, at(1)));
  EXPECT_EQ(line.taken(), 4u);
  EXPECT_EQ(line.written(), 0u);
  sink.let.release(4);
  ASSERT_TRUE(line.finish());
  EXPECT_EQ(sink.seen, "abcd");
  EXPECT_EQ(sink.most_together, 3u);
  EXPECT_EQ(line.written(), 4u);
}

TEST(WriteBehind, NoMoreThanItsBoundWaits) {
  Sink sink;
  WriteBehind behind;
  WriteBehind::Line line(behind, sink);
  std::atomic<std::uint64_t> added = 0;
  constexpr std::uint64_t kAll = 3 * WriteBehind::kMaxWaiting;
  std::thread adder([&] {
    for (std::uint64_t i = 0; i < kAll; ++i, ++added) EXPECT_TRUE(line.add("x", at(1)));
  });
  while (added < WriteBehind::kMaxWaiting) std::this_thread::yield();
  EXPECT_LE(added, 2 * WriteBehind::kMaxWaiting);  // those being written, and those that wait
  sink.let.release(kAll);
  adder.join();
  ASSERT_TRUE(line.finish());
  EXPECT_EQ(sink.seen.size(), kAll);
  EXPECT_LE(sink.most_together, WriteBehind::kMaxWaiting);
}

TEST(WriteBehind, NothingIsWrittenBehindAnErrorWhichStays) {
  Sink sink;
  sink.outcome = failure("no space");
  WriteBehind behind;
  WriteBehind::Line line(behind, sink);
  ASSERT_TRUE(line.add("a", at(1)));
  sink.let.release();
  EXPECT_FALSE(line.finish());
  const Status later = line.add("b", at(2));
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().message, "no space");
  EXPECT_EQ(line.written(), 0u);
  EXPECT_EQ(sink.seen, "a");
}

TEST(WriteBehind, EachLineHasItsOwnOrder) {
  Sink slow, quick;
  WriteBehind behind;
  WriteBehind::Line one(behind, slow), other(behind, quick);
  quick.let.release(2);
  slow.let.release(2);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(one.add("s", at(i)));
    ASSERT_TRUE(other.add("q", at(i)));
  }
  ASSERT_TRUE(other.finish());
  ASSERT_TRUE(one.finish());
  EXPECT_EQ(slow.seen, "ss");
  EXPECT_EQ(quick.seen, "qq");
}

}  // namespace
}  // namespace penstock
