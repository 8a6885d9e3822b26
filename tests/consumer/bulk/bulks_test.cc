// Bulks: what is counted, and when a bulk is done.
#include "consumer/bulk/bulks.h"

#include <nlohmann/json.hpp>
#include <set>

#include "consumer/bulk/on_done.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

struct InBulks : Tasking {
  void chunk(const std::string& bulk, int index, int size, const std::string& more = "",
             const std::string& id = "") {
    job("acme", id.empty() ? bulk + std::to_string(index) : id,
        R"("bulk":{"id":")" + bulk + R"(","index":)" + std::to_string(index) + R"(,"size":)" +
            std::to_string(size) + (more.empty() ? "" : "," + more) + "}");
  }
  [[nodiscard]] Queries::BulkProgress progress(const std::string& id) {
    Queries::BulkProgress found;
    (void)task->queries().walk_bulks("", "", 100, [&](const Queries::BulkProgress& bulk) {
      if (bulk.bulk.id == id) found = bulk;
    });
    return found;
  }
  [[nodiscard]] std::vector<std::string> produced() const {
    std::vector<std::string> values;
    for (const auto& message : messages("penstock.mail")) values.push_back(*message.value);
    return values;
  }
  static constexpr const char* kOnDone = R"("on_done":{"type":"t","args":{"who":"me"}})";
};

TEST_F(InBulks, EveryTerminalStateIsCounted) {
  for (int i = 0; i < 3; ++i) chunk("b", i, 5);
  job("acme", "b3", R"("expires_at":)" + ms(-1s) + R"(,"bulk":{"id":"b","index":3,"size":5})");
  start();
  end("b0");
  start();
  EXPECT_EQ(progress("b").running, 1u);
  end("b1", Discard{"no"});
  command("cancel", "acme", "b2");
  const BulkRow row = progress("b").bulk.row;
  EXPECT_EQ(row.size, 5u);
  EXPECT_EQ(row.admitted, 4u);
  EXPECT_EQ(row.succeeded, 1u);
  EXPECT_EQ(row.dead, 1u);
  EXPECT_EQ(row.cancelled, 1u);
  EXPECT_EQ(row.expired, 1u);
  EXPECT_FALSE(row.done());
}

TEST_F(InBulks, OnDoneIsProducedWithTheLastEndAndToldTheNumbers) {
  chunk("b", 0, 2, kOnDone);
  chunk("b", 1, 2);
  start();
  end("b0");
  start();
  commit();
  EXPECT_TRUE(produced().empty());
  end("b1", Discard{"no"});
  EXPECT_TRUE(produced().empty());  // with the commit
  commit();
  ASSERT_EQ(produced().size(), 1u);
  EXPECT_EQ(
      produced()[0],
      R"({"type":"t","id":"b@1/on_done","args":{"bulk":{"id":"b","size":2,"succeeded":1,"dead":1,)"
      R"("cancelled":0,"expired":0},"who":"me"}})");
  EXPECT_TRUE(progress("b").bulk.row.done());
}

TEST_F(InBulks, AChunkThatRunsAgainChangesNothingInABulkThatHasNotCountedItsEnd) {
  chunk("b", 0, 2);
  commit();
  Bulks bulks(*view, 24h);
  JobRow row;
  row.account = "acme";
  row.bulk_index = 0;
  row.seq = JobSeq{1000};  // after the bulk began
  row.state = JobState::kDead;
  for (const char* const bulk : {"b", "forgotten"}) {
    row.bulk = bulk;
    bulks.run_again(row);
  }
  row.bulk = "b";
  row.state = JobState::kReady;  // has not ended at all
  bulks.run_again(row);
  const auto found = bulks.find("acme", "b");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->dead, 0u);
  EXPECT_EQ(found->admitted, 1u);
  EXPECT_FALSE(bulks.find("acme", "forgotten").has_value());
}

TEST_F(InBulks, OnDoneIsProducedOnceThoughADeadChunkRunsAgain) {
  chunk("b", 0, 1, kOnDone);
  start();
  end("b0", Discard{"no"});
  commit();
  command("retry", "acme", "b0");
  EXPECT_EQ(progress("b").bulk.row.dead, 0u);
  EXPECT_EQ(progress("b").bulk.row.live(), 1u);
  start();
  end("b0");
  commit();
  EXPECT_EQ(produced().size(), 1u);
  EXPECT_EQ(progress("b").bulk.row.succeeded, 1u);
}

