#include "consumer/handlers/protocol/answer_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "consumer/handlers/protocol/follow_up_json.h"
#include "consumer/policy/error_pattern.h"
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
  EXPECT_NE(refused.message.find("at most 262144 can be saved"), std::string::npos)
      << refused.message;
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
  EXPECT_NE(retry_text(R"({"next":)" + deep).find("more than 128 deep"), std::string::npos);
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

// Each of these is changed by a reader that keeps numbers as doubles or objects as maps.
constexpr const char* kExact[] = {"18446744073709551616",
                                  "-9223372036854775809",
                                  "1.10",
                                  "0.1000000000000000055511151231257827",
                                  "1E3",
                                  "-0",
                                  R"({"b": 1.0, "a": 123456789012345678901234567890})",
                                  R"(["\u00e9", "\/"])"};

TEST(HttpAnswer, CarriesACursorByteForByte) {
  for (const std::string text : kExact) {
    EXPECT_EQ(as<NextIteration>(http(R"({"next": )" + text + " }")).cursor, text);
  }
}

TEST(ExecAnswer, CarriesACheckpointByteForByte) {
  for (const std::string text : kExact) {
    EXPECT_EQ(std::get<CheckpointLine>(exec(R"("checkpoint":)" + text)).cursor, text);
  }
}

TEST(HttpAnswer, CarriesFollowUpsByteForByte) {
  for (const std::string text : kExact) {
    const std::string record = R"({"type":"a","args":{"x":)" + text + R"(},"meta":{"y":)" + text +
                               R"(},"run_at":1800000000000})";
    const Answer answer = read_http_answer(R"({"enqueue":[{"queue":"q",)" + record.substr(1) +
                                           R"(,{"type":"b","account":"c"}]})");
    ASSERT_EQ(answer.enqueue.size(), 2u) << text;
    EXPECT_EQ(answer.enqueue[0].record, record);
  }
}

TEST(HttpAnswer, AFollowUpKeepsNamesAsTheyAreWritten) {
  const Answer answer =
      read_http_answer(R"({"enqueue":[{"\u0074ype" : "a" , "\u0061ccount":"c","args":{}}]})");
  ASSERT_EQ(answer.enqueue.size(), 1u);
  EXPECT_EQ(answer.enqueue[0].account, "c");
  EXPECT_EQ(answer.enqueue[0].record, R"({"\u0074ype":"a","args":{}})");
}

TEST(HttpAnswer, WithARepeatedMemberNameIsAMistake) {
  for (const char* const body :
       {R"({"ok":true,"enqueue":[{"type":"a","args":{"x":1,"x":2}}]})",
        R"({"ok":true,"enqueue":[{"type":"a","type":"b"}]})",
        R"({"ok":true,"enqueue":[{"type":"a","account":"c","account":"d"}]})",
        R"({"next":{"x":1,"x":1}})", R"({"ok":true,"ok":true})"}) {
    EXPECT_NE(retry_text(body).find("appears twice"), std::string::npos) << body;
  }
  EXPECT_NE(std::get<Rubbish>(exec(R"("checkpoint":{"x":1,"x":1})")).message.find("appears twice"),
            std::string::npos);
}

