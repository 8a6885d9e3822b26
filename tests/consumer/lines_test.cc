#include "consumer/lines.h"

#include <gtest/gtest.h>

#include "state/keys.h"
#include "state/memory_store.h"

namespace penstock {
namespace {

struct InLine : testing::Test {
  MemoryStore store;
  View view{store};
  LiveJobPool pool;
  Lines lines{view, pool};

  void put_row(const std::string& account, std::int64_t offset, std::int64_t order = 0) {
    JobRow row;
    row.account = account;
    row.id = std::to_string(offset);
    row.offset = Offset{offset};
    view.put(keys::line(account, order, Offset{offset}), row.encode());
  }
  LiveJob* job(const std::string& account, std::int64_t offset, bool with_row) {
    LiveJob* const made = pool.take();
    made->row.account = account;
    made->row.id = std::to_string(offset);
    made->place = {0, Offset{offset}};
    if (with_row) {
      put_row(account, offset);
      made->row_key = keys::line(account, 0, Offset{offset});
    }
    return made;
  }
  std::string take(Flow& flow) {
    LiveJob* const first = lines.first(flow);
    if (!first) return "(none)";
    const std::string id = first->row.id;
    flow.line.remove(first);
    view.erase(first->row_key);
    pool.give_back(first);
    return id;
  }
};

TEST_F(InLine, JobsLieInTheOrderOfTheirPlaces) {
  Flow& flow = lines.make("acme");
  for (const std::int64_t offset : {5, 1, 3, 2, 4}) Lines::insert(flow, job("acme", offset, false));
  std::string order;
  for (const LiveJob* at = flow.line.first(); at; at = at->next) order += at->row.id;
  EXPECT_EQ(order, "12345");
}

TEST_F(InLine, ARebuiltLineLoadsItsJobsWhenTheirTurnComes) {
  for (std::int64_t i = 0; i < 100; ++i) put_row("acme", i);
  put_row("bolt", 7);
  std::vector<std::string> found;
  lines.rebuild([&](Flow& flow) { found.push_back(flow.account); });
  EXPECT_EQ(found, (std::vector<std::string>{"acme", "bolt"}));
  EXPECT_EQ(pool.in_use(), 0u);
  Flow& flow = *lines.find("acme");
  EXPECT_EQ(lines.first(flow)->row.id, "0");
  EXPECT_EQ(pool.in_use(), Lines::kRefill);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(take(flow), std::to_string(i));
  EXPECT_EQ(take(flow), "(none)");
  EXPECT_FALSE(flow.has_jobs());
}

TEST_F(InLine, TrimmedJobsComeBackOnceAndInOrder) {
  Flow& flow = lines.make("acme");
  for (std::int64_t i = 0; i < 50; ++i) Lines::insert(flow, job("acme", i, true));
  lines.trim(flow, 10);
  EXPECT_EQ(flow.line.size(), 10u);
  EXPECT_EQ(pool.in_use(), 10u);
  EXPECT_TRUE(flow.more);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(take(flow), std::to_string(i));
  EXPECT_EQ(take(flow), "(none)");
}

TEST_F(InLine, TrimmedToNothingItBeginsAgainAtTheFirst) {
  Flow& flow = lines.make("acme");
  for (std::int64_t i = 0; i < 3; ++i) Lines::insert(flow, job("acme", i, true));
  lines.trim(flow, 0);
  EXPECT_EQ(pool.in_use(), 0u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(take(flow), std::to_string(i));
}

TEST_F(InLine, NewcomersBehindTheLoadedOnesStayRows) {
  Flow& flow = lines.make("acme");
  for (std::int64_t i = 0; i < 50; ++i) Lines::insert(flow, job("acme", i, true));
  EXPECT_TRUE(Lines::loads(flow, {0, Offset{60}}));  // everything is in memory still
  lines.trim(flow, 10);
  EXPECT_FALSE(Lines::loads(flow, {0, Offset{60}}));
  EXPECT_TRUE(Lines::loads(flow, {0, Offset{4}}));
}

TEST_F(InLine, TheLastLoadedPlaceIsInMemory) {
  Flow& flow = lines.make("acme");
  for (std::int64_t i = 0; i < 50; ++i) Lines::insert(flow, job("acme", i, true));
  lines.trim(flow, 10);
  EXPECT_TRUE(Lines::loads(flow, {0, Offset{9}}));
  EXPECT_FALSE(Lines::loads(flow, {0, Offset{10}}));
}

TEST_F(InLine, RunningJobsAreNotLoadedAgain) {
  for (std::int64_t i = 0; i < 5; ++i) put_row("acme", i);
  lines.rebuild([](Flow&) {});
  Flow& flow = *lines.find("acme");
  LiveJob* const running = lines.first(flow);
  flow.line.remove(running);
  flow.running.push_back(running);
  lines.trim(flow, 0);
  EXPECT_EQ(lines.first(flow)->row.id, "1");
  flow.loaded_to = {INT64_MIN, Offset{-1}};
  flow.more = true;
  lines.trim(flow, 0);
  flow.loaded_to = {INT64_MIN, Offset{-1}};  // from the very first row again
  EXPECT_EQ(lines.first(flow)->row.id, "1");
}

TEST_F(InLine, AForgottenFlowLeavesNothingForTheNextAccount) {
  Flow& first = lines.make("acme");
  first.loaded_to = {9, Offset{9}};
  first.blocked_until = time_from_ms(5);
  first.fair.tag = 77;
  lines.forget(first);
  EXPECT_EQ(lines.find("acme"), nullptr);
  Flow& second = lines.make("bolt");
  EXPECT_EQ(second.blocked_until, Time{});
  EXPECT_EQ(second.fair.tag, 0);
  EXPECT_EQ(second.loaded_to.order, INT64_MIN);
  EXPECT_EQ(lines.flows(), 1u);
}

TEST(LiveJobPool, AReusedJobRemembersNothing) {
  LiveJobPool pool;
  LiveJob* const job = pool.take();
  job->token = {1, 2, 3};
  job->row.reason = "reason";
  job->row.cursor = "{}";
  job->row.attempt = 9;
  job->row.headers.push_back({"a", "b"});
  job->cancel_asked = job->identity_row = true;
  pool.give_back(job);
  LiveJob* const again = pool.take();
  ASSERT_EQ(again, job);
  EXPECT_EQ(again->token, Token{});
  EXPECT_TRUE(again->row.reason.empty() && again->row.cursor.empty() && again->row.headers.empty());
  EXPECT_EQ(again->row.attempt, 1);
  EXPECT_FALSE(again->cancel_asked || again->identity_row);
  EXPECT_EQ(pool.in_use(), 1u);
}

}  // namespace
}  // namespace penstock
