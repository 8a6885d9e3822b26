// What a log promises to those who read.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conformance/log_conformance.h"

namespace penstock {
namespace {

TEST_P(LogConformance, AReadBeginsAtAnyOffset) {
  Member& member = open();
  const TopicPartition from{member->topic(new_topic(1)), 0};
  append_numbers(member, from, 0, 100);
  member->read(from, Offset{37});
  ASSERT_TRUE(until([&] { return member.records(from).size() == 63; }));
  EXPECT_EQ(member.values(from), numbers(37, 63));
  EXPECT_EQ(member.records(from).front().offset, Offset{37});
}

TEST_P(LogConformance, AReaderAtTheEndSeesLaterAppends) {
  Member& reader = open();
  Member& writer = open();
  const std::string name = new_topic(1);
  const TopicPartition from{reader->topic(name), 0};
  const TopicPartition to{writer->topic(name), 0};
  reader->read(from, Offset{0});
  settle();
  EXPECT_TRUE(reader.records(from).empty());
  append_numbers(writer, to, 0, 10);
  ASSERT_TRUE(until([&] { return reader.records(from).size() == 10; }));
  append_numbers(writer, to, 10, 10);
  ASSERT_TRUE(until([&] { return reader.records(from).size() == 20; }));
  settle();
  EXPECT_EQ(reader.values(from), numbers(0, 20));
}

TEST_P(LogConformance, AReadFromTheEndShowsOnlyWhatIsNew) {
  Member& member = open();
  const TopicPartition from{member->topic(new_topic(1)), 0};
  append_numbers(member, from, 0, 10);
  member->read(from, Offset{10});
  append_numbers(member, from, 10, 5);
  ASSERT_TRUE(until([&] { return member.records(from).size() >= 5; }));
  EXPECT_EQ(member.values(from), numbers(10, 5));
  EXPECT_TRUE(member.out_of_range.empty());
}

TEST_P(LogConformance, ManyRecordsComeInOrderAndInBoundedPolls) {
  Member& member = open();
  const TopicPartition from{member->topic(new_topic(1)), 0};
  constexpr int kRecords = 20000;
  append_numbers(member, from, 0, kRecords);
  member->read(from, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(from).size() >= kRecords; }));
  settle();
  EXPECT_EQ(member.values(from), numbers(0, kRecords));
  EXPECT_LE(member.most_records_in_a_poll, kMaxRecordsPerPoll);
}

TEST_P(LogConformance, PartitionsAreReadSideBySide) {
  Member& member = open();
  const TopicId topic = member->topic(new_topic(4));
  for (PartitionId p = 0; p < 4; ++p) append_numbers(member, {topic, p}, p * 1000, 100);
  for (PartitionId p = 0; p < 4; ++p) member->read({topic, p}, Offset{p * 10});
  ASSERT_TRUE(until([&] {
    for (PartitionId p = 0; p < 4; ++p) {
      if (member.records({topic, p}).size() < static_cast<std::size_t>(100 - p * 10)) return false;
    }
    return true;
  }));
  for (PartitionId p = 0; p < 4; ++p) {
    EXPECT_EQ(member.values({topic, p}), numbers(p * 1000 + p * 10, 100 - p * 10));
  }
}

TEST_P(LogConformance, TwoSessionsReadTheSamePartitionOnTheirOwn) {
  Member& first = open();
  Member& second = open();
  const std::string name = new_topic(1);
  const TopicPartition in_first{first->topic(name), 0};
  const TopicPartition in_second{second->topic(name), 0};
  append_numbers(first, in_first, 0, 50);
  first->read(in_first, Offset{0});
  second->read(in_second, Offset{25});
  ASSERT_TRUE(until([&] {
    return first.records(in_first).size() >= 50 && second.records(in_second).size() >= 25;
  }));
  EXPECT_EQ(first.values(in_first), numbers(0, 50));
  EXPECT_EQ(second.values(in_second), numbers(25, 25));
}

