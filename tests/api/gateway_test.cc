// POST below /v1/queues, over a real connection.
#include "tests/api/fake_source.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

using Posting = ApiTest;
constexpr const char* kJobs = "/v1/queues/mail/jobs";

TEST_F(Posting, OneJobIsSentByteForByteAndAnsweredWithItsPlace) {
  const auto result =
      post(kJobs, R"( {"type":"send","id":"7","account":"acme","args":{"n": 1.50}} )");
  ASSERT_EQ(result->status, 202) << result->body;
  EXPECT_EQ(result->body, R"({"jobs":[{"id":"7","account":"acme","partition":3,"offset":0}]})");
  ASSERT_EQ(sink.records.size(), 1u);
  EXPECT_EQ(sink.records[0].queue, "mail");
  EXPECT_EQ(sink.records[0].account, "acme");
  EXPECT_EQ(sink.records[0].value, R"({"type":"send","id":"7","args":{"n": 1.50}})");
}

TEST_F(Posting, AJobWithoutIdIsGivenOne) {
  const json body = body_of(post(kJobs, R"({"type":"send","account":"acme"})"));
  const std::string id = body["jobs"][0]["id"];
  EXPECT_EQ(id.size(), 36u);
  EXPECT_EQ(json::parse(sink.records[0].value)["id"], id);
}

TEST_F(Posting, AnArrayIsAnsweredInItsOrder) {
  const json body = body_of(post(kJobs, R"([{"type":"t","id":"a","account":"x"},
      {"type":"t","id":"b","account":"y","args":{"text":"],[\"}"}} ])"));
  ASSERT_EQ(body["jobs"].size(), 2u);
  EXPECT_EQ(body["jobs"][0]["id"], "a");
  EXPECT_EQ(body["jobs"][1]["account"], "y");
  EXPECT_EQ(body_of(post(kJobs, "[]"))["jobs"], json::array());
}

TEST_F(Posting, AnArrayWithAnyBadJobIsRefusedWholeAndNamesEach) {
  const auto result =
      post(kJobs, R"([{"type":"t","account":"x"},{"type":"t","account":"x","run_ta":1},
      {"type":"t"},{"type":"t","account":"x","priority":2000},7])");
  const json problem = problem_of(result, 422);
  ASSERT_EQ(problem["errors"].size(), 4u) << result->body;
  EXPECT_EQ(problem["errors"][0]["index"], 1);
  EXPECT_EQ(problem["errors"][0]["member"], "/run_ta");
  EXPECT_EQ(problem["errors"][1]["index"], 2);
  EXPECT_EQ(problem["errors"][1]["member"], "/account");
  EXPECT_EQ(problem["errors"][2]["member"], "/priority");
  EXPECT_EQ(problem["errors"][3]["index"], 4);
  for (const json& error : problem["errors"])
    EXPECT_FALSE(error["detail"].get<std::string>().empty());
  EXPECT_TRUE(sink.records.empty());
}

TEST_F(Posting, OneBadJobIsRefusedWithTheMemberAtFault) {
  EXPECT_EQ(problem_of(post(kJobs, R"({"type":"t","account":"x","id":""})"), 422)["member"], "/id");
  problem_of(post(kJobs, ""), 422);
  problem_of(post(kJobs, "{"), 422);
  problem_of(post(kJobs, R"({"type":"t","type":"u","account":"x"})"), 422);
  problem_of(post(kJobs, R"([{"type":"t","account":"x"})"), 400);
  EXPECT_TRUE(sink.records.empty());
}

TEST_F(Posting, LinesStandEachForThemselves) {
  const auto result = post(kJobs,
                           "{\"type\":\"t\",\"id\":\"1\",\"account\":\"x\"}\n\nrubbish\r\n"
                           "{\"type\":\"t\",\"id\":\"3\",\"account\":\"y\"}",
                           "application/x-ndjson");
  ASSERT_EQ(result->status, 202);
  EXPECT_EQ(result->get_header_value("Content-Type"), "application/x-ndjson");
  std::istringstream lines(result->body);
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0]["id"], "1");
  EXPECT_EQ(answers[1]["errors"][0]["index"], 1);
  EXPECT_EQ(answers[2], (json{{"id", "3"}, {"account", "y"}, {"partition", 3}, {"offset", 1}}));
}

TEST_F(Posting, AnotherContentTypeIsRefused) {
  EXPECT_THAT(problem_of(post(kJobs, "{}", "text/plain"), 415)["detail"].get<std::string>(),
              HasSubstr("application/json"));
  EXPECT_EQ(post(kJobs, R"({"type":"t","account":"x"})", "application/json; charset=utf-8")->status,
            202);
}

TEST_F(Posting, ContentTypesAreComparedAsMediaTypes) {
  for (const char* const type : {"APPLICATION/JSON", "application/json ; charset=utf-8",
                                 "Application/Json;charset=\"utf-8\""}) {
    EXPECT_EQ(post(kJobs, R"({"type":"t","account":"x"})", type)->status, 202) << type;
  }
  EXPECT_EQ(post(kJobs, "{}", "Application/X-NDJSON ; x=y")->get_header_value("Content-Type"),
            "application/x-ndjson");
  problem_of(post(kJobs, "{}", "application/jsonp"), 415);
}