TEST_F(InBulks, AnIndexIsCountedOnce) {
  chunk("b", 0, 2);
  chunk("b", 0, 2, "", "another");
  chunk("b", 0, 2);  // the same job: a duplicate
  EXPECT_EQ(progress("b").bulk.row.admitted, 1u);
  start();
  end("b0");
  EXPECT_EQ(start(), "another");
  end("another");
  EXPECT_EQ(progress("b").bulk.row.succeeded, 1u);
  EXPECT_FALSE(progress("b").bulk.row.done());
}

TEST_F(InBulks, TheFirstChunkSaysTheSize) {
  chunk("b", 0, 1);
  chunk("b", 1, 9, "", "too-far");
  EXPECT_EQ(progress("b").bulk.row.size, 1u);
  EXPECT_EQ(progress("b").bulk.row.admitted, 1u);
  start();
  end("b0");
  EXPECT_TRUE(progress("b").bulk.row.done());
}

TEST_F(InBulks, CountsSurviveARestartAtAnyPoint) {
  for (int i = 0; i < 5000; ++i) {
    chunk("b", i, 5000, i == 0 ? kOnDone : "");
    if (!task->wants_input()) {
      commit();
      feed();
    }
  }
  commit();
  restart();
  for (int i = 0; i < 5000; ++i) {
    const std::string id = start();
    ASSERT_EQ(id, "b" + std::to_string(i));
    end(id);
    if (i % 1000 == 7) commit();
    if (i % 1000 == 9) {  // what no commit holds runs again
      restart();
      ASSERT_EQ(start(), "b" + std::to_string(i - 1));
      end("b" + std::to_string(i - 1));
      ASSERT_EQ(start(), "b" + std::to_string(i));
      end("b" + std::to_string(i));
    }
  }
  commit();
  EXPECT_EQ(progress("b").bulk.row.succeeded, 5000u);
  EXPECT_EQ(produced().size(), 1u);
}

TEST_F(InBulks, ABulkIsForgottenWhenItsTimeIsOver) {
  chunk("b", 0, 1, kOnDone);
  chunk("open", 0, 2);
  start();
  end("b0");
  start();
  end("open0");
  commit();
  EXPECT_EQ(rows_of(keys::kBulk), 5u);  // counters and a page each, and an on_done
  clock += DedupWindow(queue.dedup_window).longest() + 1s;
  start();
  commit();
  EXPECT_EQ(rows_of(keys::kBulk), 2u);
  EXPECT_EQ(rows_of(keys::kBulkCheck), 1u);
  clock += Bulks::kAbandonedAfter;
  start();
  commit();
  EXPECT_EQ(rows_of(keys::kBulk), 0u);
  EXPECT_EQ(rows_of(keys::kBulkCheck), 0u);
}

// It lacked a chunk when its time came, and such a one is given up only after a month.
TEST_F(InBulks, ABulkWhoseLastChunkComesLateIsForgottenInItsTime) {
  chunk("b", 0, 2);
  start();
  end("b0");
  commit();
  const Duration kept = DedupWindow(queue.dedup_window).longest() + 1s;
  clock += kept;
  start();
  chunk("b", 1, 2);
  start();
  end("b1");
  commit();
  EXPECT_EQ(rows_of(keys::kBulk), 2u);
  clock += kept;
  start();
  commit();
  EXPECT_EQ(rows_of(keys::kBulk), 0u);
  clock += Bulks::kAbandonedAfter;
  start();
  commit();
  EXPECT_EQ(rows_of(keys::kBulkCheck), 0u);
}

TEST_F(InBulks, ABulkThatLivesIsNotForgotten) {
  chunk("b", 0, 1, kOnDone);
  start();
  for (int i = 0; i < 4; ++i) {
    clock += queue.dedup_window;
    start();
    commit();
  }
  end("b0");
  commit();
  EXPECT_EQ(produced().size(), 1u);
}