TEST_P(LogConformance, AReadThatBeginsAnewElsewhereShowsNothingOfTheEarlier) {
  Member& member = open();
  const TopicPartition from{member->topic(new_topic(1)), 0};
  append_numbers(member, from, 0, 1000);
  // Begun anew while records of the first read may already have been fetched.
  member->read(from, Offset{0});
  ASSERT_TRUE(until([&] { return !member.records(from).empty(); }));
  const std::size_t before = member.records(from).size();
  member->stop_reading(from);
  member->read(from, Offset{900});
  ASSERT_TRUE(until([&] { return member.records(from).size() >= before + 100; }));
  settle();
  std::vector<std::string> after = member.values(from);
  after.erase(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_EQ(after, numbers(900, 100));
}

TEST_P(LogConformance, AReadCanBeginAnewFurtherBack) {
  Member& member = open();
  const TopicPartition from{member->topic(new_topic(1)), 0};
  append_numbers(member, from, 0, 100);
  member->read(from, Offset{90});
  ASSERT_TRUE(until([&] { return member.records(from).size() == 10; }));
  member->stop_reading(from);
  member->read(from, Offset{5});
  ASSERT_TRUE(until([&] { return member.records(from).size() >= 10 + 95; }));
  EXPECT_EQ(member.records(from)[10].offset, Offset{5});
  EXPECT_EQ(member.records(from).back().offset, Offset{99});
}

TEST_P(LogConformance, AReadCanBeginAnewFromWithinItsOwnRecords) {
  Member& member = open();
  const TopicPartition from{member->topic(new_topic(1)), 0};
  append_numbers(member, from, 0, 100);
  std::vector<std::string> after;
  bool again = false;
  member.on_record = [&](TopicPartition, const LogRecord& record) {
    if (again) after.emplace_back(*record.value);
    // At the last one, so that no record of this call is still to be shown.
    if (!again && record.offset == Offset{99}) {
      again = true;
      member->stop_reading(from);
      member->read(from, Offset{50});
    }
  };
  member->read(from, Offset{0});
  ASSERT_TRUE(until([&] { return after.size() >= 50; }));
  EXPECT_EQ(after, numbers(50, 50));
}

TEST_P(LogConformance, AStoppedReadShowsNothingMore) {
  Member& member = open();
  const TopicId topic = member->topic(new_topic(2));
  const TopicPartition stopped{topic, 0};
  const TopicPartition other{topic, 1};
  member->read(stopped, Offset{0});
  member->read(other, Offset{0});
  append_numbers(member, stopped, 0, 10);
  ASSERT_TRUE(until([&] { return member.records(stopped).size() == 10; }));
  member->stop_reading(stopped);
  append_numbers(member, stopped, 10, 10);
  append_numbers(member, other, 20, 10);
  ASSERT_TRUE(until([&] { return member.records(other).size() == 10; }));
  settle();
  EXPECT_EQ(member.records(stopped).size(), 10u);
}

TEST_P(LogConformance, StoppingWhatIsNotReadDoesNothing) {
  Member& member = open();
  const TopicPartition from{member->topic(new_topic(1)), 0};
  member->stop_reading(from);
  append_numbers(member, from, 0, 1);
  member->read(from, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(from).size() == 1; }));
}

TEST_P(LogConformance, APositionPastTheEndIsOutOfRange) {
  Member& member = open();
  const TopicPartition from{member->topic(new_topic(1)), 0};
  append_numbers(member, from, 0, 10);
  member->read(from, Offset{12});
  ASSERT_TRUE(until([&] { return !member.out_of_range.empty(); }));
  EXPECT_EQ(member.out_of_range.front(), std::pair(from, Offset{12}));
  append_numbers(member, from, 10, 10);
  settle();
  EXPECT_TRUE(member.records(from).empty()) << "reading has stopped";
  EXPECT_EQ(member.out_of_range.size(), 1u);
}

TEST_P(LogConformance, BoundsAreTheFirstRecordAndTheOneAfterTheLast) {
  Member& member = open();
  const TopicId topic = member->topic(new_topic(2));
  append_numbers(member, {topic, 1}, 0, 17);
  const Bounds empty = bounds_of(member, {topic, 0});
  EXPECT_EQ(empty.start, Offset{0});
  EXPECT_EQ(empty.end, Offset{0});
  const Bounds filled = bounds_of(member, {topic, 1});
  EXPECT_EQ(filled.start, Offset{0});
  EXPECT_EQ(filled.end, Offset{17});
}

TEST_P(LogConformance, DeletingRecordsMovesTheStart) {
  Member& member = open();
  const TopicPartition of{member->topic(new_topic(1)), 0};
  append_numbers(member, of, 0, 100);
  member->delete_records(of, Offset{60});
  ASSERT_TRUE(until([&] { return !member.deleted.empty(); }));
  EXPECT_EQ(member.deleted.front().first, of);
  EXPECT_TRUE(member.deleted.front().second) << member.deleted.front().second.error().message;
  ASSERT_TRUE(until([&] { return bounds_of(member, of).start == Offset{60}; }));
  EXPECT_EQ(bounds_of(member, of).end, Offset{100});
  member->read(of, Offset{60});
  ASSERT_TRUE(until([&] { return member.records(of).size() >= 40; }));
  EXPECT_EQ(member.values(of), numbers(60, 40));
}

