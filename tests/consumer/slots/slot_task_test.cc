// The owner's task: reports in, targets out, and what it remembers.
#include "consumer/slots/slot_task.h"

#include <gtest/gtest.h>

#include <set>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "state/store/memory_store.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

struct Owning : testing::Test {
  MemoryStore store;
  std::unique_ptr<View> view;
  FakeEmitter sent;
  std::unique_ptr<Outbox> outbox;
  std::unique_ptr<SlotTask> task;
  Control control;
  bool control_read = true;
  std::uint32_t newest_format = kNewestFormat;
  std::uint64_t seq = 0;
  std::int64_t offset = 0;
  std::map<PartitionId, std::uint64_t> said;
  std::size_t heard = 0;
  std::set<std::string> numbers;
  Duration clock{0};

  Owning() { make(); }

  [[nodiscard]] Now now() const {
    return {time_from_ms(1'800'000'000'000) + clock, Instant(std::chrono::hours(1) + clock)};
  }
  void make() {
    task.reset();
    outbox.reset();
    view = std::make_unique<View>(store);
    outbox = std::make_unique<Outbox>(*view, sent);
    outbox->restore("penstock.slots/0@1");
    task = std::make_unique<SlotTask>("penstock", 0, *view, *outbox, StepBounds{}, newest_format);
    task->restored(1, Offset{0}, seq, now());
    while (task->restoring()) task->restore_some(now());
    task->set_control(&control, now());
  }
  void record(std::string_view key, std::string_view value, const std::string& message) {
    const HeaderView header{kMessageHeader, message};
    const std::span<const HeaderView> headers(&header, message.empty() ? 0 : 1);
    const LogRecord record{Offset{offset++}, now().wall, key, value, headers};
    task->admit({&record, 1}, now());
  }
  void report(PartitionId from, std::uint64_t version, int demand, int keeps,
              const std::string& name = "crm", int slots = 10) {
    const SlotReport report{
        {"mail", from}, version, demand, keeps, SaidLimit{name, {.slots = slots}}};
    record(name, to_json(report),
           "penstock.mail/" + std::to_string(from) + "@1>penstock.slots/0#" +
               std::to_string(++said[from]));
  }
  // What is told with the next commit: "mail/0 v1=3 of 10 ...".
  std::string targets() {
    task->advance(now());
    task->exchange_slots({true, false, control_read}, now());
    task->save(seq + 1);
    outbox->save();
    const std::string rows(view->batch().bytes());
    view->sent(++seq);
    EXPECT_TRUE(
        store.apply(rows, {Offset{static_cast<std::int64_t>(seq)}, Offset{0}, seq, 0, false}));
    view->applied(seq);
    outbox->counted(seq);
    std::string text;
    for (; heard < sent.messages.size(); ++heard) {
      const auto& message = sent.messages[heard];
      outbox->appended(message.number, {Offset{static_cast<std::int64_t>(heard)}, {}});
      if (!numbers.insert(message.headers.at(std::string(kMessageHeader))).second)
        continue;  // emitted again
      EXPECT_EQ(message.headers.count(std::string(kSlotsHeader)), 1u);
      const SlotTarget target = parse_slot_target(*message.value).value();
      text += (text.empty() ? "" : ", ") + message.to.topic.substr(9) + "/" +
              std::to_string(message.to.partition) + " " + *message.key + " v" +
              std::to_string(target.version) + "=" + std::to_string(target.slots) + " of " +
              std::to_string(target.of);
    }
    return text;
  }
  [[nodiscard]] std::size_t rows() const {
    std::size_t count = 0;
    for (const auto& [key, value] : store.contents().rows) count += key[0] == 'a' ? 1 : 0;
    return count;
  }
};

TEST_F(Owning, WhoAsksIsToldWhatItMayUse) {
  report(0, 0, 4, 0);
  report(3, 0, 20, 0);
  EXPECT_EQ(targets(), "mail/0 crm v1=4 of 10, mail/3 crm v1=6 of 10");
  EXPECT_EQ(targets(), "");
}

