#include "api/dead/dead_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/dead/record_sender.h"
#include "api/dead/resend.h"
#include "tests/api/dead/dead_stage.h"
#include "topics/partitioner.h"

namespace penstock {
namespace {

using Values = std::vector<std::string>;

class DeadReaderTest : public DeadStage {
 protected:
  std::pair<Values, DeadPage> read(const DeadBounds& bounds = {},
                                   const std::optional<DeadPosition>& after = {},
                                   const DeadFilter& filter = {}) {
    Values values;
    const auto page =
        read_dead(log_, kTopic, filter, after, bounds, [&](const DeadEntry& entry) -> Status {
          values.push_back(*entry.value);
          return {};
        });
    EXPECT_TRUE(page) << page.error().message;
    return {values, page.value_or(DeadPage{})};
  }
};

TEST_F(DeadReaderTest, RecordsComeByPartitionAndOffset) {
  die(2, "c", "5");
  die(0, "a", "1");
  die(0, "a", "2");
  die(1, "b", "3");
  const auto [values, page] = read();
  EXPECT_EQ(values, (Values{"1", "2", "3", "5"}));
  EXPECT_FALSE(page.after);
  EXPECT_EQ(page.matches, 4u);
}

TEST_F(DeadReaderTest, ARecordThatACrashHasRepeatedComesOnce) {
  die(0, "a", "1", {.message = "m#1"});
  die(0, "a", "2", {.message = "m#2"});
  die(0, "a", "1", {.message = "m#1"});
  die(0, "a", "3");
  die(0, "a", "3");
  EXPECT_EQ(read().first, (Values{"1", "2", "3", "3"})) << "without a name, none is a copy";
}

TEST_F(DeadReaderTest, PagesHaveEveryRecordOnce) {
  for (int i = 0; i < 50; ++i)
    die(i % 3, "a", std::to_string(i), {.message = "m#" + std::to_string(i)});
  // Copies of records of an earlier page.
  for (int i = 0; i < 6; ++i)
    die(i % 3, "a", std::to_string(i), {.message = "m#" + std::to_string(i)});
  Values all;
  std::optional<DeadPosition> after;
  int pages = 0;
  do {
    const auto [values, page] = read({.matches = 7}, after);
    EXPECT_LE(values.size(), 7u);
    all.insert(all.end(), values.begin(), values.end());
    after = page.after ? DeadPosition::parse(page.after->text()) : std::nullopt;
    ASSERT_LT(++pages, 20);
  } while (after);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all.size(), 50u);
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST_F(DeadReaderTest, APageThatIsExactlyFullSaysWhetherThereIsMore) {
  die(0, "a", "1");
  EXPECT_FALSE(read({.matches = 1}).second.after);
  die(2, "a", "2");
  EXPECT_EQ(read({.matches = 1}).second.after->text(), "2-0");
}

TEST_F(DeadReaderTest, WhatIsScannedIsBounded) {
  for (int i = 0; i < 10; ++i) die(1, "a", std::to_string(i));
  DeadFilter nothing;
  nothing.account = "nobody";
  const auto [values, page] = read({.scanned = 4}, {}, nothing);
  EXPECT_TRUE(values.empty());
  ASSERT_TRUE(page.after);
  EXPECT_EQ(page.after->text(), "1-4");
}

TEST_F(DeadReaderTest, AnErrorOfItsUserEndsIt) {
  die(0, "a", "1");
  die(0, "a", "2");
  int seen = 0;
  const auto page = read_dead(log_, kTopic, {}, {}, {}, [&](const DeadEntry&) -> Status {
    ++seen;
    return failure("enough");
  });
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().message, "enough");
  EXPECT_EQ(seen, 1);
}

TEST_F(DeadReaderTest, APositionThatIsNoneIsRefused) {
  for (const char* text : {"", "1", "-", "1-", "-1-2", "a-1", "1-2-3", "1- 2"})
    EXPECT_FALSE(DeadPosition::parse(text)) << text;
}

TEST_F(DeadReaderTest, APositionBehindTheTopicIsItsEnd) {
  die(0, "a", "1");
  EXPECT_TRUE(read({}, DeadPosition{7, Offset{}}).first.empty());
  EXPECT_TRUE(read({}, DeadPosition{0, Offset{100}}).first.empty());
}

class ResendTest : public DeadStage {
 protected:
  ResendTest() { sender_ = std::move(*RecordSender::open(log_, "penstock.mail")); }

  ResendCounts resend(Resend::Parts parts) {
    parts.ask = [this](const std::string&, const std::string& id) {
      const auto found = standing_.find(id);
      return found == standing_.end() ? Standing::kNone : found->second;
    };
    Resend resend(std::move(parts));
    const auto page = read_dead(log_, kTopic, {}, {}, {},
                                [&](const DeadEntry& entry) { return resend.take(entry); });
    EXPECT_TRUE(page) << page.error().message;
    const Status finished = resend.finish();
    EXPECT_TRUE(finished) << finished.error().message;
    return resend.counts();
  }

