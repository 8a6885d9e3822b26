#include "consumer/replay/replay_filter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topics/record/record_headers.h"

namespace penstock {
namespace {

using FilterHeaders = std::vector<HeaderView>;

// What is read of partition 2 at offset 5.
struct Filtering : testing::Test {
  std::string source = "penstock.mail";
  Time timestamp = time_from_ms(1000);

  ReplayFilter::Verdict judge(const char* terms, std::optional<std::string_view> key,
                              std::optional<std::string_view> value,
                              const FilterHeaders& headers = {}) {
    filter.emplace(*parse_replay_terms(nlohmann::json::parse(terms)), source);
    return filter->judge({Offset{5}, timestamp, key, value, headers}, 2);
  }
  bool selects(const char* terms, std::string_view value, const FilterHeaders& headers = {}) {
    return judge(terms, "acme", value, headers).matches;
  }
  std::optional<ReplayFilter> filter;
};

constexpr const char* kPlainJob = R"({"type":"t","id":"a","args":{"n":7,"s":"x"}})";

TEST_F(Filtering, WithoutTermsEveryJobIsCopied) {
  const auto verdict = judge("{}", "acme", kPlainJob);
  EXPECT_TRUE(verdict.matches);
  EXPECT_EQ(verdict.of, "a");
  EXPECT_EQ(verdict.source, "penstock.mail/2/5");
  EXPECT_EQ(judge("{}", "acme", R"({"type":"t"})").of, "penstock.mail/2/5");
}

TEST_F(Filtering, TypesAccountsAndIdsSelect) {
  EXPECT_TRUE(selects(R"({"types":["s","t"]})", kPlainJob));
  EXPECT_FALSE(selects(R"({"types":["a"]})", kPlainJob));
  EXPECT_TRUE(selects(R"({"types":["t"]})", R"({"type":"\u0074"})"));
  EXPECT_TRUE(selects(R"({"accounts":["acme"]})", kPlainJob));
  EXPECT_FALSE(selects(R"({"accounts":["globex"]})", kPlainJob));
  EXPECT_TRUE(selects(R"({"ids":["a"]})", kPlainJob));
  EXPECT_FALSE(selects(R"({"ids":["b"]})", kPlainJob));
  EXPECT_TRUE(selects(R"({"ids":["penstock.mail/2/5"]})", R"({"type":"t"})"));
}

TEST_F(Filtering, ArgumentsSelectByValueNotBySpelling) {
  EXPECT_TRUE(selects(R"({"where":{"/n":7}})", kPlainJob));
  EXPECT_TRUE(selects(R"({"where":{"/n":7,"/s":"x"}})", kPlainJob));
  EXPECT_FALSE(selects(R"({"where":{"/n":7,"/s":"y"}})", kPlainJob));
  EXPECT_FALSE(selects(R"({"where":{"/n":"7"}})", kPlainJob));
  EXPECT_FALSE(selects(R"({"where":{"/none":null}})", kPlainJob));
  EXPECT_TRUE(selects(R"({"where":{"/o":{"a":1,"b":2}}})",
                      R"({"type":"t","args":{"o":{ "b":2, "a":1 }}})"));
}

TEST_F(Filtering, TheEndOfATimeRangeIsExcluded) {
  EXPECT_TRUE(selects(R"({"from":1000,"to":1001})", kPlainJob));
  EXPECT_FALSE(selects(R"({"from":1001})", kPlainJob));
  EXPECT_FALSE(selects(R"({"to":1000})", kPlainJob));
}

TEST_F(Filtering, WhatIsNoJobIsLeftOutByItsReason) {
  EXPECT_EQ(judge("{}", "acme", R"({"op":"cancel","id":"a"})").left_out, LeftOut::kCommand);
  EXPECT_EQ(judge("{}", "acme", "no json").left_out, LeftOut::kBad);
  EXPECT_EQ(judge("{}", "acme", std::nullopt).left_out, LeftOut::kBad);
  EXPECT_EQ(judge("{}", std::nullopt, kPlainJob).left_out, LeftOut::kBad);
}

TEST_F(Filtering, ACopyAndAForwardedRecordAreLeftOutWhereTheyArrived) {
  const char* const message = "penstock.mail/1@5>penstock.mail/2#1";
  EXPECT_EQ(judge("{}", "acme", kPlainJob,
                  {{"penstock-message", message}, {"penstock-replay", R"({"id":"r","of":"a"})"}})
                .left_out,
            LeftOut::kCopy);
  EXPECT_EQ(judge("{}", "acme", kPlainJob,
                  {{"penstock-message", message}, {"penstock-origin", "penstock.mail/1/0"}})
                .left_out,
            LeftOut::kForwarded);
}

TEST_F(Filtering, HeadersThatOnlyLookLikeOursExcludeNothing) {
  const FilterHeaders forged{{"penstock-replay", R"({"id":"r","of":"other"})"},
                             {"penstock-origin", "penstock.mail/1/0"}};
  EXPECT_TRUE(selects("{}", kPlainJob, forged));
}

TEST_F(Filtering, WhatTheFiltersDoNotSelectIsNotCountedAsLeftOut) {
  const auto verdict = judge(R"({"types":["other"]})", "acme", kPlainJob);
  EXPECT_FALSE(verdict.matches);
  EXPECT_FALSE(verdict.left_out);
}

TEST_F(Filtering, EveryBadRecordHasItsSource) {
  const std::string large(kMaxHeadersBytes, 'x');
  const FilterHeaders too_large{{"large", large}};
  EXPECT_EQ(judge("{}", "acme", "no json").source, "penstock.mail/2/5");
  EXPECT_EQ(judge("{}", std::nullopt, kPlainJob).source, "penstock.mail/2/5");
  EXPECT_EQ(judge("{}", "acme", kPlainJob, too_large).source, "penstock.mail/2/5");
}

TEST_F(Filtering, ABadRecordIsRepairableUnlessAProgramCannotChangeWhatIsWrong) {
  EXPECT_TRUE(judge("{}", "acme", "no json").is_repairable);
  EXPECT_FALSE(judge("{}", "acme", kPlainJob).is_repairable);
  EXPECT_FALSE(judge("{}", "acme", R"({"op":"cancel","id":"a"})").is_repairable);
  EXPECT_FALSE(judge("{}", "acme", std::nullopt).is_repairable);
  EXPECT_FALSE(judge("{}", std::nullopt, kPlainJob).is_repairable);
  const std::string large(kMaxHeadersBytes, 'x');
  const auto too_large = judge("{}", "acme", kPlainJob, {{"large", large}});
  EXPECT_EQ(too_large.left_out, LeftOut::kBad);
  EXPECT_FALSE(too_large.is_repairable);
  // Its copy would not have them.
  EXPECT_TRUE(judge("{}", "acme", kPlainJob, {{"penstock-large", large}}).is_repairable);
}

struct FilteringDead : Filtering {
  FilteringDead() {
    source = "penstock.mail.dead";
    timestamp = time_from_ms(9'000'000);
  }
  ReplayFilter::Verdict judge_dead(const char* terms, std::string_view reason,
                                   FilterHeaders more = {}) {
    more.push_back({"penstock-reason", reason});
    more.push_back({"penstock-source", "penstock.mail/1/9"});
    more.push_back({"penstock-at", "1970-01-01T00:00:01.000Z"});
    return judge(terms, "acme", kPlainJob, more);
  }
};

TEST_F(FilteringDead, TheTimeOfDeathCountsNotThatOfTheRecord) {
  EXPECT_TRUE(judge_dead(R"({"dead":true,"from":1000,"to":1001})", "discarded").matches);
  EXPECT_FALSE(judge_dead(R"({"dead":true,"from":1001})", "discarded").matches);
  EXPECT_FALSE(judge_dead(R"({"dead":true,"to":1000})", "discarded").matches);
}

TEST_F(FilteringDead, ReasonsSelectAndBadRecordsAreLeftOut) {
  EXPECT_TRUE(judge_dead(R"({"dead":true,"reasons":["crashed"]})", "crashed").matches);
  const auto other = judge_dead(R"({"dead":true,"reasons":["crashed"]})", "discarded");
  EXPECT_FALSE(other.matches || other.left_out);
  EXPECT_EQ(judge_dead(R"({"dead":true})", "bad_json").left_out, LeftOut::kBad);
}

TEST_F(FilteringDead, ARecordWhoseHeadersAreTooLargeIsBeyondRepair) {
  const std::string large(kMaxHeadersBytes, 'x');
  for (const char* reason : {"too_large", "discarded"}) {
    const auto verdict = judge_dead(R"({"dead":true})", reason, {{"large", large}});
    EXPECT_EQ(verdict.left_out, LeftOut::kBad);
    EXPECT_FALSE(verdict.is_repairable);
    EXPECT_EQ(verdict.source, "penstock.mail/1/9");
  }
  EXPECT_TRUE(judge_dead(R"({"dead":true})", "bad_json").is_repairable);
  for (const char* cut : {"penstock-cut-headers", "penstock-cut-key"})
    EXPECT_FALSE(judge_dead(R"({"dead":true})", "too_large", {{cut, "1"}}).is_repairable);
}

TEST_F(FilteringDead, TheSourceIsThatOfTheOriginal) {
  EXPECT_EQ(judge_dead(R"({"dead":true})", "discarded").source, "penstock.mail/1/9");
}

TEST_F(FilteringDead, ADeadCopyPassesOnTheFirstOriginal) {
  const auto verdict = judge_dead(R"({"dead":true})", "discarded",
                                  {{"penstock-replay", R"({"id":"r","of":"first"})"}});
  EXPECT_TRUE(verdict.matches);
  EXPECT_EQ(verdict.of, "first");
}

}  // namespace
}  // namespace penstock
