// The dead topic over a real connection, on an embedded log.
#include "tests/api/fake_source.h"
#include "tests/conformance/temporary_directory.h"
#include "topics/embedded/embedded_log.h"
#include "topics/partitioner.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class DeadOverHttp : public ApiTest {
 protected:
  DeadOverHttp() {
    auto opened = open_embedded(directory_.path());
    EXPECT_TRUE(opened);
    embedded_ = std::move(*opened);
    log = embedded_.get();
    for (const char* const topic : {"penstock.mail", "penstock.mail.dead"})
      EXPECT_TRUE(
          embedded_->create({.name = topic, .partitions = 2, .replication = 1, .config = {}}));
  }
  // The server asks the log, so it ends first.
  ~DeadOverHttp() override { server.reset(); }

  // Waits until they are stored.
  struct Storing : LogListener {
    int stored = 0;
    void on_appended(Lane, Ticket, const Appended&) override { ++stored; }
    void on_assigned(std::span<const PartitionId>) override {}
    void on_revoked(std::span<const PartitionId>) override {}
    void on_lost(std::span<const PartitionId>) override {}
    void on_records(TopicPartition, std::span<const LogRecord> records) override {
      for (const LogRecord& record : records) values.emplace_back(*record.value);
    }
    void on_out_of_range(TopicPartition, Offset) override {}
    void on_bounds(TopicPartition, const Result<Bounds>&) override {}
    void on_membership(PartitionId, bool) override {}
    void on_deleted(TopicPartition, const Status&) override {}
    void on_connection(bool, std::string_view) override {}
    void on_fatal(std::string_view) override {}
    std::vector<std::string> values;
  };

  void die(const std::string& key, const std::string& value, const std::string& reason) {
    auto session = *embedded_->open({.client_id = "test", .instance_id = {}});
    const std::vector<HeaderView> headers{{"penstock-reason", reason},
                                          {"penstock-detail", "because"},
                                          {"penstock-source", "penstock.mail/0/7"},
                                          {"penstock-at", "2020-03-01T12:00:00.000Z"}};
    ASSERT_TRUE(session->append(Lane::kOutbox, {session->topic("penstock.mail.dead"), 0},
                                {key, value, headers}, 1));
    Storing storing;
    while (storing.stored == 0) {
      if (!session->poll(storing)) session->wait(std::chrono::milliseconds(5));
    }
  }

  // The values that are in the queue.
  std::vector<std::string> queued(const std::string& account, std::size_t count) {
    auto session = *embedded_->open({.client_id = "test", .instance_id = {}});
    Storing storing;
    session->read({session->topic("penstock.mail"), partition_of(account, 2)}, Offset{});
    while (storing.values.size() < count) {
      if (!session->poll(storing)) session->wait(std::chrono::milliseconds(5));
    }
    return storing.values;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Log> embedded_;
};

constexpr const char* kDeadJob = R"({"type":"send","id":"a-1"})";
constexpr const char* kDead = "/v1/queues/mail/dead";
constexpr const char* kResend = "/v1/queues/mail/dead/resend";

TEST_F(DeadOverHttp, DeadRecordsAreListedPageByPage) {
  die("acme", kDeadJob, "attempts_exhausted");
  die("globex", "{", "bad_json");
  const json first = body_of(get(std::string(kDead) + "?limit=1"));
  ASSERT_EQ(first["dead"].size(), 1u) << first;
  EXPECT_EQ(first["dead"][0]["id"], "a-1");
  EXPECT_EQ(first["dead"][0]["account"], "acme");
  EXPECT_EQ(first["dead"][0]["detail"], "because");
  const std::string after = first["after"];
  const json second = body_of(get(std::string(kDead) + "?limit=1&after=" + after));
  ASSERT_EQ(second["dead"].size(), 1u) << second;
  EXPECT_EQ(second["dead"][0]["value"], "{");
  EXPECT_EQ(second["after"], nullptr);
}

TEST_F(DeadOverHttp, FiltersSelect) {
  die("acme", kDeadJob, "attempts_exhausted");
  die("globex", "{", "bad_json");
  const auto count = [this](const std::string& filter) {
    return body_of(get(std::string(kDead) + "?" + filter))["dead"].size();
  };
  EXPECT_EQ(count("reason=bad_json,attempts_exhausted"), 2u);
  EXPECT_EQ(count("reason=bad_json"), 1u);
  EXPECT_EQ(count("type=send"), 1u);
  EXPECT_EQ(count("account=nobody"), 0u);
  EXPECT_EQ(count("from=2020-03-02T00:00:00Z"), 0u);
  EXPECT_EQ(count("to=2020-03-02T00:00:00Z"), 2u);
}

