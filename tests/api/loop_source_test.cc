// The source against a real loop on the simulated log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/api/loop_stage.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

std::string job(const std::string& id, const std::string& more = "") {
  return R"({"type":"send","id":")" + id + "\"" + more + "}";
}

struct LoopSourceTest : testing::Test {
  LoopStage stage;

  // 300 jobs of 30 accounts; a tenth of them scheduled for far later.
  void fill() {
    for (int i = 0; i < 300; ++i) {
      stage.put("account-" + std::to_string(i % 30),
                job(std::to_string(i), i % 10 == 9 ? R"(,"run_at":"2100-01-01T00:00:00Z")" : ""));
    }
    stage.begin();
    stage.pass(milliseconds(2000));
    stage.run();
  }
  // Every page of a list.
  std::vector<ShownJob> all(LoopSource& source, JobQuery query) {
    std::vector<ShownJob> jobs;
    query.queue = "mail";
    for (int pages = 0; pages < 2000; ++pages) {
      auto page = source.list(query);
      EXPECT_TRUE(page) << page.error().detail;
      if (!page) break;
      EXPECT_LE(page->jobs.size(), static_cast<std::size_t>(query.limit));
      EXPECT_TRUE(page->not_here.empty());
      std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(jobs));
      if (page->after.empty()) return jobs;
      query.after = page->after;
    }
    ADD_FAILURE() << "the list has no end";
    return jobs;
  }
};

TEST_F(LoopSourceTest, EveryBulkIsListedOnceWithItsCounts) {
  for (int i = 0; i < 40; ++i) {
    const std::string bulk = "b" + std::to_string(i % 20);
    stage.put("account-" + std::to_string(i % 20),
              job(std::to_string(i), R"(,"run_at":"2100-01-01T00:00:00Z",)"
                                     R"("bulk":{"id":")" +
                                         bulk + R"(","index":)" + std::to_string(i / 20) +
                                         R"(,"size":5})"));
  }
  stage.begin();
  stage.pass(milliseconds(2000));
  stage.run();
  LoopSource source = stage.source({});
  for (const int limit : {1, 7, 100}) {
    std::set<std::string> ids;
    BulkQuery query{.queue = "mail", .limit = limit};
    do {
      const auto page = source.bulks(query);
      ASSERT_TRUE(page);
      for (const ShownBulk& bulk : page->bulks) {
        EXPECT_TRUE(ids.insert(bulk.id).second) << bulk.id;
        EXPECT_EQ(bulk.counts.admitted, 2u);
        EXPECT_EQ(bulk.counts.size, 5u);
      }
      query.after = page->after;
    } while (!query.after.empty());
    EXPECT_EQ(ids.size(), 20u);
  }
  const auto own = source.bulks({.queue = "mail", .account = "account-3"});
  ASSERT_TRUE(own);
  ASSERT_EQ(own->bulks.size(), 1u);
  EXPECT_EQ(own->bulks[0].id, "b3");
  const auto chunks = all(source, {.bulk = "b3"});
  EXPECT_EQ(chunks.size(), 2u);
  EXPECT_FALSE(source.bulks({.queue = "mail", .after = "1-0-6c"}));
}

TEST_F(LoopSourceTest, EveryJobIsListedOnceWhateverThePageAndThePiece) {
  fill();
  for (const int limit : {7, 100, 1000}) {
    for (const int rows : {1, 13, 512}) {
      LoopSource::Limits limits;
      limits.rows_per_step = rows;
      LoopSource source = stage.source(limits);
      std::set<std::string> ids;
      const auto jobs = all(source, {.limit = limit});
      for (const ShownJob& shown : jobs) EXPECT_TRUE(ids.insert(shown.id).second) << shown.id;
      EXPECT_EQ(jobs.size(), 300u) << limit << " " << rows;
    }
  }
}

TEST_F(LoopSourceTest, TheOrderStaysTheSame) {
  fill();
  LoopSource source = stage.source();
  const auto once = all(source, {.limit = 11}), again = all(source, {.limit = 200});
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].id, again[i].id);
}

