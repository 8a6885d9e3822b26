// GET below /v1/queues, over a real connection.
#include "tests/api/fake_source.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

using Queries = ApiTest;

ShownJob running_job() {
  return {.id = "a/b c",
          .queue = "mail",
          .type = "send",
          .account = "acme",
          .state = JobState::kRunning,
          .attempt = 2,
          .max_attempts = 25,
          .run_at = *parse_rfc3339("2026-03-01T11:00:00Z"),
          .created = *parse_rfc3339("2026-03-01T10:00:00Z"),
          .started = {},
          .reason = "status 500",
          .why = "attempt 2 runs"};
}

TEST_F(Queries, AJobHasTheMembersOfTheContractAndNullWhereThereIsNone) {
  source.match.jobs = {running_job()};
  const auto result = get("/v1/queues/mail/jobs/a%2Fb%20c?account=acme");
  ASSERT_EQ(result->status, 200);
  EXPECT_EQ(source.asked_id, "a/b c");
  EXPECT_EQ(source.asked_account, "acme");
  EXPECT_EQ(
      result->body,
      R"({"id":"a/b c","queue":"mail","type":"send","account":"acme","state":"running","attempt":2,)"
      R"("max_attempts":25,"run_at":"2026-03-01T11:00:00.000Z","created":"2026-03-01T10:00:00.000Z",)"
      R"("started":null,"reason":"status 500","why":"attempt 2 runs","waits_for":null,"blocked_by":[]})");
}

TEST_F(Queries, AJobHasItsProgressWhereTheHandlerHasSaidSo) {
  ShownJob job = running_job();
  job.progress = 3;
  job.progress_total = 10;
  source.match.jobs = {job};
  const auto result = get("/v1/queues/mail/jobs/a%2Fb%20c?account=acme");
  ASSERT_EQ(result->status, 200);
  EXPECT_TRUE(
      result->body.ends_with(R"("progress":{"n":3,"total":10},"waits_for":null,"blocked_by":[]})"))
      << result->body;
}

TEST_F(Queries, ABulkHasItsCountsAndNullWhereThereIsNone) {
  BulkRow counts;
  counts.size = 10;
  counts.admitted = 8;
  counts.succeeded = 3;
  counts.dead = 1;
  counts.first_at = *parse_rfc3339("2026-03-01T10:00:00Z");
  counts.last_at = counts.last_end = *parse_rfc3339("2026-03-01T11:00:00Z");
  source.bulk_listing.bulks = {{"spring", "acme", counts, 2, Time{}}};
  source.bulk_listing.after = "1-0-62";
  const auto result = get("/v1/queues/mail/bulks?account=acme&limit=5");
  ASSERT_EQ(result->status, 200);
  EXPECT_EQ(source.asked_bulks.account, "acme");
  EXPECT_EQ(source.asked_bulks.limit, 5);
  EXPECT_EQ(
      result->body,
      R"({"bulks":[{"id":"spring","queue":"mail","account":"acme","size":10,"admitted":8,"waiting":2,)"
      R"("running":2,"succeeded":3,"dead":1,"cancelled":0,"expired":0,"first":"2026-03-01T10:00:00.000Z",)"
      R"("last":"2026-03-01T11:00:00.000Z","done":null,"estimated_end":null}],"after":"1-0-62",)"
      R"("partitions_not_here":[]})");
  problem_of(get("/v1/queues/mail/bulks?state=dead"), 400);
  EXPECT_EQ(problem_of(get("/v1/queues/none/bulks"), 404)["member"], "queue");
}

TEST_F(Queries, OpenBreakersAreListed) {
  source.open.push_back({.queue = "mail",
                         .type = "send",
                         .account = "acme",
                         .failures = 5,
                         .since = time_from_ms(0) + Duration(1),
                         .next_probe = {},
                         .probes = false});
  const auto result = get("/v1/breakers");
  ASSERT_EQ(result->status, 200);
  EXPECT_EQ(result->body,
            R"({"breakers":[{"queue":"mail","type":"send","account":"acme","state":"open",)"
            R"("failures":5,"since":"1970-01-01T00:00:00.001Z","until":null}]})");
}

TEST_F(Queries, JobsAreChosenByTheirBulk) {
  ASSERT_EQ(get("/v1/queues/mail/jobs?bulk=spring%2F1")->status, 200);
  EXPECT_EQ(source.asked.bulk, "spring/1");
}

TEST_F(Queries, AnIdMayHoldSlashesQuestionMarksAndPercentSigns) {
  source.match.jobs = {running_job()};
  for (const auto& [encoded, id] : std::vector<std::pair<std::string, std::string>>{
           {"penstock.mail%2F3%2F17", "penstock.mail/3/17"},
           {"penstock.mail/3/17", "penstock.mail/3/17"},
           {"a%3Fb%3Dc%26d", "a?b=c&d"},
           {"100%25", "100%"},
           {"a%2Bb+c", "a+b+c"},
           {"x%0Ay", "x\ny"},
           {"%C3%A9", "é"},
           {"jobs%2Fcancel", "jobs/cancel"}}) {
    ASSERT_EQ(get("/v1/queues/mail/jobs/" + encoded)->status, 200) << encoded;
    EXPECT_EQ(source.asked_id, id);
  }
}

