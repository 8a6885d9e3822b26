#include "consumer/replay/program_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

constexpr std::size_t kDeep = 400'000;  // deeper than any stack

std::string deep_record(std::size_t levels) {
  return R"({"type":"t","args":{"a":)" + std::string(levels, '[') + std::string(levels, ']') + "}}";
}

TEST(ProgramLine, KeepsTheTextOfEveryMember) {
  EXPECT_EQ(program_line("acme", R"({"type":"t","args":{"n":12345678901234567890123,"m":1.10}})"),
            R"({"account":"acme","type":"t","args":{"n":12345678901234567890123,"m":1.10}})");
}

TEST(ProgramLine, TheKeyIsTheAccountWhateverTheRecordSays) {
  EXPECT_EQ(program_line("a\"b", R"({"account":17,"type":"t"})"),
            R"({"account":"a\"b","type":"t"})");
}

TEST(ProgramLine, IsOneLine) {
  EXPECT_EQ(program_line("acme", "{\n\"args\":{\r\n\"a\":\"b\\n\"}}"),
            R"({"account":"acme","args":{  "a":"b\n"}})");
}

TEST(ProgramLine, WhatIsNoObjectGoesAsText) {
  for (const std::string value : {"no json", "[1]", "", R"({"a":1,"a":2})", "a\nb"}) {
    const auto line = nlohmann::json::parse(program_line("acme", value));
    EXPECT_EQ(line, (nlohmann::json{{"account", "acme"}, {"value", value}}));
  }
  EXPECT_EQ(program_line("\xff", "\xff"), R"({"account":"�","value":"�"})");
}

TEST(ProgramLine, WhatIsTooDeepGoesAsText) {
  const std::string value = deep_record(kDeep);
  EXPECT_EQ(nlohmann::json::parse(program_line("acme", value)).at("value"), value);
}

TEST(ProgramAnswers, KeepTheTextOfEveryMember) {
  const auto answer = parse_program_answer(
      R"({"type": "t", "account": "bolt", "args": {"n":12345678901234567890123,"m":1.10}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->account, "bolt");
  EXPECT_EQ(answer->record, R"({"type":"t","args":{"n":12345678901234567890123,"m":1.10}})");
}

TEST(ProgramAnswers, HaveTheAccountOfTheRecordWhereTheyNameNone) {
  const auto answer = parse_program_answer(R"({"type":"t"})");
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->account);
  EXPECT_EQ(answer->record, R"({"type":"t"})");
}

TEST(ProgramAnswers, AreNoneWhereTheyAreNoRecord) {
  for (const std::string& line : {std::string("null"), std::string("[]"), std::string("17"),
                                  std::string(R"({"account":17})"), deep_record(kDeep)}) {
    EXPECT_FALSE(parse_program_answer(line)) << line.substr(0, 40);
  }
}

}  // namespace
}  // namespace penstock
