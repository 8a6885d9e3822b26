// What a task reads before it begins: in pieces, and nothing meets half of it.
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

constexpr std::size_t kRowsPerStep = 3;

struct Restoring : Tasking {
  // The process dies, and the next one has read nothing yet.
  void restart_in_pieces(std::size_t rows_per_step = kRowsPerStep) {
    bounds.restored_rows = rows_per_step;
    restores = false;
    host.starts.clear();
    make();
  }
  // Until nothing is left to read; how many steps that took.
  std::size_t restore() {
    std::size_t steps = 0;
    for (; task->restoring(); ++steps) task->restore_some(now());
    return steps;
  }
  std::string start_all() {
    std::string ids;
    for (std::string more = start(); !more.empty(); more = start()) {
      ids += (ids.empty() ? "" : " ") + more;
      for (const Token& token : task->attempts().tokens())
        task->attempt_ended(token, {Done{}, {}}, now());
    }
    return ids;
  }
};

TEST_F(Restoring, FindsNoMoreLinesPerStepThanItsBound) {
  for (int i = 0; i < 20; ++i) {
    for (const char* id : {"a", "b"}) job("account" + std::to_string(i), id);
  }
  commit();
  restart_in_pieces();
  std::size_t before = 0, steps = 0;
  for (; task->restoring(); ++steps) {
    task->restore_some(now());
    EXPECT_LE(task->fair().size() - before, kRowsPerStep);
    before = task->fair().size();
  }
  EXPECT_EQ(before, 20u);
  EXPECT_GE(steps, 20 / kRowsPerStep);
  feed();
  start_all();
  EXPECT_EQ(task->counters().succeeded, 40u);
}

TEST_F(Restoring, TakesNoInputAndStartsNothingBeforeItIsOver) {
  job("acme", "a");
  job("bolt", "a");
  commit();
  restart_in_pieces(1);
  job("acme", "b");
  const Offset next = task->input_next();
  for (; task->restoring(); task->restore_some(now())) {
    EXPECT_FALSE(task->wants_input());
    EXPECT_FALSE(task->has_ready());
    EXPECT_EQ(start(), "");
    EXPECT_EQ(task->next_time(), Time{}) << "the next piece is read at once";
    EXPECT_EQ(task->input_next(), next);
    EXPECT_NE(why("bolt", "a"), "(none)");
  }
  feed();
  EXPECT_EQ(start_all(), "a a b");
}

TEST_F(Restoring, ItIsSaidWhyAJobDoesNotRunMeanwhile) {
  job("acme", "a");
  commit();
  restart_in_pieces();
  EXPECT_NE(why("acme", "a").find("still finding the accounts"), std::string::npos)
      << why("acme", "a");
}

// A piece may end between the lines of one account.
TEST_F(Restoring, FindsEveryLineOfAnAccountWhereverAPieceEnds) {
  for (const char* type : {"t2", "t3", "t4"}) types.add(type, {});
  const auto admit_types = [&](const std::string& account, const std::string& id) {
    for (const char* type : {"t", "t2", "t3", "t4"}) {
      record(account, std::string(R"({"type":")") + type + R"(","id":")" + type + id + "\"}");
    }
  };
  for (std::size_t rows = 1; rows < 6; ++rows) {
    for (const char* account : {"acme", "bolt", "cord"}) admit_types(account, std::to_string(rows));
    commit();
    restart_in_pieces(rows);
    restore();
    start_all();
    EXPECT_EQ(task->counters().succeeded, 12u);
    commit();
  }
}

TEST_F(Restoring, RemembersEveryIdentityOfACommitThatIsLargerThanAPiece) {
  host.instant = true;
  for (int i = 0; i < 100; ++i) job("acme", std::to_string(i));
  (void)start();
  commit();
  restart_in_pieces(1);
  EXPECT_GE(restore(), 100 / Restoration::kIdentitiesPerRow);
  for (int i = 0; i < 100; ++i) job("acme", std::to_string(i));
  EXPECT_EQ(task->counters().duplicate, 100u);
}

TEST_F(Restoring, ErasesNoMoreBreakersPerStepThanItsBound) {
  make();
  for (int i = 0; i < 20; ++i) {
    view->put(keys::breaker("account" + std::to_string(i), "of no policy"), "row");
  }
  commit();
  restart_in_pieces();
  const auto left = [&] {
    std::size_t rows = 0;
    view->scan("c", "d", [&](auto, auto) { return ++rows > 0; });
    return rows;
  };
  for (std::size_t before = left(); task->restoring(); before = left()) {
    task->restore_some(now());
    EXPECT_LE(before - left(), kRowsPerStep);
  }
  EXPECT_EQ(left(), 0u);
}

TEST_F(Restoring, ReadsNoFurtherUntilACommitHasRoom) {
  job("acme", "a");
  commit();
  restart_in_pieces(1);
  view->put("mlarge", std::string(kMaxGatheredBytes, 'x'));
  for (int i = 0; i < 20; ++i) task->restore_some(now());
  EXPECT_TRUE(task->restoring());
  commit();
  restore();
  EXPECT_FALSE(task->restoring());
}

struct RestoringBulks : Restoring {
  RestoringBulks() {
    queue.order = Order::kFair;
    queue.account_concurrency = 100;
  }
  // In the other order than their rows lie.
  void admit_bulks() {
    for (int i = 9; i >= 0; --i) {
      job("account" + std::to_string(i), std::to_string(i),
          R"("bulk":{"id":"b)" + std::to_string(i) + R"(","index":0,"size":1})");
    }
    commit();
  }
};

TEST_F(RestoringBulks, BeginInTheOrderInWhichTheyCameWhateverThePieces) {
  queue.fair = FairShare::kFlat;
  admit_bulks();
  const std::string ids = "9 8 7 6 5 4 3 2 1 0";
  for (const std::size_t rows : {1, 3, 100}) {
    restart_in_pieces(rows);
    std::size_t before = 0;
    for (; task->restoring(); before = task->fair().size()) {
      task->restore_some(now());
      EXPECT_LE(task->fair().size() - before, rows);
    }
    EXPECT_EQ(start(), ids);
  }
}

}  // namespace
}  // namespace penstock
