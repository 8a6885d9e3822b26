#include "producer/json_line.h"

#include <gtest/gtest.h>

#include "topics/record/job_record.h"

namespace penstock {
namespace {

std::string split(std::string_view line) {
  JsonLineReader reader;
  const auto job = reader.read(line);
  if (!job) return "bad " + job.error().member;
  return std::string(job->account) + " | " + std::string(job->value);
}

TEST(JsonLine, TakesTheAccountOutWhereverItStands) {
  EXPECT_EQ(split(R"({"account":"a","type":"t"})"), R"(a | {"type":"t"})");
  EXPECT_EQ(split(R"({"type":"t","account":"a"})"), R"(a | {"type":"t"})");
  EXPECT_EQ(split(R"( {"x":[1, {}] , "account" : "a" , "type":"t"} )"),
            R"(a | {"x":[1, {}],"type":"t"})");
  EXPECT_EQ(split(R"({"account":"a"})"), "a | {}");
}

TEST(JsonLine, KeepsTheOtherMembersBytes) {
  EXPECT_EQ(split(R"({"account":"a","\u0061rgs":{"account":1.0e1,"b":"\n"}})"),
            R"(a | {"\u0061rgs":{"account":1.0e1,"b":"\n"}})");
}

TEST(JsonLine, ReadsEscapesInTheAccountAndInItsName) {
  EXPECT_EQ(split(R"({"\u0061ccount":"\u00e9","type":"t"})"), "\xc3\xa9 | {\"type\":\"t\"}");
}

TEST(JsonLine, RefusesWhatHasNoAccountOfText) {
  EXPECT_EQ(split(R"({"type":"t"})"), "bad /account");
  EXPECT_EQ(split(R"({"account":null,"type":"t"})"), "bad /account");
  EXPECT_EQ(split(R"({"account":"a","account":"b"})"), "bad /account");
}

TEST(JsonLine, RefusesWhatIsNoObject) {
  EXPECT_EQ(split(""), "bad ");
  EXPECT_EQ(split("[]"), "bad ");
  EXPECT_EQ(split(R"({"account":"a"} {})"), "bad ");
  EXPECT_EQ(split(std::string(kMaxValueBytes + 1, ' ')), "bad ");
}

}  // namespace
}  // namespace penstock