TEST(HttpAnswer, AFollowUpOfAnEmptyAccountOrQueueIsAMistake) {
  EXPECT_NE(retry_text(R"({"enqueue":[{"type":"a","account":""}]})")
                .find("enqueue/0/account is \"\", expected a string that is not empty"),
            std::string::npos);
  EXPECT_NE(retry_text(R"({"enqueue":[{"type":"a","queue":""}]})").find("enqueue/0/queue is"),
            std::string::npos);
  const Answer own = read_http_answer(R"({"enqueue":[{"type":"a","account":null}]})");
  ASSERT_EQ(own.enqueue.size(), 1u);
  EXPECT_EQ(own.enqueue[0].account, "");
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

// -- Of a batch

std::vector<AttemptItem> batch(std::initializer_list<const char*> ids) {
  std::vector<AttemptItem> items;
  for (const char* const id : ids) items.push_back({id, "{}", 1, {}});
  return items;
}

TEST(BatchAnswer, NamesItemsBesideTheOutcomeOfTheOthers) {
  const auto items = batch({"a", "b", "c"});
  const Answer answer =
      read_http_answer(R"({"ok":true,"items":[{"id":"b","error":"busy","retry_in":"5s"}]})", items);
  as<Done>(answer.outcome);
  ASSERT_EQ(answer.items.size(), 3u);
  EXPECT_FALSE(answer.items[0] || answer.items[2]);
  EXPECT_EQ(as<RetryLater>(*answer.items[1]).error, "busy");
  EXPECT_EQ(as<RetryLater>(*answer.items[1]).in, 5s);
}

TEST(BatchAnswer, AnItemMayHaveEachOutcomeButNext) {
  const auto items = batch({"a", "b", "c", "d"});
  const Answer answer = read_http_answer(
      R"({"items":[{"id":"d","cancel":"x"},{"id":"a","ok":true},{"id":"b","snooze":"1m"},{"id":"c","discard":"no"}]})",
      items);
  as<Done>(*answer.items[0]);
  EXPECT_EQ(as<Snooze>(*answer.items[1]).in, 1min);
  EXPECT_EQ(as<Discard>(*answer.items[2]).reason, "no");
  as<CancelJob>(*answer.items[3]);
  const Answer wrong = read_http_answer(R"({"items":[{"id":"a","next":1}]})", items);
  EXPECT_NE(as<RetryLater>(wrong.outcome).error.find("items/0 has next"), std::string::npos);
}

TEST(BatchAnswer, AnItemThatIsForgottenIsRetried) {
  const auto items = batch({"a", "b"});
  for (const char* const text : {R"({"items":[{"id":"a","ok":true}]})", R"({"items":[]})"}) {
    const Answer answer = read_http_answer(text, items);
    as<Done>(answer.outcome);
    EXPECT_EQ(as<RetryLater>(*answer.items[1]).error_class, kBadAnswerError) << text;
  }
}

TEST(BatchAnswer, WithoutItemsAllShareTheOutcome) {
  EXPECT_TRUE(read_http_answer(R"({"ok":true})", batch({"a"})).items.empty());
  EXPECT_TRUE(read_http_answer("", batch({"a"})).items.empty());
}

TEST(BatchAnswer, AMistakeIsARetryOfAll) {
  const auto items = batch({"a", "b"});
  const std::pair<const char*, const char*> mistakes[] = {
      {R"({"ok":true,"items":{}})", "items is {}, expected an array"},
      {R"({"ok":true,"items":[7]})", "items/0 has no id"},
      {R"({"ok":true,"items":[{"id":"c","ok":true}]})",
       "items/0/id is \"c\", expected the id of one of"},
      {R"({"ok":true,"items":[{"id":"a","ok":true},{"id":"a","ok":true}]})",
       "items/1/id is \"a\", expected each item once"},
      {R"({"ok":true,"items":[{"id":"a"}]})", "items/0 has no outcome"},
      {R"({"ok":true,"items":[{"id":"a","ok":true,"error":"x"}]})",
       "items/0: it has both ok and error"},
  };
  for (const auto& [text, expected] : mistakes) {
    const Answer answer = read_http_answer(text, items);
    EXPECT_NE(as<RetryLater>(answer.outcome).error.find(expected), std::string::npos)
        << as<RetryLater>(answer.outcome).error;
    EXPECT_TRUE(answer.items.empty());
  }
}

TEST(BatchAnswer, ProducesUnlessAllIsRetried) {
  const auto items = batch({"a"});
  const std::string more = R"(,"enqueue":[{"type":"t"}]})";
  EXPECT_EQ(read_http_answer(R"({"items":[{"id":"a","ok":true}])" + more, items).enqueue.size(),
            1u);
  EXPECT_TRUE(
      read_http_answer(R"({"items":[{"id":"a","error":"x"}])" + more, items).enqueue.empty());
}

TEST(BatchAnswer, ItemsMeanNothingWhereThereIsNoBatch) {
  as<Done>(http(R"({"items":"whatever"})"));
}

TEST(ExecAnswer, MayNameItems) {
  const auto items = batch({"a", "b"});
  const auto line = read_answer_line(
      line_of(R"("items":[{"id":"a","ok":true},{"id":"b","error":"x"}])"), kToken, items);
  const auto& answer = std::get<Answer>(line);
  as<Done>(*answer.items[0]);
  as<RetryLater>(*answer.items[1]);
}

TEST(ExecAnswer, MayTellProgress) {
  const auto progress = std::get<ProgressLine>(exec(R"("progress":{"n":3,"total":10})"));
  EXPECT_EQ(progress.n, 3);
  EXPECT_EQ(progress.total, 10);
  for (const char* const wrong :
       {R"("progress":3)", R"("progress":{"n":-1,"total":2})", R"("progress":{"n":1})",
        R"("progress":{"n":18446744073709551615,"total":2})"}) {
    EXPECT_NE(as<RetryLater>(std::get<Answer>(exec(wrong)).outcome).error.find("progress is"),
              std::string::npos);
  }
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

TEST(ExecAnswer, ACheckpointMayHaveFollowUps) {
  const auto saved = std::get<CheckpointLine>(
      exec(R"("checkpoint":9,"enqueue":[{"type":"a","queue":"other"},{"type":"b"}])"));
  EXPECT_EQ(saved.cursor, "9");
  ASSERT_EQ(saved.enqueue.size(), 2u);
  EXPECT_EQ(saved.enqueue[0].queue, "other");
  EXPECT_EQ(saved.enqueue[1].record, R"({"type":"b"})");
}

TEST(ExecAnswer, ACheckpointWithAWrongFollowUpIsNoAnswer) {
  const auto refused = std::get<Rubbish>(exec(R"("checkpoint":9,"enqueue":[{"tpye":"a"}])"));
  EXPECT_NE(refused.message.find("enqueue/0 has no type"), std::string::npos) << refused.message;
}

TEST(ExecAnswer, WithAnotherTokenIsToBeIgnored) {
  EXPECT_TRUE(
      std::holds_alternative<OtherToken>(read_answer_line(R"({"token":"x","ok":true})", kToken)));
}

TEST(ExecAnswer, IsRubbishWithoutATokenOrWithoutJson) {
  const std::string message = std::get<Rubbish>(read_answer_line("hello", kToken)).message;
  EXPECT_TRUE(message.starts_with("no JSON: \"hello\" (")) << message;
  EXPECT_TRUE(std::holds_alternative<Rubbish>(read_answer_line("[1]", kToken)));
  EXPECT_TRUE(std::holds_alternative<Rubbish>(read_answer_line(R"({"ok":true})", kToken)));
  EXPECT_TRUE(std::holds_alternative<Rubbish>(read_answer_line("", kToken)));
}

TEST(ExecAnswer, MustNameAnOutcome) {
  const auto answer = std::get<Answer>(exec(R"("done":true)"));
  EXPECT_NE(as<RetryLater>(answer.outcome).error.find("has no outcome"), std::string::npos);
}

}  // namespace
}  // namespace penstock