TEST_F(DeadOverHttp, WhatIsWrongInARequestIsNamed) {
  EXPECT_EQ(problem_of(get(std::string(kDead) + "?reason=bad"), 400)["member"], "reason");
  EXPECT_EQ(problem_of(get(std::string(kDead) + "?limit=0"), 400)["member"], "limit");
  EXPECT_EQ(problem_of(get(std::string(kDead) + "?after=x"), 400)["member"], "after");
  EXPECT_EQ(problem_of(get(std::string(kDead) + "?state=dead"), 400)["member"], "state");
  EXPECT_EQ(problem_of(get("/v1/queues/other/dead"), 404)["member"], "queue");
  EXPECT_EQ(problem_of(post("/v1/queues/other/dead/resend", ""), 404)["member"], "queue");
  EXPECT_EQ(problem_of(post(kResend, R"({"reasons":["bad_json"]})"), 422)["member"], "/reasons");
  EXPECT_EQ(problem_of(post(kResend, R"({"account":""})"), 422)["member"], "/account");
  EXPECT_EQ(problem_of(post(kResend, R"({"limit":"many"})"), 422)["member"], "/limit");
  EXPECT_EQ(problem_of(post(kResend, R"({"dry_run":1})"), 422)["member"], "/dry_run");
  problem_of(post(kResend, "[]"), 422);
  problem_of(post(kResend, "{}", "text/plain"), 415);
  problem_of(get(kResend), 405);
  problem_of(post(kDead, "{}"), 405);
}

TEST_F(DeadOverHttp, ResendAnswersWithCountsAndWithWhatWasWrong) {
  die("acme", kDeadJob, "attempts_exhausted");
  die("globex", "{", "bad_json");
  const auto result = post(kResend, "");
  ASSERT_EQ(result->status, 202) << result->body;
  const json body = body_of(result);
  EXPECT_EQ(body["listed"], 2);
  EXPECT_EQ(body["sent"], 1);
  EXPECT_EQ(body["failed"], (json{{"bad_json", 1}}));
  ASSERT_EQ(body["errors"].size(), 1u);
  EXPECT_EQ(body["errors"][0]["offset"], 1);
  EXPECT_EQ(body["after"], nullptr);
  EXPECT_EQ(source.asked_id, "a-1");
  EXPECT_EQ(source.asked_account, "acme");
  EXPECT_EQ(queued("acme", 1), std::vector<std::string>{kDeadJob});
}

TEST_F(DeadOverHttp, AKeptDeadJobIsRetriedAndALiveOneLeftAlone) {
  die("acme", kDeadJob, "discarded");
  ShownJob kept;
  kept.state = JobState::kDead;
  source.match.jobs = {kept};
  EXPECT_EQ(body_of(post(kResend, R"({"reason":"discarded"})"))["sent"], 1);
  EXPECT_EQ(queued("acme", 1), std::vector<std::string>{R"({"op":"retry","id":"a-1"})"});
  source.match.jobs[0].state = JobState::kRunning;
  EXPECT_EQ(body_of(post(kResend, R"({"reason":["discarded"]})"))["already"], 1);
}

TEST_F(DeadOverHttp, AJobThatAnotherWorkerMayHaveIsRetriedAndSent) {
  die("acme", kDeadJob, "discarded");
  source.match.not_here = {1};
  EXPECT_EQ(body_of(post(kResend, "{}"))["sent"], 1);
  EXPECT_EQ(queued("acme", 2),
            (std::vector<std::string>{R"({"op":"retry","id":"a-1"})", kDeadJob}));
}

TEST_F(DeadOverHttp, ADryRunOnlyCounts) {
  die("acme", kDeadJob, "discarded");
  const auto result = post(kResend, R"({"dry_run":true,"limit":5,"from":0})");
  ASSERT_EQ(result->status, 200) << result->body;
  EXPECT_EQ(body_of(result)["sent"], 1);
  EXPECT_EQ(body_of(result)["dry_run"], true);
  EXPECT_EQ(embedded_->offsets_at("penstock.mail", Time{})->at(partition_of("acme", 2)).bounds.end,
            Offset{0});
}

TEST_F(DeadOverHttp, NothingIsSentWhereItIsNotClearWhetherItIsADryRun) {
  die("acme", kDeadJob, "discarded");
  for (const char* const value : {R"("true")", R"("yes")", "1", "null"}) {
    const std::string body = std::string(R"({"dry_run":)") + value + "}";
    EXPECT_EQ(problem_of(post(kResend, body), 422)["member"], "/dry_run") << value;
  }
  EXPECT_EQ(embedded_->offsets_at("penstock.mail", Time{})->at(partition_of("acme", 2)).bounds.end,
            Offset{0});
}

TEST_F(DeadOverHttp, ALogThatDoesNotKnowTheTopicIsUnavailable) {
  TemporaryDirectory empty;
  const auto other = open_embedded(empty.path());
  ASSERT_TRUE(other);
  log = other->get();
  EXPECT_THAT(problem_of(get(kDead), 503)["detail"].get<std::string>(), HasSubstr("mail.dead"));
  EXPECT_THAT(problem_of(post(kResend, ""), 503)["detail"].get<std::string>(), HasSubstr("mail"));
  server.reset();
}

}  // namespace
}  // namespace penstock