  std::map<std::string, Standing> standing_;
  std::unique_ptr<RecordSender> sender_;
};

std::string job(const std::string& id) { return R"({"type":"send","id":")" + id + "\"}"; }

TEST_F(ResendTest, EachRecordIsCountedOnceAndGoesToItsAccountsPartition) {
  die(0, "acme", job("gone"));
  die(0, "acme", job("kept"));
  die(1, "globex", job("alive"));
  die(1, "globex", "{", {.reason = "bad_json"});
  standing_ = {{"kept", Standing::kDead}, {"alive", Standing::kThere}};
  const ResendCounts counts = resend({.sender = sender_.get()});
  EXPECT_EQ(resend_json(counts).dump(),
            R"({"listed":4,"sent":2,"already":1,"left_out":0,"failed":{"bad_json":1}})");
  EXPECT_EQ(sent(partition_of("acme", 3)), (Values{job("gone"), R"({"op":"retry","id":"kept"})"}));
}

TEST_F(ResendTest, AJobWhoseIdIsRememberedIsNotSentBecauseItWouldBeDropped) {
  die(0, "acme", job("late"), {.at = "2026-03-01T12:00:00.000Z"});
  die(0, "acme", job("early"), {.at = "2026-03-01T11:59:59.999Z"});
  die(0, "acme", job("never"), {.reason = "bad_field", .at = "2026-03-01T12:00:00.000Z"});
  const ResendCounts counts =
      resend({.sender = sender_.get(), .remembers_from = *parse_dead_time("2026-03-01T12:00:00Z")});
  EXPECT_EQ(counts.already, 1u);
  EXPECT_EQ(sent(partition_of("acme", 3)), (Values{job("early"), job("never")}));
}

TEST_F(ResendTest, ADryRunSendsNothingAndCountsTheSame) {
  die(0, "acme", job("gone"));
  const ResendCounts counts = resend({});
  EXPECT_EQ(counts.sent, 1u);
  for (PartitionId partition = 0; partition < 3; ++partition) EXPECT_TRUE(sent(partition).empty());
}

TEST_F(ResendTest, AProgramMayRepairLeaveOutOrAnswerNonsense) {
  die(0, "acme", "repair", {.reason = "bad_json", .source = "penstock.mail/0/1"});
  die(0, "acme", "leave out", {.reason = "bad_json", .source = "penstock.mail/0/2"});
  die(0, "acme", "nonsense", {.reason = "bad_json", .source = "penstock.mail/0/3"});
  std::vector<std::string> failures;
  const ResendCounts counts = resend(
      {.sender = sender_.get(),
       .repair = [](const DeadEntry& entry) -> Result<Repair> {
         if (*entry.value == "leave out") return Repair{};
         if (*entry.value == "nonsense") return Repair{.bad = "no JSON"};
         return Repair{.record = RepairedRecord{std::nullopt, R"({"type":"send"})"}};
       },
       .on_failed = [&](const DeadEntry&, const NotSent& why) { failures.push_back(why.detail); }});
  EXPECT_EQ(counts.sent, 1u);
  EXPECT_EQ(counts.left_out, 1u);
  EXPECT_EQ(counts.failed.at("bad_answer"), 1u);
  EXPECT_EQ(failures, Values{"no JSON"});
  EXPECT_EQ(sent(partition_of("acme", 3)), Values{R"({"id":"penstock.mail/0/1","type":"send"})"});
}

TEST_F(ResendTest, ATopicThatIsNotThereIsNamedBeforeAnythingIsSent) {
  const auto sender = RecordSender::open(log_, "penstock.missing");
  ASSERT_FALSE(sender);
  EXPECT_NE(sender.error().message.find("penstock.missing"), std::string::npos);
}

TEST_F(ResendTest, WhatKafkaRefusesIsCountedAsNotAcknowledged) {
  EXPECT_TRUE(log_.configure("penstock.mail", {{"max.message.bytes", "100"}}));
  die(0, "acme", R"({"type":"send","id":"a","args":")" + std::string(200, 'x') + "\"}");
  Resend resend(
      {.sender = sender_.get(), .ask = [](const auto&, const auto&) { return Standing::kNone; }});
  ASSERT_TRUE(read_dead(log_, kTopic, {}, {}, {},
                        [&](const DeadEntry& entry) { return resend.take(entry); }));
  EXPECT_FALSE(resend.finish());
  EXPECT_EQ(resend.counts().sent, 0u);
  EXPECT_EQ(resend.counts().failed.at(std::string(kUnansweredReason)), 1u);
}

}  // namespace
}  // namespace penstock