TEST_F(Posting, AnUnknownQueueIsNotFound) {
  EXPECT_EQ(
      problem_of(post("/v1/queues/nope/jobs", R"({"type":"t","account":"x"})"), 404)["member"],
      "queue");
}

TEST_F(Posting, WhatKafkaDidNotTakeIsNamedBesideWhatItDid) {
  sink.gives_up_on = "y";
  const auto result =
      post(kJobs, R"([{"type":"t","id":"a","account":"x"},{"type":"t","id":"b","account":"y"}])");
  const json problem = problem_of(result, 503);
  EXPECT_EQ(problem["jobs"][0]["id"], "a");
  EXPECT_EQ(problem["errors"][0]["index"], 1);
  EXPECT_EQ(problem["errors"][0]["id"], "b");
  EXPECT_EQ(result->get_header_value("Retry-After"), "1");
}

TEST_F(Posting, TooManyJobsAreRefused) {
  std::string lines;
  for (std::size_t i = 0; i <= kMaxJobsPerRequest; ++i) lines += "{}\n";
  problem_of(post(kJobs, lines, "application/x-ndjson"), 413);
  for (char& c : lines) c = c == '\n' ? ',' : c;
  lines.back() = ']';
  problem_of(post(kJobs, "[" + lines), 413);
}

TEST_F(Posting, ACommandIsARecordOfItsAccount) {
  const auto result = post("/v1/queues/mail/jobs/a%2F1/cancel?account=acme", "");
  ASSERT_EQ(result->status, 202) << result->body;
  ASSERT_EQ(sink.records.size(), 1u);
  EXPECT_EQ(sink.records[0].account, "acme");
  EXPECT_EQ(json::parse(sink.records[0].value), (json{{"op", "cancel"}, {"id", "a/1"}}));
  EXPECT_EQ(body_of(result)["id"], "a/1");
  EXPECT_EQ(body_of(result)["op"], "cancel");
}

TEST_F(Posting, ADeleteIsACommandOfAllThatFollows) {
  const auto result = client().Delete("/v1/queues/mail/jobs/a/cancel?account=acme");
  ASSERT_EQ(result->status, 202) << result->body;
  ASSERT_EQ(sink.records.size(), 1u);
  EXPECT_EQ(sink.records[0].account, "acme");
  EXPECT_EQ(json::parse(sink.records[0].value), (json{{"op", "delete"}, {"id", "a/cancel"}}));
  EXPECT_EQ(body_of(result)["op"], "delete");
}

TEST_F(Posting, ACommandWithoutAccountLooksForTheJob) {
  ShownJob job;
  job.account = "globex";
  source.match.jobs = {job};
  ASSERT_EQ(post("/v1/queues/mail/jobs/a/retry", "")->status, 202);
  EXPECT_EQ(sink.records[0].account, "globex");
  source.match.jobs = {job, job};
  EXPECT_THAT(problem_of(post("/v1/queues/mail/jobs/a/retry", ""), 409)["accounts"],
              ElementsAre("globex", "globex"));
  source.match.jobs.clear();
  problem_of(post("/v1/queues/mail/jobs/a/retry", ""), 404);
  EXPECT_EQ(sink.records.size(), 1u);
}

TEST_F(Posting, ACommandWithoutAccountIsRefusedWhileAnotherAccountMayHaveTheId) {
  ShownJob job;
  job.account = "globex";
  source.match.jobs = {job};
  source.match.not_here = {3, 4};
  for (const char* const op : {"cancel", "retry"}) {
    const json problem = problem_of(post(std::string(kJobs) + "/a/" + op, ""), 409);
    EXPECT_EQ(problem["member"], "account");
    EXPECT_THAT(problem["detail"].get<std::string>(), HasSubstr("?account="));
    EXPECT_THAT(problem["accounts"], ElementsAre("globex"));
    EXPECT_THAT(problem["partitions_not_here"], ElementsAre(3, 4));
  }
  problem_of(client().Delete(std::string(kJobs) + "/a"), 409);
  EXPECT_TRUE(sink.records.empty());
  EXPECT_THAT(body_of(get(std::string(kJobs) + "/a"))["partitions_not_here"], ElementsAre(3, 4));
}

TEST_F(Posting, ABadCommandIsRefused) {
  problem_of(post("/v1/queues/mail/jobs/" + std::string(300, 'x') + "/cancel?account=a", ""), 422);
  problem_of(post("/v1/queues/nope/jobs/a/cancel?account=a", ""), 404);
  problem_of(post("/v1/queues/mail/jobs/a/explode?account=a", ""), 405);
  problem_of(client().Delete("/v1/queues/mail/jobs/" + std::string(300, 'x') + "?account=a"), 422);
  EXPECT_TRUE(sink.records.empty());
}

}  // namespace
}  // namespace penstock
