#include "consumer/replay/replay_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topics/record/job_record.h"

namespace penstock {
namespace {

nlohmann::json terms_again(const std::string& json) {
  const auto terms = parse_replay_terms(nlohmann::json::parse(json));
  EXPECT_TRUE(terms) << (terms ? "" : terms.error().message);
  return terms ? nlohmann::json(to_json(*terms)) : nlohmann::json();
}

// The member at fault, and "accepted" if there is none.
std::string fault_of_terms(const nlohmann::json& json) {
  std::string at_fault;
  const auto terms = parse_replay_terms(json, &at_fault);
  if (terms) return "accepted";
  EXPECT_FALSE(terms.error().message.empty());
  return at_fault;
}
std::string fault_of_terms(const char* json) { return fault_of_terms(nlohmann::json::parse(json)); }

TEST(ReplayTerms, AreTheSameAfterTheirJsonForm) {
  const char* const kForms[] = {
      "{}",
      R"({"from":"2026-03-01T12:00:00.000Z","to":"2026-03-02T12:00:00.000Z"})",
      R"({"offsets":{"0":[5,10],"11":[0,null]}})",
      R"({"dead":true,"reasons":["crashed","discarded"]})",
      R"({"ids":["a","b"],"types":["t"],"accounts":["acme"],"where":{"/a":1,"/b/c":"x"}})",
      R"({"rate":"100/s","concurrency":5,"max_dead":"0.5%","keep_expiry":true})",
      R"({"to_queue":"shadow","through":["/bin/cat","-u"]})"};
  for (const char* const form : kForms) EXPECT_EQ(terms_again(form), nlohmann::json::parse(form));
}

TEST(ReplayTerms, AreTheSameWhateverTheOrderRepeatsAndTheFormOfTheTimes) {
  EXPECT_EQ(terms_again(R"({"from":1772366400000,"ids":["b","a","b"],"where":{"/x":1.0}})"),
            terms_again(R"({"where":{"/x":1.0},"ids":["a","b"],"from":"2026-03-01T12:00:00Z"})"));
}

TEST(ReplayTerms, AnErrorNamesTheMemberAtFault) {
  EXPECT_EQ(fault_of_terms("[]"), "");
  EXPECT_EQ(fault_of_terms(R"({"form":"2h"})"), "/form");
  EXPECT_EQ(fault_of_terms(R"({"from":"2h"})"), "/from");
  EXPECT_EQ(fault_of_terms(R"({"dead":1})"), "/dead");
  EXPECT_EQ(fault_of_terms(R"({"dead":true,"reasons":["bored"]})"), "/reasons");
  EXPECT_EQ(fault_of_terms(R"({"ids":[]})"), "/ids");
  EXPECT_EQ(fault_of_terms(R"({"types":[""]})"), "/types");
  EXPECT_EQ(fault_of_terms(R"({"where":{"a":1}})"), "/where");
  EXPECT_EQ(fault_of_terms(R"({"rate":"often"})"), "/rate");
  EXPECT_EQ(fault_of_terms(R"({"concurrency":0})"), "/concurrency");
  EXPECT_EQ(fault_of_terms(R"({"max_dead":"101%"})"), "/max_dead");
  EXPECT_EQ(fault_of_terms(R"({"through":["cat"]})"), "/through");
}

TEST(ReplayTerms, WhatIsTooDeepIsRefusedHoweverDeepItIs) {
  const auto terms = [](const char* member, std::size_t levels) {
    return nlohmann::json::parse("{\"" + std::string(member) + "\":" + std::string(levels, '[') +
                                 std::string(levels, ']') + "}");
  };
  for (const std::size_t levels : {std::size_t{kMaxDepth}, std::size_t{100'000}}) {
    for (const char* member : {"from", "offsets", "where", "dead", "typo"}) {
      const auto refused = parse_replay_terms(terms(member, levels));
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().message, "arrays and objects are more than 64 deep");
    }
  }
  EXPECT_EQ(fault_of_terms(terms("from", kMaxDepth - 1)), "/from");
}

TEST(ReplayTerms, MembersThatDoNotGoTogetherAreRefusedByName) {
  EXPECT_EQ(fault_of_terms(R"({"from":0,"offsets":{"0":[0,1]}})"), "/offsets");
  EXPECT_EQ(fault_of_terms(R"({"dead":true,"offsets":{"0":[0,1]}})"), "/offsets");
  EXPECT_EQ(fault_of_terms(R"({"reasons":["crashed"]})"), "/reasons");
  EXPECT_EQ(fault_of_terms(R"({"from":2,"to":2})"), "/to");
  EXPECT_EQ(fault_of_terms(R"({"to_queue":"q","concurrency":1})"), "/concurrency");
  EXPECT_EQ(fault_of_terms(R"({"to_queue":"q","max_dead":"1%"})"), "/max_dead");
}

TEST(ReplayTerms, OffsetsThatAreNoneOrEndBeforeTheyBeginAreRefused) {
  for (const char* const offsets :
       {R"({})", R"({"0":[2,1]})", R"({"0":[-1,1]})", R"({"0":[1]})", R"({"x":[0,1]})",
        R"({"0":[18446744073709551615,null]})", R"({"0":[0,9223372036854775808]})"}) {
    EXPECT_EQ(fault_of_terms((std::string(R"({"offsets":)") + offsets + "}").c_str()), "/offsets")
        << offsets;
  }
  EXPECT_EQ(fault_of_terms(R"({"offsets":{"0":[1,1]}})"), "accepted");
}

TEST(ReplayTerms, ATextThatIsNotUtf8IsRefused) {
  EXPECT_EQ(fault_of_terms({{"accounts", {"a\xff"}}}), "/accounts");
  EXPECT_EQ(fault_of_terms({{"ids", {"a\xff"}}}), "/ids");
  EXPECT_EQ(fault_of_terms({{"where", {{"/a", "\xff"}}}}), "/where");
}

TEST(ReplayTerms, ANameHas1To64OfItsCharacters) {
  for (const std::string good : {"r", "A-z_0.9"}) EXPECT_TRUE(check_replay_name(good)) << good;
  EXPECT_TRUE(check_replay_name(std::string(kMaxReplayNameBytes, 'x')));
  EXPECT_FALSE(check_replay_name(std::string(kMaxReplayNameBytes + 1, 'x')));
  for (const std::string bad : {"", "a/b", "a b", "\xc3\xa9"}) EXPECT_FALSE(check_replay_name(bad));
}

TEST(ReplayTerms, APercentageIsFrom0To100) {
  EXPECT_EQ(parse_percentage("0.5%"), 0.5);
  EXPECT_EQ(parse_percentage("100%"), 100);
  for (const char* const bad : {"", "1", "%", "-1%", "101%", "nan%", "1 %", "1%%"})
    EXPECT_FALSE(parse_percentage(bad)) << bad;
}

TEST(CopyId, NamesTheReplayAndTheOriginal) {
  EXPECT_EQ(copy_id("r", "a/b"), "replay/r/a/b");
  EXPECT_EQ(replay_of_copy("replay/r/a/b"), "r");
  EXPECT_EQ(replay_of_copy("a/b"), "");
}

TEST(CopyId, OneThatWouldBeTooLongIsCutBetweenCharactersAndStaysDistinct) {
  const std::string name(kMaxReplayNameBytes, 'r'), long_id(kMaxDerivedIdBytes - 1, 'i');
  const std::string a = copy_id(name, long_id + "a"), b = copy_id(name, long_id + "b");
  EXPECT_EQ(a.size(), kMaxDerivedIdBytes);
  EXPECT_NE(a, b);
  EXPECT_EQ(replay_of_copy(a), name);
  std::string wide;
  while (wide.size() + 2 <= kMaxDerivedIdBytes) wide += "\xc3\xa9";
  const std::string cut = copy_id("r", wide);
  EXPECT_LE(cut.size(), kMaxDerivedIdBytes);
  EXPECT_EQ(static_cast<unsigned char>(cut[cut.find('~') - 1]), 0xa9);
}

}  // namespace
}  // namespace penstock