TEST_F(LoopSourceTest, JobsWithoutARowYetAreListedOnceAmongTheOthers) {
  stage.begin();
  for (int i = 0; i < 50; ++i) stage.put("acme", job("old-" + std::to_string(i)));
  stage.pass(milliseconds(2000));
  // Admitted, and not yet committed: the loop is asked before its next commit counts.
  for (int i = 0; i < 50; ++i) stage.put("acme", job("new-" + std::to_string(i)));
  Tenure* const tenure = stage.loop->tenure(partition_of("acme", LoopStage::kPartitions));
  const auto admitted = [&] { return tenure->task()->counters().admitted; };
  while (admitted() < 100) stage.pass(milliseconds(1));
  for (const int rows : {1, 3, 1000}) {
    std::vector<std::string> ids;
    JobWalk::Piece piece;
    piece.max_rows = rows;
    for (std::optional<std::string> after = ""; after;) {
      piece.after = *after;
      after = tenure->task()->job_walk().walk(piece, stage.now(), [&](const JobInfo& info) {
        ids.push_back(info.row.id);
        return true;
      });
    }
    EXPECT_EQ(ids.size(), 100u) << rows;
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 100u);
    EXPECT_EQ(ids.front(), "old-0");
    EXPECT_EQ(ids.back(), "new-49");
  }
}

TEST_F(LoopSourceTest, FiltersChooseByStateTypeAndAccount) {
  fill();
  LoopSource source = stage.source();
  EXPECT_EQ(all(source, {.state = JobState::kScheduled, .limit = 1000}).size(), 30u);
  EXPECT_EQ(all(source, {.state = JobState::kRunning, .limit = 1000}).size(), 1u);
  EXPECT_EQ(all(source, {.state = JobState::kDead, .limit = 1000}).size(), 0u);
  const auto of_one = all(source, {.account = "account-9", .limit = 3});
  EXPECT_EQ(of_one.size(), 10u);
  for (const ShownJob& shown : of_one) EXPECT_EQ(shown.account, "account-9");
  EXPECT_EQ(all(source, {.type = "send", .limit = 1000}).size(), 300u);
  EXPECT_EQ(all(source, {.type = "sen", .limit = 1000}).size(), 0u);
}

TEST_F(LoopSourceTest, AJobIsFoundByIdWithAndWithoutItsAccount) {
  fill();
  LoopSource source = stage.source();
  const auto with = source.find("mail", "17", "account-17");
  ASSERT_TRUE(with);
  ASSERT_EQ(with->jobs.size(), 1u);
  EXPECT_EQ(with->jobs[0].account, "account-17");
  EXPECT_FALSE(with->jobs[0].why.empty());
  EXPECT_EQ(with->jobs[0].max_attempts, 25);
  const auto without = source.find("mail", "17", "");
  ASSERT_EQ(without->jobs.size(), 1u);
  EXPECT_EQ(without->jobs[0].id, "17");
  EXPECT_TRUE(source.find("mail", "17", "account-18")->jobs.empty());
  EXPECT_TRUE(source.find("mail", "no such", "")->jobs.empty());
}

TEST_F(LoopSourceTest, AnIdOfSeveralAccountsIsFoundUnderEach) {
  for (const char* account : {"a", "b", "c"}) stage.put(account, job("same"));
  stage.begin();
  stage.pass(milliseconds(2000));
  stage.run();
  EXPECT_EQ(stage.source().find("mail", "same", "")->jobs.size(), 3u);
}

TEST_F(LoopSourceTest, TheLongestLinesComeFirst) {
  for (int i = 0; i < 60; ++i) stage.put("noisy", job(std::to_string(i)));
  for (int i = 0; i < 5; ++i) stage.put("quiet", job(std::to_string(i)));
  stage.put("one", job("1"));
  stage.begin(10);
  stage.pass(milliseconds(2000));
  stage.run();
  const auto listing = stage.source().busiest("mail", 2, AccountOrder::kLine);
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->accounts.size(), 2u);
  EXPECT_EQ(listing->accounts[0].account, "noisy");
  EXPECT_EQ(listing->accounts[0].jobs, 60u);
  EXPECT_EQ(listing->accounts[0].running, 1u);
  EXPECT_EQ(listing->accounts[1].account, "quiet");
  EXPECT_TRUE(listing->complete);
}