TEST_F(Owning, LimitsDoNotTakeFromEachOther) {
  report(0, 0, 10, 0, "crm", 10);
  report(0, 0, 10, 0, "erp", 3);
  EXPECT_EQ(targets(), "mail/0 crm v1=10 of 10, mail/0 erp v1=3 of 3");
}

TEST_F(Owning, NothingIsAllottedBeforeWhatOperatorsHaveSetIsKnown) {
  control_read = false;
  report(0, 0, 4, 0);
  EXPECT_EQ(targets(), "");
  EXPECT_EQ(task->next_time(), std::nullopt);
  ASSERT_TRUE(control.apply(limit_key("crm"), R"({"slots":2})"));
  task->set_control(&control, now());
  control_read = true;
  EXPECT_EQ(targets(), "mail/0 crm v1=2 of 2");
}

// It is taken from the input with that commit: nobody would say it again.
TEST_F(Owning, AReportThatIsTakenBeforeAnythingMayBeAllottedSurvivesARestart) {
  control_read = false;
  report(0, 0, 4, 0);
  EXPECT_EQ(targets(), "");
  make();
  EXPECT_EQ(targets(), "");
  control_read = true;
  EXPECT_EQ(targets(), "mail/0 crm v1=4 of 10");
}

TEST_F(Owning, AnOverrideIsInForceAtOnceAndAResetToo) {
  report(0, 0, 10, 0);
  targets();
  report(0, 1, 10, 10);
  ASSERT_TRUE(control.apply(limit_key("crm"), R"({"slots":0})"));
  task->set_control(&control, now());
  EXPECT_EQ(targets(), "mail/0 crm v2=0 of 0");
  report(0, 2, 10, 0);
  ASSERT_TRUE(control.apply(limit_key("crm"), std::nullopt));
  task->set_control(&control, now());
  EXPECT_EQ(targets(), "mail/0 crm v3=10 of 10");
}

TEST_F(Owning, AnOverrideOfTheRateKeepsTheSlots) {
  ASSERT_TRUE(control.apply(limit_key("crm"), R"({"rate":"5/s"})"));
  task->set_control(&control, now());
  report(0, 0, 20, 0);
  EXPECT_EQ(targets(), "mail/0 crm v1=10 of 10");
}

TEST_F(Owning, WhatIsAllottedSurvivesARestart) {
  report(0, 0, 10, 0);
  targets();
  make();
  EXPECT_EQ(targets(), "");
  report(1, 0, 10, 0);
  EXPECT_EQ(targets(), "mail/0 crm v2=5 of 10");
  make();
  report(0, 2, 10, 5);
  EXPECT_EQ(targets(), "mail/1 crm v1=5 of 10");
}

TEST_F(Owning, AReportThatWasTakenBeforeChangesNothing) {
  report(0, 0, 4, 0);
  targets();
  --said[0];
  report(0, 0, 9, 0);
  EXPECT_EQ(targets(), "");
  EXPECT_EQ(task->ignored(), 1u);
}

TEST_F(Owning, WhatIsNoReportLeavesNoTrace) {
  record("crm", "{}", "penstock.mail/0@1>penstock.slots/0#1");
  record("crm", to_json(SlotReport{{"mail", 0}, 0, 4, 0, SaidLimit{"crm", {.slots = 1}}}), "");
  record("crm", to_json(SlotReport{{"no queue", 0}, 0, 4, 0, SaidLimit{"crm", {.slots = 1}}}),
         "x/0@1>penstock.slots/0#1");
  EXPECT_EQ(targets(), "");
  EXPECT_EQ(task->ignored(), 3u);
  EXPECT_EQ(task->input_next(), Offset{3});
}