TEST_F(InBulks, ABulkIsKnownAsLongAsAChunkOfItIsKept) {
  queue.dedup_window = 1h;
  chunk("b", 0, 2, kOnDone);
  chunk("b", 1, 2);
  start();
  end("b0", Discard{"no"});
  start();
  end("b1");
  commit();
  clock += TypePolicy{}.keep_dead - 1min;
  start();
  commit();
  restart();
  chunk("b", 1, 2);  // its identity is free again, but it cannot make the bulk whole a second time
  EXPECT_EQ(start(), "b1");
  end("b1");
  EXPECT_EQ(progress("b").bulk.row.ended(), 2u);
  command("retry", "acme", "b0");
  EXPECT_EQ(start(), "b0");
  end("b0");
  EXPECT_EQ(progress("b").bulk.row.succeeded, 2u);
  commit();
  EXPECT_EQ(produced().size(), 1u);
}

TEST_F(InBulks, AnIdThatIsFreeAgainBeginsAWholeBulkWithAnOnDoneOfItsOwn) {
  queue.dedup_window = 1h;
  std::set<std::string> ids;
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 3; ++i) chunk("b", i, 3, kOnDone);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(start(), "b" + std::to_string(i)) << round;
      end("b" + std::to_string(i), i == 1 ? OutcomeValue(Discard{"no"}) : OutcomeValue(Done{}));
    }
    commit();
    commit();
    ASSERT_EQ(produced().size(), static_cast<std::size_t>(round));
    ids.insert(nlohmann::json::parse(produced().back()).at("id").get<std::string>());
    for (int step = 0; step < 40 && rows_of(keys::kBulk) > 0; ++step) {
      clock += 24h;
      start();
      commit();
    }
    ASSERT_EQ(rows_of(keys::kBulk), 0u);
  }
  EXPECT_EQ(ids, (std::set<std::string>{"b@1/on_done", "b@4/on_done", "b@7/on_done"}));
}

TEST_F(InBulks, WhenABulkIsForgottenItsChunksMayComeAgain) {
  for (const Duration window : {Duration(0), Duration(1s), Duration(16min), Duration(25h)}) {
    queue.dedup_window = window;
    make();
    const std::string id = "w" + std::to_string(window.count()) + "-";
    chunk(id, 0, 1);
    start();
    end(id + "0");
    commit();
    for (int step = 0; step < 200 && rows_of(keys::kBulk) > 0; ++step) {
      clock += std::max<Duration>(window / 64, 100ms);
      start();
      commit();
    }
    chunk(id, 0, 1);
    EXPECT_EQ(start(), id + "0") << window.count();
    end(id + "0");
    commit();
    clock += 2 * window + 5s;
    start();
    commit();
  }
}

TEST_F(InBulks, AWalkGoesOnWhereItStopped) {
  for (int i = 0; i < 7; ++i) chunk("b" + std::to_string(i), 0, 3000 * 3);
  for (int i = 0; i < 3; ++i) chunk("b3", 1 + 2100 * i, 3000 * 3, "", "p" + std::to_string(i));
  commit();
  std::string seen;
  std::string after;
  for (std::optional<std::string> next; next || after.empty();) {
    next = task->queries().walk_bulks(after, "acme", 2,
                                      [&](const auto& bulk) { seen += bulk.bulk.id + " "; });
    if (!next) break;
    after = *next;
  }
  EXPECT_EQ(seen, "b0 b1 b2 b3 b4 b5 b6 ");
}

TEST_F(InBulks, TheEndIsEstimatedFromTheRateSoFar) {
  for (int i = 0; i < 10; ++i) chunk("b", i, 10);
  for (int i = 0; i < 4; ++i) {
    start();
    clock += 5s;
    end("b" + std::to_string(i));
  }
  EXPECT_EQ(progress("b").bulk.row.estimated_end(now().wall), now().wall + 30s);
}

TEST(OnDone, KeepsWhatItsAuthorWrote) {
  BulkRow row;
  row.size = row.succeeded = 3;
  EXPECT_EQ(
      on_done_record("acme", "b",
                     {row, R"({"type":"t","id":"mine","priority":-3,"weight":7,"run_at":5,
              "expires_at":9,"unique_key":"k","meta":{"a":1.50},"args": { }})"}),
      R"({"type":"t","id":"mine","args":{"bulk":{"id":"b","size":3,"succeeded":3,"dead":0,"cancelled":0,)"
      R"("expired":0} },"run_at":5,"expires_at":9,"priority":-3,"weight":7,"unique_key":"k",)"
      R"("meta":{"a":1.50}})");
}

}  // namespace
}  // namespace penstock