TEST_F(Queries, AnIdOfSeveralAccountsIsAConflictThatNamesThem) {
  ShownJob other = running_job();
  other.account = "globex";
  source.match.jobs = {running_job(), other};
  const auto problem = problem_of(get("/v1/queues/mail/jobs/a"), 409);
  EXPECT_THAT(problem["accounts"], ElementsAre("acme", "globex"));
  EXPECT_EQ(problem["member"], "account");
}

TEST_F(Queries, AJobThatIsNotHereIsNotFoundAndTellsWhereNobodyLooked) {
  source.match.not_here = {4};
  EXPECT_THAT(problem_of(get("/v1/queues/mail/jobs/a?account=acme"), 404)["partitions_not_here"],
              ElementsAre(4));
  source.match.not_here.clear();
  EXPECT_FALSE(problem_of(get("/v1/queues/mail/jobs/a"), 404).contains("partitions_not_here"));
  EXPECT_EQ(problem_of(get("/v1/queues/mail/jobs/a"), 404)["member"], "id");
}

TEST_F(Queries, AListHandsItsFiltersOnAndItsPositionBack) {
  source.listing = {.jobs = {running_job()}, .after = "1-3-6c", .not_here = {1, 2}};
  const auto result =
      get("/v1/queues/mail/jobs?state=retrying&type=send&account=a%26b&after=1-0-&limit=7");
  ASSERT_EQ(result->status, 200) << result->body;
  EXPECT_EQ(source.asked.state, JobState::kRetrying);
  EXPECT_EQ(source.asked.type, "send");
  EXPECT_EQ(source.asked.account, "a&b");
  EXPECT_EQ(source.asked.after, "1-0-");
  EXPECT_EQ(source.asked.limit, 7);
  const json body = body_of(result);
  EXPECT_EQ(body["jobs"].size(), 1u);
  EXPECT_EQ(body["after"], "1-3-6c");
  EXPECT_THAT(body["partitions_not_here"], ElementsAre(1, 2));
}

TEST_F(Queries, TheLastPageHasNoPosition) {
  const json body = body_of(get("/v1/queues/mail/jobs"));
  EXPECT_EQ(body["jobs"], json::array());
  EXPECT_TRUE(body["after"].is_null());
  EXPECT_EQ(source.asked.limit, kDefaultListedJobs);
}

TEST_F(Queries, ABadParameterIsNamed) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"limit=0", "limit"},     {"limit=1001", "limit"},   {"limit=x", "limit"},
      {"limit=", "limit"},      {"state=runing", "state"}, {"acount=acme", "acount"},
      {"type=a&type=b", "type"}};
  for (const auto& [query, member] : bad) {
    EXPECT_EQ(problem_of(get("/v1/queues/mail/jobs?" + query), 400)["member"], member) << query;
  }
  EXPECT_EQ(problem_of(get("/v1/queues?x=1"), 400)["member"], "x");
  EXPECT_EQ(problem_of(get("/v1/queues/mail/jobs/a?state=dead"), 400)["member"], "state");
  source.error = SourceError{SourceFault::kBadAfter, "no position"};
  EXPECT_EQ(problem_of(get("/v1/queues/mail/jobs?after=zz"), 400)["member"], "after");
}

TEST_F(Queries, AnUnknownQueueIsNotFound) {
  for (const char* path : {"", "/jobs", "/jobs/a", "/accounts"}) {
    problem_of(get(std::string("/v1/queues/nope") + path), 404);
  }
}

TEST_F(Queries, ALoopThatDoesNotAnswerIsUnavailable) {
  source.error = SourceError{SourceFault::kNoAnswer, "a loop did not answer in time"};
  for (const char* path : {"", "/jobs", "/jobs/a", "/accounts"}) {
    const auto result = get(std::string("/v1/queues/mail") + path);
    problem_of(result, 503);
    EXPECT_EQ(result->get_header_value("Retry-After"), "1");
  }
}

TEST_F(Queries, AQueueTellsItsFigures) {
  source.queues[0].running = 3;
  source.queues[0].job_rows = 40;
  source.queues[0].not_here = {0};
  const json queues = body_of(get("/v1/queues"));
  ASSERT_EQ(queues["queues"].size(), 1u);
  const json queue = body_of(get("/v1/queues/mail"));
  EXPECT_EQ(queue, queues["queues"][0]);
  EXPECT_EQ(queue["queue"], "mail");
  EXPECT_EQ(queue["partitions"], 12);
  EXPECT_EQ(queue["running"], 3);
  EXPECT_EQ(queue["jobs"], 40);
  EXPECT_THAT(queue["partitions_not_here"], ElementsAre(0));
}

TEST_F(Queries, AccountsTellTheirLines) {
  source.accounts.accounts = {{"acme", 50'000, 1}};
  source.accounts.complete = false;
  const json body = body_of(get("/v1/queues/mail/accounts?limit=5"));
  EXPECT_EQ(body["accounts"][0], (json{{"account", "acme"}, {"jobs", 50'000}, {"running", 1}}));
  EXPECT_EQ(body["complete"], false);
}

TEST_F(Queries, TextThatIsNoUtf8IsShownWithReplacements) {
  ShownJob job = running_job();
  job.reason = "bytes \xff";
  source.match.jobs = {job};
  EXPECT_EQ(body_of(get("/v1/queues/mail/jobs/a"))["reason"], "bytes \xEF\xBF\xBD");
}

}  // namespace
}  // namespace penstock