TEST_P(LogConformance, APositionBelowTheStartIsOutOfRange) {
  Member& member = open();
  const TopicPartition of{member->topic(new_topic(1)), 0};
  append_numbers(member, of, 0, 100);
  member->delete_records(of, Offset{60});
  ASSERT_TRUE(until([&] { return !member.deleted.empty(); }));
  ASSERT_TRUE(until([&] { return bounds_of(member, of).start == Offset{60}; }));
  member->read(of, Offset{59});
  ASSERT_TRUE(until([&] { return !member.out_of_range.empty(); }));
  EXPECT_EQ(member.out_of_range.front(), std::pair(of, Offset{59}));
  settle();
  EXPECT_TRUE(member.records(of).empty());
}

TEST_P(LogConformance, OffsetsGoOnAfterEverythingWasDeleted) {
  Member& member = open();
  const TopicPartition of{member->topic(new_topic(1)), 0};
  append_numbers(member, of, 0, 30);
  member->delete_records(of, Offset{30});
  ASSERT_TRUE(until([&] { return !member.deleted.empty(); }));
  ASSERT_TRUE(until([&] { return bounds_of(member, of).start == Offset{30}; }));
  EXPECT_EQ(bounds_of(member, of).end, Offset{30});
  append_numbers(member, of, 30, 5);
  member->read(of, Offset{30});
  ASSERT_TRUE(until([&] { return member.records(of).size() >= 5; }));
  EXPECT_EQ(member.values(of), numbers(30, 5));
}

TEST_P(LogConformance, DeletingBelowTheStartChangesNothing) {
  Member& member = open();
  const TopicPartition of{member->topic(new_topic(1)), 0};
  append_numbers(member, of, 0, 30);
  member->delete_records(of, Offset{20});
  ASSERT_TRUE(until([&] { return member.deleted.size() == 1; }));
  member->delete_records(of, Offset{10});
  ASSERT_TRUE(until([&] { return member.deleted.size() == 2; }));
  ASSERT_TRUE(until([&] { return bounds_of(member, of).start == Offset{20}; }));
}

TEST_P(LogConformance, DeletingPastTheEndIsRefused) {
  Member& member = open();
  const TopicPartition of{member->topic(new_topic(1)), 0};
  append_numbers(member, of, 0, 10);
  member->delete_records(of, Offset{11});
  ASSERT_TRUE(until([&] { return !member.deleted.empty(); }));
  EXPECT_FALSE(member.deleted.front().second);
  EXPECT_EQ(bounds_of(member, of).start, Offset{0});
}

TEST_P(LogConformance, TheOffsetAtATimeIsTheFirstRecordThatIsNotBeforeIt) {
  Member& member = open();
  const std::string name = new_topic(3);
  const TopicPartition of{member->topic(name), 1};
  // Apart, so that their times differ.
  for (int i = 0; i < 5; ++i) {
    append_numbers(member, of, i * 10, 10);
    settle();
  }
  member->read(of, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(of).size() == 50; }));
  const std::vector<OwnedRecord>& records = member.records(of);
  ASSERT_LT(records.front().timestamp, records.back().timestamp);
  for (const OwnedRecord& record : records) {
    const auto first = std::find_if(records.begin(), records.end(), [&](const OwnedRecord& other) {
      return other.timestamp >= record.timestamp;
    });
    if (first->offset != record.offset) continue;  // asked already
    const auto offsets = log().offsets_at(name, record.timestamp);
    ASSERT_TRUE(offsets) << offsets.error().message;
    ASSERT_EQ(offsets->size(), 3u);
    EXPECT_EQ((*offsets)[1].at, first->offset);
    EXPECT_EQ((*offsets)[1].bounds.end, Offset{50});
    EXPECT_EQ((*offsets)[1].bounds.topic, bounds_of(member, of).topic);
    EXPECT_EQ((*offsets)[0].at, Offset{0}) << "an empty partition";
  }
}

TEST_P(LogConformance, TheOffsetAtATimeAfterTheLastRecordIsTheEnd) {
  Member& member = open();
  const std::string name = new_topic(1);
  const TopicPartition of{member->topic(name), 0};
  append_numbers(member, of, 0, 10);
  member->read(of, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(of).size() == 10; }));
  const auto offsets = log().offsets_at(name, member.records(of).back().timestamp + Duration(1));
  ASSERT_TRUE(offsets) << offsets.error().message;
  EXPECT_EQ(offsets->at(0).at, Offset{10});
}

