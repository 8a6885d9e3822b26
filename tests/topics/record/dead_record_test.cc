#include "topics/record/dead_record.h"

#include <gtest/gtest.h>

#include <map>

#include "topics/record/record_headers.h"

namespace penstock {
namespace {

const DeadLetter kLetter{DeadReason::kTooLarge, "too large", "q/0/7", 0, time_from_ms(0)};

std::map<std::string, std::string> by_name_of(const std::vector<Header>& headers) {
  std::map<std::string, std::string> map;
  for (const Header& header : headers) map[header.name] = header.value.value_or("");
  return map;
}

TEST(DeadRecord, StaysAsItCameUpToTheLargestThatTheDeadTopicTakes) {
  const std::string value(kMaxDeadRecordBytes - 3, 'x');
  const LogRecord record{Offset{7}, {}, "key", value, {}};
  const DeadRecord dead = dead_record(record, kLetter);
  EXPECT_EQ(dead.key, "key");
  EXPECT_EQ(dead.value, value);
  EXPECT_FALSE(by_name_of(dead.headers).contains("penstock-cut"));
}

TEST(DeadRecord, OfALargerOneKeepsTheHeadsAndSaysHowLongTheyWere) {
  const std::string value(8 << 20, 'x'), key(1 << 20, 'k'), large(kCutHeadersBytes, 'h');
  const std::vector<HeaderView> headers = {{"first", "1"}, {"large", large}, {"last", "2"}};
  const DeadRecord dead = dead_record({Offset{7}, {}, key, value, headers}, kLetter);
  EXPECT_EQ(dead.key, key.substr(0, kCutKeyBytes));
  EXPECT_EQ(dead.value, value.substr(0, kCutValueBytes));
  const auto said = by_name_of(dead.headers);
  EXPECT_EQ(said.at("penstock-cut"), std::to_string(value.size()));
  EXPECT_EQ(said.at("penstock-cut-key"), std::to_string(key.size()));
  EXPECT_EQ(said.at("penstock-cut-headers"), "3");
  EXPECT_EQ(said.at("first"), "1");
  EXPECT_FALSE(said.contains("large"));
  EXPECT_EQ(said.at("penstock-reason"), "too_large");
}

TEST(DeadRecord, WithoutKeyAndValueIsCutAsWell) {
  const std::string large(kMaxDeadRecordBytes, 'h');
  const std::vector<HeaderView> headers = {{"large", large}};
  const DeadRecord dead = dead_record({Offset{7}, {}, {}, {}, headers}, kLetter);
  EXPECT_FALSE(dead.key.has_value());
  EXPECT_FALSE(dead.value.has_value());
  EXPECT_EQ(by_name_of(dead.headers).at("penstock-cut"), "0");
}

TEST(DeadRecord, IsCutFurtherUntilOnlyItsLetterIsLeft) {
  DeadRecord dead = dead_record({Offset{7}, {}, "key", std::string_view("x"), {}}, kLetter);
  dead.value = std::string(100'000, 'x');
  dead.headers.insert(dead.headers.begin(), {"a", "b"});
  int cuts = 0;
  while (cut_further(dead.value, dead.headers)) ASSERT_LT(++cuts, 100);
  EXPECT_LE(dead.value->size(), kMinCutValueBytes);
  const auto said = by_name_of(dead.headers);
  EXPECT_FALSE(said.contains("a"));
  EXPECT_EQ(said.at("penstock-cut"), "100000") << "as it came, not as it was cut before";
}

TEST(DeadRecord, NothingElseIsEverCut) {
  std::optional<std::string> value = std::string(100'000, 'x');
  std::vector<Header> headers = {{"a", "b"}};
  EXPECT_FALSE(cut_further(value, headers));
  EXPECT_EQ(value->size(), 100'000u);
}

}  // namespace
}  // namespace penstock
