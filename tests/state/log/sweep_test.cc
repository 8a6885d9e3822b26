// A trim's sweep: whoever reads from its start on sees the state as it is.
#include "state/log/sweep.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "state/rows/keys.h"
#include "state/store/memory_store.h"
#include "tests/state/log/log_writer.h"

namespace penstock {
namespace {

using Rows = std::map<std::string, std::string, std::less<>>;

// A partition that commits each batch as it is sent or later, and its log.
struct Partition {
  MemoryStore store;
  View view{store};
  LogWriter log;
  std::deque<std::pair<Offset, std::string>> in_flight;

  Partition() { log.claim(); }
  void send() {
    const std::string rows(view.batch().bytes());
    const std::string record = encode(Commit{log.epoch, log.seq + 1, log.hash, rows});
    view.sent(++log.seq);
    log.hash = bytes_hash(record);
    in_flight.emplace_back(log.add(record), rows);
  }
  void count_one() {
    const auto [at, rows] = in_flight.front();
    in_flight.pop_front();
    const std::uint64_t seq = log.seq - in_flight.size();
    RC_ASSERT(store.apply(rows, {at, log.epoch, seq, 0, false}).has_value());
    view.applied(seq);
  }
  void count_all() {
    while (!in_flight.empty()) count_one();
  }
  [[nodiscard]] Rows restored_from(Offset from) const {
    MemoryStore other;
    Follower follower(other);
    feed_all(follower, log, static_cast<std::size_t>(from.value));
    RC_ASSERT(follower.whole());
    return other.contents().rows;
  }
};

void change(View& view) {
  const std::string key = "d" + std::to_string(*rc::gen::inRange(0, 40));
  if (*rc::gen::inRange(0, 4) == 0) return view.erase(key);
  view.put(key, std::string(static_cast<std::size_t>(*rc::gen::inRange(0, 200)) << 10,
                            static_cast<char>('a' + *rc::gen::inRange(0, 26))));
}

RC_GTEST_PROP(Sweep, ARestoreFromItsStartGivesTheStateWhateverChangesBetweenItsPieces, ()) {
  Partition partition;
  for (int left = *rc::gen::inRange(0, 30); left > 0; --left) change(partition.view);
  partition.send();
  partition.count_all();
  for (int left = *rc::gen::inRange(0, 3); left > 0; --left) {
    change(partition.view);
    partition.send();
  }
  const auto counted =
      static_cast<std::int64_t>(partition.log.records.size() - partition.in_flight.size()) - 1;
  Sweep sweep(Offset{counted}, 0);
  while (sweep.carrying()) {
    for (int left = *rc::gen::inRange(0, 4); left > 0; --left) change(partition.view);
    const bool last = sweep.carry(partition.view);
    RC_ASSERT(last == !sweep.carrying());
    partition.send();
    if (partition.in_flight.size() > 2) partition.count_one();
  }
  change(partition.view);
  partition.send();
  partition.count_all();
  RC_ASSERT(partition.restored_from(sweep.start()) == partition.store.contents().rows);
}

TEST(Sweep, APieceIsBounded) {
  MemoryStore store;
  View view(store);
  for (int i = 0; i < 40; ++i) view.put("d" + std::to_string(i), std::string(100 << 10, 'x'));
  const std::string rows(view.batch().bytes());
  view.sent(1);
  ASSERT_TRUE(store.apply(rows, {Offset{1}, Offset{0}, 1, 0, false}));
  view.applied(1);
  Sweep sweep(Offset{1}, 0);
  int pieces = 0;
  for (std::uint64_t seq = 2; sweep.carrying(); ++seq, ++pieces) {
    (void)sweep.carry(view);
    EXPECT_LE(view.batch().size(), Sweep::kBytesPerCommit + (110u << 10));
    view.sent(seq);
    view.applied(seq);
  }
  EXPECT_GE(pieces, 7);
  EXPECT_NEAR(static_cast<double>(sweep.carried_bytes()), 40 * (100 << 10), 200);
}

TEST(Sweep, OfAnEmptyStateWritesTheBaseAtOnce) {
  MemoryStore store;
  View view(store);
  Sweep sweep(Offset{17}, 0);
  EXPECT_TRUE(sweep.carry(view));
  std::string base;
  ASSERT_TRUE(view.get(keys::kMetaBase, &base));
  EXPECT_FALSE(sweep.carrying());
  sweep.last_commit(5);
  EXPECT_EQ(sweep.last_seq(), 5u);
}

}  // namespace
}  // namespace penstock
