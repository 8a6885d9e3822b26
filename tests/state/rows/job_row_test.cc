#include "state/rows/job_row.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace penstock {
namespace {

JobRow arbitrary_row() {
  const auto text = rc::gen::arbitrary<std::string>();
  const auto time = [] { return time_from_ms(*rc::gen::inRange<std::int64_t>(0, 1LL << 42)); };
  JobRow row;
  row.state = static_cast<JobState>(*rc::gen::inRange(0, 10));
  row.attempt = *rc::gen::inRange(1, 1000);
  row.crashes = *rc::gen::inRange(0, 4);
  row.seq = JobSeq{*rc::gen::inRange<std::int64_t>(0, 1LL << 40)};
  row.offset = Offset{*rc::gen::inRange<std::int64_t>(0, 1LL << 40)};
  row.admitted_at = time();
  row.run_at = time();
  row.started_at = time();
  row.ended_at = time();
  row.expires_at = time();
  row.follow_ups = *rc::gen::inRange(0, 300);
  for (std::string* member :
       {&row.type, &row.id, &row.account, &row.reason, &row.cursor, &row.value}) {
    *member = *text;
  }
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) {
    row.headers.push_back({*text, *text});
    if (*rc::gen::arbitrary<bool>()) row.headers.back().value.reset();
  }
  return row;
}

RC_GTEST_PROP(JobRow, ComesBackByteForByte, ()) {
  JobRow row = arbitrary_row();
  if (*rc::gen::arbitrary<bool>()) row.priority = *rc::gen::inRange(-1000, 1000);
  if (*rc::gen::arbitrary<bool>()) row.origin = *rc::gen::arbitrary<std::string>();
  const std::string bytes = row.encode();
  const Result<JobRow> back = JobRow::decode(bytes);
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->encode() == bytes);
  RC_ASSERT(back->state == row.state);
  RC_ASSERT(back->seq == row.seq);
  RC_ASSERT(back->offset == row.offset);
  RC_ASSERT(back->attempt == row.attempt);
  RC_ASSERT(back->crashes == row.crashes);
  RC_ASSERT(back->run_at == row.run_at);
  RC_ASSERT(back->expires_at == row.expires_at);
  RC_ASSERT(back->follow_ups == row.follow_ups);
  RC_ASSERT(back->account == row.account);
  RC_ASSERT(back->value == row.value);
  RC_ASSERT(back->headers.size() == row.headers.size());
  for (std::size_t i = 0; i < row.headers.size(); ++i)
    RC_ASSERT(back->headers[i].value == row.headers[i].value);
  RC_ASSERT(back->priority == row.priority);
  RC_ASSERT(back->origin == row.origin);
}

TEST(JobRow, HowItGoesOnComesBackWithAndWithoutWhatItShares) {
  for (const int priority : {0, 3}) {
    JobRow row;
    row.priority = priority;
    row.batch = JobSeq{7};
    row.turn = JobSeq{9'217};
    row.ran = Duration{61'500};
    row.progress = 3;
    row.progress_total = 10;
    JobRow back;
    ASSERT_TRUE(back.assign(row.encode()));
    EXPECT_EQ(back.batch, row.batch);
    EXPECT_EQ(back.turn, row.turn);
    EXPECT_EQ(back.ran, row.ran);
    EXPECT_EQ(back.progress, 3);
    EXPECT_EQ(back.progress_total, 10);
    EXPECT_EQ(back.priority, priority);
    ASSERT_TRUE(back.assign(JobRow().encode()));
    EXPECT_EQ(back.batch, JobSeq{});
    EXPECT_EQ(back.progress, -1);
  }
}

TEST(JobRow, ItsSnoozesInARowComeBack) {
  JobRow row;
  row.asked = Asked::kCancel;
  row.snoozes = 1000;
  JobRow back;
  ASSERT_TRUE(back.assign(row.encode()));
  EXPECT_EQ(back.snoozes, 1000);
  EXPECT_EQ(back.asked, Asked::kCancel);
  ASSERT_TRUE(back.assign(JobRow().encode()));
  EXPECT_EQ(back.snoozes, 0);
}

TEST(JobRow, WhatACommandHasAskedOfItComesBackWithAndWithoutHowItGoesOn) {
  for (const JobSeq turn : {JobSeq{}, JobSeq{9'217}}) {
    JobRow row;
    row.turn = turn;
    row.asked = Asked::kDelete;
    JobRow back;
    ASSERT_TRUE(back.assign(row.encode()));
    EXPECT_EQ(back.asked, Asked::kDelete);
    EXPECT_EQ(back.turn, turn);
    ASSERT_TRUE(back.assign(JobRow().encode()));
    EXPECT_EQ(back.asked, Asked::kNothing);
  }
}

TEST(JobRow, WhatItSharesComesBackAndCostsNothingWhereItIsAsUsual) {
  JobRow row;
  const std::size_t usual = row.encode().size();
  row.priority = -1000;
  row.weight = 100;
  row.bulk = "spring";
  row.bulk_index = 7;
  const std::string bytes = row.encode();
  EXPECT_GT(bytes.size(), usual);
  JobRow back;
  ASSERT_TRUE(back.assign(bytes));
  EXPECT_EQ(back.priority, -1000);
  EXPECT_EQ(back.weight, 100);
  EXPECT_EQ(back.bulk, "spring");
  EXPECT_EQ(back.bulk_index, 7);
  ASSERT_TRUE(back.assign(JobRow().encode()));  // nothing of the row before stays
  EXPECT_EQ(back.encode().size(), usual);
  EXPECT_EQ(back.bulk_index, -1);
}

RC_GTEST_PROP(JobRow, CutAnywhereItIsRefused, ()) {
  const std::string bytes = arbitrary_row().encode();
  const auto length = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT(!JobRow::decode(std::string_view(bytes).substr(0, length)).has_value());
}

RC_GTEST_PROP(JobRow, BytesBehindItsEndAreRefused, (char more)) {
  RC_ASSERT(!JobRow::decode(arbitrary_row().encode() + more).has_value());
}

RC_GTEST_PROP(JobRow, RubbishNeverBreaksTheDecoder, (std::string bytes)) {
  const auto row = JobRow::decode("\x01" + bytes);
  RC_SUCCEED_IF(!row.has_value() || row.has_value());
}

TEST(JobRow, AnotherVersionIsRefusedByItsNumber) {
  std::string bytes = JobRow{}.encode();
  bytes[0] = 2;
  const auto row = JobRow::decode(bytes);
  ASSERT_FALSE(row.has_value());
  EXPECT_NE(row.error().message.find("format 2"), std::string::npos);
}

TEST(JobState, TheTerminalStatesAreThoseOfTheContract) {
  EXPECT_FALSE(is_terminal(JobState::kScheduled));
  EXPECT_FALSE(is_terminal(JobState::kRetrying));
  EXPECT_TRUE(is_terminal(JobState::kSucceeded));
  EXPECT_TRUE(is_terminal(JobState::kExpired));
  EXPECT_EQ(to_string(JobState::kRetrying), "retrying");
  EXPECT_EQ(to_string(JobState::kDuplicate), "duplicate");
}

}  // namespace
}  // namespace penstock
