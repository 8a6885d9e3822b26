// What a log promises to those who append.
#include <gtest/gtest.h>

#include "tests/conformance/log_conformance.h"

namespace penstock {
namespace {

TEST_P(LogConformance, OffsetsAreDenseFromZero) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  append_numbers(member, to, 0, 50);
  append_numbers(member, to, 50, 50);
  member->read(to, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(to).size() == 100; }));
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(member.records(to)[i].offset.value, static_cast<std::int64_t>(i));
  }
}

TEST_P(LogConformance, AnAcknowledgedOffsetIsWhereTheRecordLies) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  append_numbers(member, to, 0, 200);
  member->read(to, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(to).size() == 200; }));
  int with_offset = 0;
  for (const OwnedRecord& record : member.records(to)) {
    const Appended& result = member.appended[{Lane::kState, std::stoull(*record.value)}].front();
    if (!result.offset) continue;
    EXPECT_EQ(*result.offset, record.offset);
    ++with_offset;
  }
  EXPECT_GT(with_offset, 0);
}

TEST_P(LogConformance, KeyValueAndHeadersComeBackByteForByte) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  const std::string bytes("a\0b\xff\n", 5);
  const std::array<HeaderView, 4> headers = {HeaderView{"name", bytes}, HeaderView{"empty", ""},
                                             HeaderView{"null", std::nullopt},
                                             HeaderView{"name", "again"}};
  append(member, to, {.key = bytes, .value = bytes, .headers = headers}, 1);
  member->read(to, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(to).size() == 1; }));
  const OwnedRecord& record = member.records(to)[0];
  EXPECT_EQ(record.key, bytes);
  EXPECT_EQ(record.value, bytes);
  const std::vector<std::pair<std::string, std::optional<std::string>>> expected = {
      {"name", bytes}, {"empty", ""}, {"null", std::nullopt}, {"name", "again"}};
  EXPECT_EQ(record.headers, expected);
}

TEST_P(LogConformance, AnAbsentKeyOrValueIsNotAnEmptyOne) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  append(member, to, {.key = std::nullopt, .value = "v", .headers = {}}, 1);
  append(member, to, {.key = "k", .value = std::nullopt, .headers = {}}, 2);
  append(member, to, {.key = "", .value = "", .headers = {}}, 3);
  append(member, to, {.key = std::nullopt, .value = std::nullopt, .headers = {}}, 4);
  member->read(to, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(to).size() == 4; }));
  const auto& records = member.records(to);
  EXPECT_EQ(records[0].key, std::nullopt);
  EXPECT_EQ(records[0].value, "v");
  EXPECT_EQ(records[1].key, "k");
  EXPECT_EQ(records[1].value, std::nullopt) << "a tombstone";
  EXPECT_EQ(records[2].key, "");
  EXPECT_EQ(records[2].value, "");
  EXPECT_EQ(records[3].key, std::nullopt);
  EXPECT_EQ(records[3].value, std::nullopt);
}

TEST_P(LogConformance, TheRecordIsCopiedByAppend) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  std::string value = "as it was";
  std::string name = "header";
  const std::array<HeaderView, 1> headers = {HeaderView{name, value}};
  append(member, to, {.key = value, .value = value, .headers = headers}, 1);
  value = "overwritten";
  name = "others";
  member->read(to, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(to).size() == 1; }));
  EXPECT_EQ(member.records(to)[0].value, "as it was");
  EXPECT_EQ(member.records(to)[0].headers.front().first, "header");
}

TEST_P(LogConformance, ALargeRecordComesBackWhole) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1, {{"max.message.bytes", "2200000"}})), 0};
  std::string large(1 << 20, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 31 % 251);
  append_value(member, to, "before", 1);
  append_value(member, to, large, 2);
  append_value(member, to, "after", 3);
  member->read(to, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(to).size() == 3; }));
  EXPECT_TRUE(member.records(to)[1].value == large);
}

TEST_P(LogConformance, ALaneKeepsItsOrderInEachPartition) {
  Member& member = open();
  const TopicId topic = member->topic(new_topic(3));
  constexpr int kRecords = 600;
  for (int i = 0; i < kRecords; ++i) {
    const Lane lane = i % 2 == 0 ? Lane::kState : Lane::kOutbox;
    append_value(member, {topic, i % 3}, std::to_string(i), static_cast<Ticket>(i), lane);
  }
  std::size_t seen = 0;
  for (PartitionId p = 0; p < 3; ++p) member->read({topic, p}, Offset{0});
  ASSERT_TRUE(until([&] {
    seen = 0;
    for (PartitionId p = 0; p < 3; ++p) seen += member.records({topic, p}).size();
    return seen >= kRecords;
  }));
  EXPECT_EQ(seen, static_cast<std::size_t>(kRecords));
  for (PartitionId p = 0; p < 3; ++p) {
    std::array<int, 2> last = {-1, -1};
    for (const std::string& value : member.values({topic, p})) {
      const int number = std::stoi(value);
      EXPECT_LT(last[static_cast<std::size_t>(number % 2)], number);
      last[static_cast<std::size_t>(number % 2)] = number;
    }
  }
}

