#include "consumer/handlers/protocol/request_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "test_mailbox.h"

namespace penstock {
namespace {

TEST(RequestJson, HasEveryMemberOfTheContract) {
  AttemptRequest attempt = request(7, R"({"segment_id": 7})");
  attempt.attempt = 3;
  attempt.cursor = R"({"page":2})";
  attempt.headers = {{"traceparent", "00-ab"}};
  const auto json = nlohmann::json::parse(request_json(attempt));
  const nlohmann::json expected = {
      {"id", "job-7"},
      {"type", "webhook.send"},
      {"account", "acme"},
      {"queue", "mail"},
      {"args", {{"segment_id", 7}}},
      {"attempt", 3},
      {"max_attempts", 25},
      {"token", "00000001-000000000000002a-0000000000000007-00000000-0000"},
      {"cursor", {{"page", 2}}},
      {"headers", {{"traceparent", "00-ab"}}}};
  EXPECT_EQ(json, expected);
}

TEST(RequestJson, OfABatchHasItemsInsteadOfArguments) {
  AttemptRequest attempt = request(7, "");
  attempt.items = {{"job-7", R"({"n":1})", 2, {{"traceparent", "00"}}}, {"b", "", 1, {}}};
  const auto json = nlohmann::json::parse(request_json(attempt));
  EXPECT_FALSE(json.contains("args"));
  EXPECT_EQ(json.at("id"), "job-7");
  EXPECT_EQ(json.at("items"),
            nlohmann::json::parse(
                R"([{"id":"job-7","args":{"n":1},"attempt":2,"headers":{"traceparent":"00"}},
                                      {"id":"b","args":{},"attempt":1,"headers":{}}])"));
}

TEST(RequestJson, OfACopySaysWhatItIsACopyOf) {
  const char* const replay = R"({"id":"r","of":"a","source":"penstock.mail/1/5"})";
  AttemptRequest attempt = request(7);
  EXPECT_FALSE(nlohmann::json::parse(request_json(attempt)).contains("replay"));
  attempt.replay = replay;
  EXPECT_EQ(nlohmann::json::parse(request_json(attempt)).at("replay"),
            nlohmann::json::parse(replay));
}

TEST(RequestJson, OfABatchSaysOfWhichItemsAreCopies) {
  const char* const replay = R"({"id":"r","of":"b","source":"penstock.mail/1/5"})";
  AttemptRequest attempt = request(7, "");
  attempt.items = {{"job-7", "{}", 1, {}}, {"replay/r/b", "{}", 1, {}, replay}};
  const auto json = nlohmann::json::parse(request_json(attempt));
  EXPECT_FALSE(json.contains("replay"));
  EXPECT_FALSE(json.at("items")[0].contains("replay"));
  EXPECT_EQ(json.at("items")[1].at("replay"), nlohmann::json::parse(replay));
}

TEST(RequestJson, SaysNullWithoutACursor) {
  EXPECT_TRUE(nlohmann::json::parse(request_json(request(1))).at("cursor").is_null());
}

TEST(RequestJson, IsOneLineWhateverTheArgumentsLookLike) {
  const std::string text = request_json(request(1, "{\n  \"a\":\r\n \"x\\ny\"}"));
  EXPECT_EQ(text.find_first_of("\r\n"), text.npos);
  EXPECT_EQ(nlohmann::json::parse(text).at("args").at("a"), "x\ny");
}

TEST(RequestJson, KeepsArgumentsByteForByte) {
  EXPECT_NE(request_json(request(1, R"({"n":1.10,"big":12345678901234567890123})"))
                .find(R"("args":{"n":1.10,"big":12345678901234567890123},)"),
            std::string::npos);
}

TEST(RequestJson, EscapesWhatUsersName) {
  AttemptRequest attempt = request(1);
  attempt.id = "a\"b\n";
  attempt.account = "Zürich";
  const auto json = nlohmann::json::parse(request_json(attempt));
  EXPECT_EQ(json.at("id"), "a\"b\n");
  EXPECT_EQ(json.at("account"), "Zürich");
}

TEST(RequestJson, GivesTheLastOfARepeatedHeaderAndReplacesWhatIsNoUtf8) {
  AttemptRequest attempt = request(1);
  attempt.headers = {{"a", "1"}, {"a", "2"}, {"raw", "\xff"}, {"null", std::nullopt}};
  const auto json = nlohmann::json::parse(request_json(attempt)).at("headers");
  EXPECT_EQ(json.at("a"), "2");
  EXPECT_TRUE(json.at("null").is_null());
  EXPECT_EQ(json.at("raw"), "\xef\xbf\xbd");
}

}  // namespace
}  // namespace penstock
