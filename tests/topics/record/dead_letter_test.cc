#include "topics/record/dead_letter.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/topics/record/document_table.h"

namespace penstock {
namespace {

std::map<std::string, std::string> by_name(const std::vector<Header>& headers) {
  std::map<std::string, std::string> map;
  for (const auto& header : headers) map[header.name] = header.value.value_or("(null)");
  return map;
}

TEST(DeadLetter, SaysWhyAndWhereAndWhen) {
  const DeadLetter letter{DeadReason::kAttemptsExhausted, "status 500\nafter 25", "q/0/7", 25,
                          time_from_ms(0)};
  const auto headers = by_name(dead_headers({}, letter));
  EXPECT_EQ(headers.size(), 5U);
  EXPECT_EQ(headers.at("penstock-reason"), "attempts_exhausted");
  EXPECT_EQ(headers.at("penstock-detail"), "status 500 after 25");
  EXPECT_EQ(headers.at("penstock-source"), "q/0/7");
  EXPECT_EQ(headers.at("penstock-attempts"), "25");
  EXPECT_EQ(headers.at("penstock-at"), "1970-01-01T00:00:00.000Z");
}

TEST(DeadLetter, KeepsTheRecordsHeadersInOrderAndByteForByte) {
  const std::vector<HeaderView> original = {
      {"traceparent", "00-1"}, {"x", std::string_view("\0\xff", 2)}, {"x", "again"}, {"", ""}};
  const auto headers = dead_headers(original, {DeadReason::kDiscarded, "", "q/0/7", 1, {}});
  ASSERT_EQ(headers.size(), 9U);
  for (std::size_t i = 0; i < original.size(); ++i) {
    EXPECT_EQ(headers[i].name, original[i].name);
    EXPECT_EQ(headers[i].value, original[i].value);
  }
}

TEST(DeadLetter, LeavesOutWhatOnlyPenstockMaySay) {
  const std::vector<HeaderView> original = {{"penstock-reason", "old"}, {"penstock-x", "y"}};
  const auto headers = dead_headers(original, {DeadReason::kCrashed, "", "q/0/7", 3, {}});
  EXPECT_EQ(headers.size(), 5U);
  EXPECT_EQ(by_name(headers).at("penstock-reason"), "crashed");
}

TEST(DeadLetter, OfABadRecordNamesItsMember) {
  const BadRecord bad{BadReason::kBadField, "/priority", "is 5000"};
  const auto letter = dead_letter(bad, "q/0/7", time_from_ms(1));
  EXPECT_EQ(letter.reason, DeadReason::kBadField);
  EXPECT_EQ(letter.detail, "/priority: is 5000");
  EXPECT_EQ(letter.attempts, 0);
}

TEST(DeadLetter, HasABoundedDetail) {
  const auto headers =
      by_name(dead_headers({}, {DeadReason::kDiscarded, std::string(10'000, 'x'), "q/0/7", 1, {}}));
  EXPECT_LE(headers.at("penstock-detail").size(), kMaxDetailBytes + 3);
}

TEST(DeadReason, CoversEveryReasonOfABadRecord) {
  for (const auto reason :
       {BadReason::kBadKey, BadReason::kBadJson, BadReason::kBadField, BadReason::kTooLarge}) {
    EXPECT_EQ(to_string(dead_reason(reason)), to_string(reason));
  }
}

TEST(DeadReason, StandsInTheDocumentsTable) {
  std::set<std::string> reasons, documented;
  for (int i = 0; i <= static_cast<int>(DeadReason::kConflict); ++i) {
    reasons.insert("`" + std::string(to_string(static_cast<DeadReason>(i))) + "`");
  }
  for (const auto& [reason, cells] : document_table("job-record.md", "dead_reasons")) {
    if (reason == "reason") continue;
    documented.insert(reason);
    EXPECT_EQ(cells.size(), 1U) << "nothing says what " << reason << " means";
  }
  EXPECT_EQ(documented, reasons);
}

}  // namespace
}  // namespace penstock
