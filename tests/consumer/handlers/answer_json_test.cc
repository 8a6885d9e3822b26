#include "consumer/handlers/answer_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "consumer/error_pattern.h"
#include "test_mailbox.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kToken = "00000001-000000000000002a-0000000000000007";

OutcomeValue http(std::string_view body) { return read_http_answer(body).outcome; }
std::string retry_text(std::string_view body) { return as<RetryLater>(http(body)).error; }

std::string line_of(std::string members) {
  return R"({"token":")" + std::string(kToken) + R"(",)" + std::move(members) + "}";
}
AnswerLine exec(std::string members) {
  return read_answer_line(line_of(std::move(members)), kToken);
}

TEST(HttpAnswer, IsDoneWithoutAnObject) {
  for (const char* body :
       {"", "  ", "OK", "[1]", "null", "<html>", "{}", R"({"status":"received"})"}) {
    EXPECT_TRUE(std::holds_alternative<Done>(http(body))) << body;
  }
}

TEST(HttpAnswer, NamesEachOutcome) {
  as<Done>(http(R"({"ok":true})"));
  EXPECT_EQ(as<NextIteration>(http(R"({"next":{"page":2}})")).cursor, R"({"page":2})");
  EXPECT_EQ(as<Snooze>(http(R"({"snooze":"30s"})")).in, 30s);
  EXPECT_EQ(as<Discard>(http(R"({"discard":"gone"})")).reason, "gone");
  EXPECT_EQ(as<CancelJob>(http(R"({"cancel":"unwanted"})")).reason, "unwanted");
  const auto retry = as<RetryLater>(http(R"({"error":"later","retry_in":"5s"})"));
  EXPECT_EQ(retry.error, "later");
  EXPECT_EQ(retry.in, 5s);
  EXPECT_EQ(as<RetryLater>(http(R"({"error":"x"})")).in, std::nullopt);
  EXPECT_EQ(as<RetryLater>(http(R"({"retry_in":"5s"})")).in, 5s);
  EXPECT_EQ(as<RetryLater>(http(R"({"error":{"code":7}})")).error, R"({"code":7})");
}

TEST(ExecAnswer, ACheckpointThatIsTooLargeIsNoAnswer) {
  const std::string most(kMaxCursorBytes - 2, 'x');
  EXPECT_EQ(std::get<CheckpointLine>(exec(R"("checkpoint":")" + most + "\"")).cursor.size(),
            kMaxCursorBytes);
  const auto refused = std::get<Rubbish>(exec(R"("checkpoint":")" + most + "y\""));
  EXPECT_NE(refused.message.find("at most 262144 are kept"), std::string::npos) << refused.message;
}

TEST(HttpAnswer, AnErrorMayHaveAName) {
  const auto retry = as<RetryLater>(http(R"({"error":"x","retry_in":"5s","error_name":"busy"})"));
  EXPECT_EQ(retry.error, "x");
  EXPECT_EQ(retry.in, 5s);
  EXPECT_EQ(retry.error_class, "busy");
  EXPECT_EQ(as<RetryLater>(http(R"({"error_name":"busy","error":"x"})")).error, "x");
  EXPECT_EQ(as<RetryLater>(http(R"({"error_name":7})")).error_class, "7");
  EXPECT_EQ(as<RetryLater>(http(R"({"error":"x"})")).error_class, "");
  EXPECT_EQ(as<RetryLater>(http(R"({"error_name":")" + std::string(200, 'e') + "\"}")).error_class,
            std::string(kMaxErrorClassBytes, 'e'));
  EXPECT_NE(retry_text(R"({"ok":true,"error_name":"x"})").find("both ok and error_name"),
            std::string::npos);
}

TEST(HttpAnswer, ABrokenRuleHasAnErrorNameOfItsOwn) {
  EXPECT_EQ(as<RetryLater>(http(R"({"ok":false})")).error_class, kBadAnswerError);
}

TEST(HttpAnswer, TakesNullForAbsent) {
  as<Done>(http(R"({"ok":true,"next":null,"error":null})"));
  EXPECT_EQ(as<RetryLater>(http(R"({"error":"x","retry_in":null})")).in, std::nullopt);
}

TEST(HttpAnswer, IsARetryThatSaysWhatIsWrong) {
  EXPECT_NE(retry_text(R"({"ok":)").find("no JSON"), std::string::npos);
  EXPECT_NE(retry_text(R"({"ok":false})").find("ok is false, expected true"), std::string::npos);
  EXPECT_NE(retry_text(R"({"snooze":30})").find("snooze is 30, expected a duration"),
            std::string::npos);
  EXPECT_NE(retry_text(R"({"snooze":"soon"})").find("expected a duration"), std::string::npos);
  EXPECT_NE(retry_text(R"({"discard":true})").find("discard is true"), std::string::npos);
  EXPECT_NE(retry_text(R"({"ok":true,"error":"x"})").find("both ok and error"), std::string::npos);
}

