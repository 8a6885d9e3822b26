#include "consumer/schedule/lines/lines.h"

#include <gtest/gtest.h>

#include "consumer/schedule/lines/line_rebuild.h"
#include "consumer/schedule/step_bounds.h"
#include "state/rows/keys.h"
#include "state/store/memory_store.h"

namespace penstock {
namespace {

struct InLine : testing::Test {
  MemoryStore store;
  View view{store};
  LiveJobPool pool;
  Lines lines{view, pool};

  void put_row(const std::string& account, std::int64_t number, std::int64_t order = 0,
               std::string_view line = "mail") {
    JobRow row;
    row.account = account;
    row.id = std::to_string(number);
    row.seq = JobSeq{number};
    view.put(keys::line(account, line, order, JobSeq{number}), row.encode());
  }
  LiveJob* job(const std::string& account, std::int64_t number, bool with_row) {
    LiveJob* const made = pool.take();
    made->row.account = account;
    made->row.id = std::to_string(number);
    made->place = made->turn = {0, JobSeq{number}};
    if (with_row) {
      put_row(account, number);
      made->row_key = keys::line(account, "mail", 0, JobSeq{number});
    }
    return made;
  }
  void rebuild(const LineRebuild::Found& found) {
    LineRebuild rebuilding(view, lines);
    while (rebuilding.step(kMaxRestoredRowsPerStep, found)) continue;
  }
  Line& line(const std::string& account) { return Lines::make(lines.make(account), "mail"); }
  std::string take(Line& line) {
    LiveJob* const first = lines.first(line);
    if (!first) return "(none)";
    const std::string id = first->row.id;
    line.jobs.remove(first);
    view.erase(first->row_key);
    pool.give_back(first);
    return id;
  }
};

TEST_F(InLine, JobsLieInTheOrderOfTheirPlaces) {
  Line& line = this->line("acme");
  for (const std::int64_t number : {5, 1, 3, 2, 4}) Lines::insert(line, job("acme", number, false));
  std::string order;
  for (const LiveJob* at = line.jobs.first(); at; at = at->next) order += at->row.id;
  EXPECT_EQ(order, "12345");
}

TEST_F(InLine, ARebuiltLineLoadsItsJobsWhenTheirTurnComes) {
  for (std::int64_t i = 0; i < 100; ++i) put_row("acme", i);
  put_row("bolt", 7);
  std::vector<std::string> found;
  rebuild([&](Line& line) { found.push_back(line.flow->account); });
  EXPECT_EQ(found, (std::vector<std::string>{"acme", "bolt"}));
  EXPECT_EQ(pool.in_use(), 0u);
  Line& line = this->line("acme");
  EXPECT_EQ(lines.first(line)->row.id, "0");
  EXPECT_EQ(pool.in_use(), Lines::kRefill);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(take(line), std::to_string(i));
  EXPECT_EQ(take(line), "(none)");
  EXPECT_FALSE(line.has_jobs());
}

TEST_F(InLine, FlowsThatOnlyAPeakNeededAreFreedABoundedNumberPerStep) {
  constexpr std::size_t kPeak = Lines::kMaxSpareFlows + 2 * Lines::kMaxFreedPerStep;
  std::vector<Flow*> flows;
  for (std::size_t i = 0; i < kPeak; ++i) flows.push_back(&lines.make(std::to_string(i)));
  for (Flow* const flow : flows) lines.forget(*flow);
  for (std::size_t spare = kPeak; spare > Lines::kMaxSpareFlows; spare = lines.spare_flows()) {
    EXPECT_EQ(lines.spare_flows(), spare);
    lines.give_memory_back();
    EXPECT_EQ(spare - lines.spare_flows(), Lines::kMaxFreedPerStep);
  }
  EXPECT_EQ(lines.flows(), 0u);
}

TEST_F(InLine, ALineOfRowsLoadsItsFirstJobAloneWhereMemoryIsFull) {
  Lines crowded(view, pool, Lines::Sharing::kNone, nullptr, 2);
  for (std::int64_t i = 0; i < 5; ++i) put_row("acme", i);
  LineRebuild rebuilding(view, crowded);
  while (rebuilding.step(1, [](Line&) {})) continue;
  LiveJob* const others[] = {pool.take(), pool.take()};
  Line& line = *Lines::find(*crowded.find("acme"), "mail");
  EXPECT_EQ(crowded.first(line)->row.id, "0");
  EXPECT_EQ(line.jobs.size(), 1u);
  EXPECT_TRUE(line.more);
  for (LiveJob* const other : others) pool.give_back(other);
}

TEST_F(InLine, TrimmedJobsComeBackOnceAndInOrder) {
  Line& line = this->line("acme");
  for (std::int64_t i = 0; i < 50; ++i) Lines::insert(line, job("acme", i, true));
  lines.trim(line, 10);
  EXPECT_EQ(line.jobs.size(), 10u);
  EXPECT_EQ(pool.in_use(), 10u);
  EXPECT_TRUE(line.more);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(take(line), std::to_string(i));
  EXPECT_EQ(take(line), "(none)");
}

TEST_F(InLine, TrimmedToNothingItBeginsAgainAtTheFirst) {
  Line& line = this->line("acme");
  for (std::int64_t i = 0; i < 3; ++i) Lines::insert(line, job("acme", i, true));
  lines.trim(line, 0);
  EXPECT_EQ(pool.in_use(), 0u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(take(line), std::to_string(i));
}

TEST_F(InLine, NewcomersBehindTheLoadedOnesStayRows) {
  Line& line = this->line("acme");
  for (std::int64_t i = 0; i < 50; ++i) Lines::insert(line, job("acme", i, true));
  EXPECT_TRUE(Lines::loads(line, {0, JobSeq{60}}));  // everything is in memory still
  lines.trim(line, 10);
  EXPECT_FALSE(Lines::loads(line, {0, JobSeq{60}}));
  EXPECT_TRUE(Lines::loads(line, {0, JobSeq{4}}));
}

TEST_F(InLine, TheLastLoadedPlaceIsInMemory) {
  Line& line = this->line("acme");
  for (std::int64_t i = 0; i < 50; ++i) Lines::insert(line, job("acme", i, true));
  lines.trim(line, 10);
  EXPECT_TRUE(Lines::loads(line, {0, JobSeq{9}}));
  EXPECT_FALSE(Lines::loads(line, {0, JobSeq{10}}));
}

TEST_F(InLine, RunningJobsAreNotLoadedAgain) {
  for (std::int64_t i = 0; i < 5; ++i) put_row("acme", i);
  rebuild([](Line&) {});
  Line& line = this->line("acme");
  LiveJob* const running = lines.first(line);
  line.jobs.remove(running);
  line.flow->running.push_back(running);
  lines.trim(line, 0);
  EXPECT_EQ(lines.first(line)->row.id, "1");
  line.loaded_to = kNothingLoaded;
  line.more = true;
  lines.trim(line, 0);
  line.loaded_to = kNothingLoaded;  // from the very first row again
  EXPECT_EQ(lines.first(line)->row.id, "1");
}

TEST_F(InLine, TheFirstOfAllReadyLinesIsTheFlowsFirst) {
  Flow& flow = lines.make("acme");
  Line& mail = Lines::make(flow, "mail");
  Lines::insert(mail, job("acme", 1, false));
  Line& call = Lines::make(flow, "call");
  Lines::insert(call, job("acme", 0, false));
  EXPECT_EQ(lines.first(flow)->row.id, "0");
  call.blocked_until = time_from_ms(5);
  EXPECT_EQ(lines.first(flow)->row.id, "1");
  mail.blocked_until = time_from_ms(5);
  EXPECT_EQ(lines.first(flow), nullptr);
  EXPECT_TRUE(flow.has_jobs());
}

TEST_F(InLine, ARebuiltFlowHasItsLines) {
  put_row("acme", 4, 0, "mail");
  put_row("acme", 3, 0, "call");
  rebuild([](Line&) {});
  Flow& flow = *lines.find("acme");
  EXPECT_EQ(lines.first(*Lines::find(flow, "mail"))->row.id, "4");
  EXPECT_EQ(lines.first(flow)->row.id, "3");
}

TEST_F(InLine, ManyLinesWithoutJobsAreForgottenWhenOneIsAddedAndThoseWithJobsAreKept) {
  Flow& flow = lines.make("acme");
  Lines::insert(Lines::make(flow, "a"), job("acme", 1, false));
  for (int i = 0; i < 9; ++i) (void)Lines::make(flow, "empty" + std::to_string(i));
  Lines::insert(Lines::make(flow, "c"), job("acme", 2, false));
  EXPECT_TRUE(Lines::find(flow, "a") && Lines::find(flow, "c"));
  EXPECT_EQ(Lines::find(flow, "empty3"), nullptr);
}

TEST(LinesAtGates, HaveALineOnceUntilItWaitsNoMore) {
  Line waits, passes;
  Gate* gate = nullptr;
  waits.gate.promised_by = reinterpret_cast<Gate*>(&gate);
  LinesAtGates lines;
  for (Line* const line : {&waits, &passes, &waits}) lines.add(*line);
  std::vector<Line*> seen;
  const auto look = [&](Line& line) { seen.push_back(&line); };
  lines.each(look);
  EXPECT_EQ(seen, (std::vector<Line*>{&waits, &passes}));
  lines.each(look);
  EXPECT_EQ(seen.size(), 3u) << "the one that passes is forgotten";
  waits.gate.promised_by = nullptr;
  lines.forget_others();
  EXPECT_FALSE(waits.is_at_gate);
}

TEST_F(InLine, AForgottenFlowLeavesNothingForTheNextAccount) {
  Flow& first = lines.make("acme");
  first.own.loaded_to = {9, JobSeq{9}};
  first.own.blocked_until = time_from_ms(5);
  first.fair.tag = 77;
  lines.forget(first);
  EXPECT_EQ(lines.find("acme"), nullptr);
  Flow& second = lines.make("bolt");
  EXPECT_EQ(second.own.blocked_until, Time{});
  EXPECT_EQ(second.fair.tag, 0);
  EXPECT_EQ(second.own.loaded_to.order, INT64_MIN);
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
  job->row.asked = Asked::kDelete;
  job->identity_row = true;
  pool.give_back(job);
  LiveJob* const again = pool.take();
  ASSERT_EQ(again, job);
  EXPECT_EQ(again->token, Token{});
  EXPECT_TRUE(again->row.reason.empty() && again->row.cursor.empty() && again->row.headers.empty());
  EXPECT_EQ(again->row.attempt, 1);
  EXPECT_FALSE(again->row.cancel_asked() || again->identity_row);
  EXPECT_EQ(pool.in_use(), 1u);
}

TEST_F(InLine, AnAccountsLinesOfCopiesAreFoundAmongAllOfItsLines) {
  FairClock clock;
  const LineOrder order(Order::kFair);
  JobRow plain, chunk, copy;
  plain.type = chunk.type = copy.type = "mail";
  chunk.bulk = "b";
  copy.id = "replay/r/a";
  copy.replay = "{}";
  for (const Lines::Sharing sharing : {Lines::Sharing::kNone, Lines::Sharing::kByOneClock}) {
    Lines shared(view, pool, sharing, &clock);
    Flow& flow = shared.make("acme");
    const auto found = [&flow] {
      std::vector<std::string> names;
      flow.each_of_copies([&](const Line& line) { names.push_back(line.name); });
      return names;
    };
    std::string buffer;
    for (const JobRow& row : {plain, chunk})
      Lines::make(flow, order.line_of(row, buffer)).more = true;
    EXPECT_TRUE(found().empty());
    EXPECT_FALSE(flow.had_copies);
    const std::string name(order.line_of(copy, buffer));
    Lines::make(flow, name).more = true;
    EXPECT_EQ(found(), std::vector<std::string>{name});
  }
}

}  // namespace
}  // namespace penstock