// Its number is used up all the same: the next one of its source would never be taken else.
TEST_F(Owning, AMessageThatIsNoReportKeepsNoLaterOneOut) {
  record("crm", "rubbish", "penstock.mail/0@1>penstock.slots/0#1");
  said[0] = 1;
  report(0, 0, 1, 0);
  EXPECT_EQ(task->reports(), 1u);
  EXPECT_EQ(targets(), "mail/0 crm v1=1 of 10");
}

TEST_F(Owning, AMessageToAnotherPartitionIsNoReport) {
  record("crm", to_json(SlotReport{{"mail", 0}, 0, 1, 0, SaidLimit{"crm", {.slots = 10}}}),
         "penstock.mail/0@1>penstock.slots/1#1");
  EXPECT_EQ(task->ignored(), 1u);
  report(0, 0, 1, 0);
  EXPECT_EQ(task->reports(), 1u);
}

TEST_F(Owning, TurnsPassInTimeAndWhenTheLastOneHasArrived) {
  report(0, 0, 5, 0, "crm", 1);
  report(1, 0, 5, 0, "crm", 1);
  EXPECT_EQ(targets(), "mail/0 crm v1=1 of 1");
  clock += SlotTask::kTurn;
  EXPECT_EQ(targets(), "");  // it has not answered
  report(0, 1, 5, 1, "crm", 1);
  EXPECT_EQ(targets(), "mail/0 crm v2=0 of 1");
  report(0, 2, 5, 0, "crm", 1);
  EXPECT_EQ(targets(), "mail/1 crm v1=1 of 1");
  report(1, 1, 5, 1, "crm", 1);
  EXPECT_EQ(targets(), "");
  ASSERT_TRUE(task->next_time().has_value());
  clock += SlotTask::kTurn;
  EXPECT_LE(*task->next_time(), now().wall);
  EXPECT_EQ(targets(), "mail/1 crm v2=0 of 1");
}

TEST_F(Owning, OfWhatPartitionsSayTheStricterHoldsWhileTheyHaveUseForIt) {
  report(0, 0, 20, 0, "crm", 10);
  EXPECT_EQ(targets(), "mail/0 crm v1=10 of 10");
  report(1, 0, 1, 0, "crm", 4);
  EXPECT_EQ(targets(), "mail/0 crm v2=3 of 4");
  report(0, 2, 20, 3, "crm", 10);
  EXPECT_EQ(targets(), "mail/1 crm v1=1 of 4");
  report(1, 1, 0, 0, "crm", 4);
  EXPECT_EQ(targets(), "mail/0 crm v3=10 of 10");
}

TEST_F(Owning, ALimitThatNobodyUsesLeavesNoRow) {
  report(0, 0, 5, 0);
  targets();
  EXPECT_EQ(rows(), 1u);
  report(0, 1, 5, 5);
  report(0, 1, 0, 0);
  EXPECT_EQ(targets(), "");
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(task->limits(), 0u);
}

TEST_F(Owning, ARateAloneIsAllottedInParts) {
  const SlotReport report{{"mail", 0},
                          0,
                          kRateParts,
                          0,
                          SaidLimit{"sms", {.rate = Rate{100, Duration{1000}}, .burst = 5}}};
  record("sms", to_json(report), "penstock.mail/0@1>penstock.slots/0#1");
  EXPECT_EQ(targets(), "mail/0 sms v1=60 of 60");
}

TEST_F(Owning, WritesTheNewFormatOnceTheUpgradeOfTheSharedLimitsIsFinished) {
  const auto format = [&] {
    std::string bytes;
    return View(store).get(keys::kMetaFormat, &bytes) ? Cursor(bytes).u32() : 0;
  };
  newest_format = 2;
  make();
  (void)targets();
  EXPECT_EQ(format(), 1u);
  ASSERT_TRUE(control.apply(format_key(kSlotsQueue), format_json(2)));
  task->set_control(&control, now());
  (void)targets();
  EXPECT_EQ(format(), 2u);
}

}  // namespace
}  // namespace penstock