TEST(HttpAnswer, KeepsTheErrorWhenItsRetryInIsWrong) {
  const auto retry = as<RetryLater>(http(R"({"error":"boom","retry_in":"5 parsecs"})"));
  EXPECT_TRUE(retry.error.starts_with("boom (and retry_in is"));
  EXPECT_EQ(retry.in, std::nullopt);
}

TEST(HttpAnswer, IsNotFollowedIntoTheDepths) {
  const std::string deep(5'000'000, '[');
  EXPECT_NE(retry_text(R"({"next":)" + deep).find("deeper"), std::string::npos);
}

TEST(HttpAnswer, CarriesFollowUpJobs) {
  const Answer answer = read_http_answer(
      R"({"ok":true,"enqueue":[{"type":"a","args":{"x":1}},{"type":"b","queue":"q","account":"c"}]})");
  as<Done>(answer.outcome);
  ASSERT_EQ(answer.enqueue.size(), 2u);
  EXPECT_EQ(answer.enqueue[0].queue, "");
  EXPECT_EQ(answer.enqueue[0].account, "");
  EXPECT_EQ(nlohmann::json::parse(answer.enqueue[0].record),
            nlohmann::json::parse(R"({"type":"a","args":{"x":1}})"));
  EXPECT_EQ(answer.enqueue[1].queue, "q");
  EXPECT_EQ(answer.enqueue[1].account, "c");
  EXPECT_EQ(answer.enqueue[1].record, R"({"type":"b"})");
}

TEST(HttpAnswer, EnqueuesWithoutNamingAnOutcome) {
  const Answer answer = read_http_answer(R"({"enqueue":[{"type":"a"}]})");
  as<Done>(answer.outcome);
  EXPECT_EQ(answer.enqueue.size(), 1u);
}

TEST(HttpAnswer, EnqueuesNothingOnARetry) {
  EXPECT_TRUE(read_http_answer(R"({"error":"x","enqueue":[{"type":"a"}]})").enqueue.empty());
}

TEST(HttpAnswer, RefusesFollowUpsThatAreNoJobs) {
  EXPECT_NE(retry_text(R"({"enqueue":{}})").find("expected an array"), std::string::npos);
  EXPECT_NE(retry_text(R"({"enqueue":[1]})").find("enqueue/0 is 1"), std::string::npos);
  EXPECT_NE(retry_text(R"({"enqueue":[{"type":"a"},{}]})").find("enqueue/1 has no type"),
            std::string::npos);
  EXPECT_NE(retry_text(R"({"enqueue":[{"type":"a","queue":1}]})").find("enqueue/0/queue is 1"),
            std::string::npos);
}

TEST(HttpAnswer, RefusesMoreFollowUpsThanTheMaximum) {
  nlohmann::json answer = {{"enqueue", nlohmann::json::array()}};
  for (std::size_t i = 0; i <= kMaxFollowUps; ++i) answer["enqueue"].push_back({{"type", "a"}});
  EXPECT_NE(retry_text(answer.dump()).find("at most 10000"), std::string::npos);
}

TEST(ExecAnswer, NamesEachOutcome) {
  as<Done>(std::get<Answer>(exec(R"("ok":true)")).outcome);
  EXPECT_EQ(as<NextIteration>(std::get<Answer>(exec(R"("next":5)")).outcome).cursor, "5");
  EXPECT_EQ(as<Snooze>(std::get<Answer>(exec(R"("snooze":"1m")")).outcome).in, 1min);
}

TEST(ExecAnswer, MayBeAHeartbeatOrACheckpoint) {
  EXPECT_TRUE(std::holds_alternative<HeartbeatLine>(exec(R"("heartbeat":true)")));
  EXPECT_EQ(std::get<CheckpointLine>(exec(R"("checkpoint":{"row":9})")).cursor, R"({"row":9})");
}

TEST(ExecAnswer, WithAnotherTokenIsToBeIgnored) {
  EXPECT_TRUE(
      std::holds_alternative<OtherToken>(read_answer_line(R"({"token":"x","ok":true})", kToken)));
}

TEST(ExecAnswer, IsRubbishWithoutATokenOrWithoutJson) {
  EXPECT_EQ(std::get<Rubbish>(read_answer_line("hello", kToken)).message, "no JSON: \"hello\"");
  EXPECT_TRUE(std::holds_alternative<Rubbish>(read_answer_line("[1]", kToken)));
  EXPECT_TRUE(std::holds_alternative<Rubbish>(read_answer_line(R"({"ok":true})", kToken)));
  EXPECT_TRUE(std::holds_alternative<Rubbish>(read_answer_line("", kToken)));
}

TEST(ExecAnswer, MustNameAnOutcome) {
  const auto answer = std::get<Answer>(exec(R"("done":true)"));
  EXPECT_NE(as<RetryLater>(answer.outcome).error.find("names no outcome"), std::string::npos);
}

}  // namespace
}  // namespace penstock