TEST_P(LogConformance, EveryAppendIsAnsweredOnce) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  append_numbers(member, to, 0, 1000);
  settle();
  EXPECT_EQ(member.appended.size(), 1000u);
  for (const auto& [id, answers] : member.appended) EXPECT_EQ(answers.size(), 1u);
}

TEST_P(LogConformance, TheSameTicketInTwoLanesIsTwoAppends) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  append_value(member, to, "state", 7, Lane::kState);
  append_value(member, to, "outbox", 7, Lane::kOutbox);
  ASSERT_TRUE(until([&] {
    return acknowledged(member, Lane::kState, 7) && acknowledged(member, Lane::kOutbox, 7);
  }));
}

TEST_P(LogConformance, ARenewedLaneForgetsItsAppendsAndGoesOn) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  for (Ticket ticket = 0; ticket < 20; ++ticket) append_value(member, to, "old", ticket);
  member->renew(Lane::kState);
  append_value(member, to, "new", 100);
  ASSERT_TRUE(until([&] { return acknowledged(member, Lane::kState, 100); }));
  settle();
  EXPECT_EQ(member.appended.size(), 1u) << "an append from before renew() was answered";
}

TEST_P(LogConformance, RenewingALaneLeavesTheOtherAlone) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  for (Ticket ticket = 0; ticket < 20; ++ticket) {
    append_value(member, to, "outbox", ticket, Lane::kOutbox);
    append_value(member, to, "state", ticket, Lane::kState);
  }
  member->renew(Lane::kState);
  ASSERT_TRUE(until([&] {
    for (Ticket ticket = 0; ticket < 20; ++ticket) {
      if (!acknowledged(member, Lane::kOutbox, ticket)) return false;
    }
    return true;
  }));
}

TEST_P(LogConformance, AFullBufferTakesNothingAndPollingMakesRoom) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  const std::string value(64 * 1024, 'x');
  const NewRecord record{.key = "key", .value = value, .headers = {}};
  Ticket taken = 0;
  constexpr Ticket kTooMany = 20000;  // 1.3 GB
  while (taken < kTooMany && member->append(Lane::kState, to, record, taken)) ++taken;
  ASSERT_LT(taken, kTooMany) << "the buffer has no bound";
  ASSERT_GT(taken, 0u);
  bool room = false;
  ASSERT_TRUE(
      until([&] { return room || (room = member->append(Lane::kState, to, record, taken)); }));
  ASSERT_TRUE(until([&] { return member.appended.size() == taken + 1; }));
  EXPECT_EQ(bounds_of(member, to).end.value, static_cast<std::int64_t>(taken + 1));
}

// An owner's commits renew its lease, whatever else is being sent.
TEST_P(LogConformance, AFullOutboxLaneLeavesRoomForTheStateLane) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1)), 0};
  const std::string value(256 * 1024, 'x');
  const NewRecord record{.key = "key", .value = value, .headers = {}};
  Ticket taken = 0;
  constexpr Ticket kTooMany = 5000;  // 1.3 GB
  while (taken < kTooMany && member->append(Lane::kOutbox, to, record, taken)) ++taken;
  ASSERT_LT(taken, kTooMany) << "the buffer has no bound";
  EXPECT_TRUE(member->append(Lane::kState, to, record, 0));
  ASSERT_TRUE(until([&] { return member.appended.size() == taken + 1; }));
}

TEST_P(LogConformance, AppendingToAnUnknownTopicIsAnsweredWithAnError) {
  Member& member = open();
  const TopicPartition to{member->topic(new_name("missing")), 0};
  append_value(member, to, "value", 1);
  ASSERT_TRUE(until([&] { return !member.appended.empty(); }));
  const std::vector<Appended>& answers = member.appended[{Lane::kState, 1}];
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers.front().error);
}

TEST_P(LogConformance, ARecordThatIsTooLargeIsAnsweredWithAnError) {
  Member& member = open();
  const TopicPartition to{member->topic(new_topic(1, {{"max.message.bytes", "20000"}})), 0};
  append_value(member, to, std::string(100000, 'x'), 1);
  ASSERT_TRUE(until([&] { return !member.appended.empty(); }));
  const std::vector<Appended>& answers = member.appended[{Lane::kState, 1}];
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers.front().error);
  EXPECT_EQ(answers.front().refusal, Refusal::kTooLarge) << "an answer, not a doubt";
  append_numbers(member, to, 2, 1);
}

TEST_P(LogConformance, TheTimesThatTheLogGivesNeverGoBack) {
  Member& member = open();
  const TopicPartition to{
      member->topic(new_topic(1, {{"message.timestamp.type", "LogAppendTime"}})), 0};
  for (int i = 0; i < 5; ++i) append_numbers(member, to, i * 10, 10);
  member->read(to, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(to).size() == 50; }));
  Time last = time_from_ms(0);
  for (const OwnedRecord& record : member.records(to)) {
    EXPECT_LE(last, record.timestamp);
    last = record.timestamp;
  }
  EXPECT_GT(last, time_from_ms(0));
}

}  // namespace
}  // namespace penstock