TEST_P(LogConformance, TheOffsetAtTheBeginningOfTimeIsTheStart) {
  Member& member = open();
  const std::string name = new_topic(1);
  const TopicPartition of{member->topic(name), 0};
  append_numbers(member, of, 0, 30);
  member->delete_records(of, Offset{20});
  ASSERT_TRUE(until([&] { return bounds_of(member, of).start == Offset{20}; }));
  for (const Time at : {Time{}, Time{} + Duration(1)}) {
    const auto offsets = log().offsets_at(name, at);
    ASSERT_TRUE(offsets) << offsets.error().message;
    EXPECT_EQ(offsets->at(0).bounds.start, Offset{20});
    EXPECT_EQ(offsets->at(0).at, Offset{20});
    EXPECT_EQ(offsets->at(0).bounds.end, Offset{30});
  }
}

TEST_P(LogConformance, TheOffsetsOfAnUnknownTopicAreAnError) {
  const std::string name = new_name("missing");
  const auto offsets = log().offsets_at(name, Time{});
  ASSERT_FALSE(offsets);
  EXPECT_NE(offsets.error().message.find(name), std::string::npos);
}

TEST_P(LogConformance, BoundsOfAnUnknownTopicAreAnError) {
  Member& member = open();
  const std::string name = new_name("missing");
  const TopicPartition of{member->topic(name), 0};
  member->bounds(of);
  ASSERT_TRUE(until([&] { return !member.bounds[of].empty(); }));
  ASSERT_FALSE(member.bounds[of].front());
  EXPECT_NE(member.bounds[of].front().error().message.find(name), std::string::npos);
}

TEST_P(LogConformance, ReadingAnUnknownTopicIsFatal) {
  Member& member = open();
  const std::string name = new_name("missing");
  member->read({member->topic(name), 0}, Offset{0});
  ASSERT_TRUE(until([&] { return !member.fatal.empty(); }));
  EXPECT_NE(member.fatal.front().find(name), std::string::npos);
}

TEST_P(LogConformance, ReadingAnUnknownTopicThroughASecondHandleRefusesThatReadAlone) {
  Member& member = open();
  const std::string there = new_topic(1), name = new_name("missing");
  const TopicPartition known{member->topic(there), 0};
  const TopicPartition missing{member->second_topic(name), 0};
  member->read(known, Offset{0});
  // Again, as a replay does that is resumed.
  for (std::size_t times = 1; times <= 2; ++times) {
    member->read(missing, Offset{0});
    ASSERT_TRUE(until([&] { return member.refused.size() == times; }));
    EXPECT_EQ(member.refused.back().first, missing);
    EXPECT_NE(member.refused.back().second.find(name), std::string::npos);
  }
  append_numbers(member, known, 0, 3);
  ASSERT_TRUE(until([&] { return member.records(known).size() == 3; }));
  EXPECT_TRUE(member.fatal.empty()) << member.fatal.front();
}

TEST_P(LogConformance, ReadingAnUnknownPartitionThroughASecondHandleRefusesThatReadAlone) {
  Member& member = open();
  const std::string name = new_topic(1);
  const TopicPartition known{member->second_topic(name), 0};
  const TopicPartition missing{member->second_topic(name), 7};
  append_numbers(member, {member->topic(name), 0}, 0, 3);
  member->read(missing, Offset{0});
  ASSERT_TRUE(until([&] { return !member.refused.empty(); }));
  EXPECT_EQ(member.refused.front().first, missing);
  EXPECT_NE(member.refused.front().second.find(name), std::string::npos);
  member->read(known, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(known).size() == 3; }));
  EXPECT_TRUE(member.fatal.empty()) << member.fatal.front();
}

TEST_P(LogConformance, WakeEndsAWait) {
  Member& member = open();
  settle();
  // From before the wait, so that nothing here depends on which thread is first.
  member->wake();
  const auto began = std::chrono::steady_clock::now();
  member->wait(std::chrono::minutes(5));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(1));
}

TEST_P(LogConformance, ATopicNamedTwiceIsTheSame) {
  Member& member = open();
  const std::string name = new_topic(1);
  const std::string other = new_topic(1);
  EXPECT_EQ(member->topic(name), member->topic(name));
  EXPECT_NE(member->topic(name), member->topic(other));
}

}  // namespace
}  // namespace penstock