TEST_F(LoopSourceTest, TheStatusAddsUpWhatTheLoopHolds) {
  fill();
  const auto status = stage.source().status("mail");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->counters.admitted, 300u);
  EXPECT_EQ(status->job_rows, 300u);
  EXPECT_EQ(status->running, 1u);
  EXPECT_EQ(status->phases.at("running"), LoopStage::kPartitions);
  EXPECT_GT(status->commits, 0u);
  EXPECT_GT(status->lease_left->count(), 0);
  EXPECT_TRUE(status->not_here.empty());
}

TEST_F(LoopSourceTest, PartitionsThatNobodyHereHoldsAreNamed) {
  stage.session = *stage.log.open({});
  LoopOptions options;
  options.queue = stage.policy;
  options.types = &stage.types;
  stage.loop = std::make_unique<Loop>(options, *stage.session, stage);
  stage.loop->pass({stage.cluster.wall(), stage.cluster.now()});
  LoopSource::Limits limits;
  std::jthread turns([this](const std::stop_token& stop) {
    // Time stands still, so nothing is assigned.
    while (!stop.stop_requested()) {
      stage.loop->take_posted();
      stage.loop->pass({stage.cluster.wall(), stage.cluster.now()});
    }
  });
  LoopSource source = stage.source(limits);
  EXPECT_THAT(source.status("mail")->not_here, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(source.list({.queue = "mail"})->not_here, ElementsAre(0, 1, 2, 3));
  const PartitionId own = partition_of("acme", LoopStage::kPartitions);
  EXPECT_THAT(source.find("mail", "1", "acme")->not_here, ElementsAre(own));
  EXPECT_THAT(source.list({.queue = "mail", .account = "acme"})->not_here, ElementsAre(own));
  EXPECT_THAT(source.bulks({.queue = "mail", .account = "acme"})->not_here, ElementsAre(own));
}

TEST_F(LoopSourceTest, ALoopThatDoesNotTurnIsNoAnswer) {
  stage.begin();
  LoopSource::Limits limits;
  limits.answer = milliseconds(20);
  LoopSource source = stage.source(limits);
  const auto status = source.status("mail");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().fault, SourceFault::kNoAnswer);
  EXPECT_EQ(source.list({.queue = "mail"}).error().fault, SourceFault::kNoAnswer);
  EXPECT_EQ(source.find("mail", "1", "").error().fault, SourceFault::kNoAnswer);
  EXPECT_EQ(source.busiest("mail", 1, AccountOrder::kLine).error().fault, SourceFault::kNoAnswer);
  EXPECT_EQ(source.status().front().silent_loops, 1);
  stage.pass(milliseconds(10));  // what was asked and forgotten still runs, and harms nobody
}

TEST_F(LoopSourceTest, ALoopThatDoesNotTurnForLongIsStuck) {
  stage.begin();
  stage.pass(milliseconds(10));
  LoopSource source = stage.source();
  EXPECT_EQ(source.stuck(), "");
  stage.ahead = std::chrono::seconds(31);
  EXPECT_THAT(source.stuck(), HasSubstr("of queue \"mail\" has stood still"));
  stage.pass(milliseconds(10));
  stage.ahead = milliseconds(0);
  EXPECT_EQ(source.stuck(), "");
}

TEST_F(LoopSourceTest, ABadPositionAndAnUnknownQueueAreRefused) {
  fill();
  LoopSource source = stage.source();
  EXPECT_EQ(source.list({.queue = "mail", .after = "rubbish"}).error().fault,
            SourceFault::kBadAfter);
  EXPECT_EQ(source.list({.queue = "nope"}).error().fault, SourceFault::kNoQueue);
  EXPECT_FALSE(source.has_queue("nope"));
  EXPECT_TRUE(source.has_queue("mail"));
}

}  // namespace
}  // namespace penstock
