// The jobs commands against a worker's HTTP interface played by a server in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/worker_client.h"
#include "tests/cli/program_run.h"
#include "tests/cli/temporary_file.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

ordered_json job(const std::string& id, const std::string& account, const std::string& state) {
  return {{"id", id},       {"queue", "mail"}, {"type", "send"},     {"account", account},
          {"state", state}, {"attempt", 2},    {"max_attempts", 25}, {"why", "waits for its turn"}};
}

// Answers every request with `answer` and keeps what was asked.
class FakeWorker {
 public:
  using Answer = std::function<void(const httplib::Request&, httplib::Response&)>;

  explicit FakeWorker(Answer answer) {
    server_.Get(".*", [this, answer](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      answer(request, response);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~FakeWorker() { server_.stop(); }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<httplib::Request> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  httplib::Server server_;
  std::mutex mutex_;
  std::vector<httplib::Request> requests_;
  int port_ = 0;
  std::jthread thread_;
};

FakeWorker::Answer always(int status, const ordered_json& body) {
  return [=](const httplib::Request&, httplib::Response& response) {
    response.status = status;
    response.set_content(body.dump(), "application/json");
  };
}

// Three jobs in pages of two.
void answer_pages(const httplib::Request& request, httplib::Response& response) {
  ordered_json body;
  if (request.get_param_value("after").empty()) {
    body["jobs"] = {job("a", "acme", "ready"), job("b", "acme", "dead")};
    body["after"] = "page/2";
  } else {
    body["jobs"] = ordered_json::array({job("c", "globex", "running")});
    body["after"] = nullptr;
  }
  response.set_content(body.dump(), "application/json");
}

Printed jobs(Stage& stage, const FakeWorker& worker, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--brokers", "b:1", "jobs"});
  arguments.insert(arguments.end(), {"--queue", "mail", "--http", worker.address()});
  return stage.run(std::move(arguments));
}

std::vector<std::string> names_of(const SentCommands& commands) {
  std::vector<std::string> names;
  for (const JobCommand& command : commands.sent) {
    names.push_back(command.op + " " + command.queue + " " + command.account + " " + command.id);
  }
  return names;
}

TEST(JobsList, FollowsThePagesAndPrintsALineAJob) {
  FakeWorker worker(answer_pages);
  Stage stage;
  const Printed printed = jobs(stage, worker, {"list"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out,
            "a\tsend\tacme\tready\t2/25\t\twaits for its turn\n"
            "b\tsend\tacme\tdead\t2/25\t\twaits for its turn\n"
            "c\tsend\tglobex\trunning\t2/25\t\twaits for its turn\n");
  ASSERT_EQ(worker.requests().size(), 2u);
  EXPECT_EQ(worker.requests()[0].path, "/v1/queues/mail/jobs");
  EXPECT_EQ(worker.requests()[1].get_param_value("after"), "page/2");
}

TEST(JobsList, JsonHasTheContractsMembersInOrder) {
  FakeWorker worker(always(200, {{"jobs", {job("a", "acme", "ready")}}}));
  Stage stage;
  EXPECT_EQ(
      jobs(stage, worker, {"list", "--json"}).out,
      R"({"id":"a","queue":"mail","type":"send","account":"acme","state":"ready","attempt":2,)"
      R"("max_attempts":25,"run_at":null,"created":null,"started":null,"reason":null,)"
      R"("why":"waits for its turn"})"
      "\n");
}

TEST(JobsList, HandsTheFiltersOn) {
  FakeWorker worker(always(200, {{"jobs", ordered_json::array()}}));
  Stage stage;
  const Printed printed =
      jobs(stage, worker, {"list", "--state", "dead", "--type", "a:b", "--account", "ä&b=c"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  const httplib::Request request = worker.requests().at(0);
  EXPECT_EQ(request.get_param_value("state"), "dead");
  EXPECT_EQ(request.get_param_value("type"), "a:b");
  EXPECT_EQ(request.get_param_value("account"), "ä&b=c");
  EXPECT_EQ(request.get_param_value("limit"), "100");
}

TEST(JobsList, ChoosesTheChunksOfABulk) {
  FakeWorker worker(always(200, {{"jobs", ordered_json::array()}}));
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"list", "--bulk", "spring/1"}).status, 0);
  EXPECT_EQ(worker.requests().at(0).get_param_value("bulk"), "spring/1");
}

TEST(Bulks, PrintsALineABulk) {
  FakeWorker worker(always(200, {{"bulks",
                                  {{{"id", "spring"},
                                    {"account", "acme"},
                                    {"size", 10},
                                    {"succeeded", 3},
                                    {"dead", 1},
                                    {"running", 2},
                                    {"waiting", 4},
                                    {"estimated_end", "2026-01-01T00:00:00Z"}}}}}));
  Stage stage;
  const Printed printed = stage.run({"--brokers", "b:1", "bulks", "--queue", "mail", "--account",
                                     "acme", "--http", worker.address()});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out, "spring\tacme\t4/10\t2\t4\t1\t\t\t2026-01-01T00:00:00Z\n");
  EXPECT_EQ(worker.requests().at(0).path, "/v1/queues/mail/bulks");
  EXPECT_EQ(worker.requests().at(0).get_param_value("account"), "acme");
}

// A worker that has read two of the bulk's chunks, of which one runs and one has ended.
void answer_bulk(const httplib::Request& request, httplib::Response& response) {
  ordered_json body;
  if (request.path.ends_with("/bulks")) {
    const auto bulk = [](const char* id) {
      return ordered_json{{"id", id}, {"account", "acme"}, {"size", 4}, {"admitted", 2}};
    };
    body["bulks"] = {bulk("spring"), bulk("summer")};
  } else {
    body["jobs"] = ordered_json::array({job("spring/1", "acme", "running")});
  }
  body["after"] = nullptr;
  response.set_content(body.dump(), "application/json");
}

TEST(JobsCancel, ReachesTheChunksOfABulkThatHaveNotBeenReadYet) {
  FakeWorker worker(answer_bulk);
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"cancel", "--bulk", "spring"}).status, 0);
  EXPECT_THAT(names_of(stage.commands),
              testing::ElementsAre("cancel mail acme spring/1", "cancel mail acme spring/0",
                                   "cancel mail acme spring/2", "cancel mail acme spring/3"));
}

TEST(JobsCancel, WithAStateItReachesThoseInThatStateAlone) {
  FakeWorker worker(answer_bulk);
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"cancel", "--bulk", "spring", "--state", "running"}).status, 0);
  EXPECT_THAT(names_of(stage.commands), testing::ElementsAre("cancel mail acme spring/1"));
}

TEST(JobsList, SaysWhenThereAreMoreThanTheLimit) {
  FakeWorker worker(answer_pages);
  Stage stage;
  const Printed printed = jobs(stage, worker, {"list", "--limit", "2"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_EQ(printed.err, "There are more: give a greater --limit.\n");
  EXPECT_EQ(worker.requests().at(0).get_param_value("limit"), "2");
}

TEST(JobsList, SendsTheToken) {
  const TemporaryFile token("secret\n");
  const TemporaryFile config(R"({"http": {"token_file": ")" + token.path() + "\"}}");
  FakeWorker worker(always(200, {{"jobs", ordered_json::array()}}));
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"list", "--config", config.path()}).status, 0);
  EXPECT_EQ(worker.requests().at(0).get_header_value("Authorization"), "Bearer secret");
}

TEST(JobsList, AsksTheConfigsListenAddressByDefault) {
  FakeWorker worker(always(200, {{"jobs", ordered_json::array()}}));
  const TemporaryFile config(R"({"http": {"listen": ")" + worker.address() + "\"}}");
  EXPECT_EQ(Stage().run({"--config", config.path(), "jobs", "list", "--queue", "mail"}).status, 0);
  EXPECT_EQ(worker.requests().size(), 1u);
}

TEST(JobsList, FailuresSayWhatTheWorkerSaid) {
  const std::vector<std::pair<FakeWorker::Answer, std::string>> table{
      {always(422, {{"title", "bad"}, {"detail", "there is no queue \"mail\""}}),
       "answered 422: there is no queue \"mail\"\n"},
      {always(500, {{"title", "Out of order"}}), "answered 500: Out of order\n"},
      {always(401, nullptr),
       "answered 401: it wants a token: set /http/token_file in the config file\n"},
      {always(200, {{"jobs", 7}}),
       "is no Penstock worker of this version: name one with --http "
       "HOST:PORT\n"},
      {always(200, {{"jobs", {{{"id", 7}}}}}),
       "is no Penstock worker of this version: name one with "
       "--http HOST:PORT\n"},
      {[](const auto&, httplib::Response& response) {
         response.set_content("<html>", "text/html");
       },
       "is no Penstock worker of this version: name one with --http HOST:PORT\n"},
  };
  for (const auto& [answer, message] : table) {
    FakeWorker worker(answer);
    Stage stage;
    const Printed printed = jobs(stage, worker, {"list"});
    EXPECT_EQ(printed.status, 1);
    EXPECT_THAT(printed.err, testing::EndsWith(message));
  }
}

TEST(JobsList, AWorkerThatIsAwayIsNamedWithTheWayOut) {
  std::string address;
  { address = FakeWorker(always(200, nullptr)).address(); }
  const Printed printed = Stage().run({"jobs", "list", "--queue", "mail", "--http", address});
  EXPECT_EQ(printed.status, 1);
  EXPECT_THAT(printed.err, HasSubstr("no answer from a worker at " + address));
  EXPECT_THAT(printed.err, HasSubstr("start `penstock work`, or name a running one with --http"));
}

TEST(JobsShow, PrintsEveryMember) {
  FakeWorker worker(always(200, job("a\x1b", "acme", "ready")));
  Stage stage;
  const Printed printed = jobs(stage, worker, {"show", "a/b c"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out,
            "id:           a\\x1b\nqueue:        mail\ntype:         send\naccount:      acme\n"
            "state:        ready\nattempt:      2\nmax_attempts: 25\nwhy:          waits for its "
            "turn\n");
  EXPECT_EQ(worker.requests().at(0).target, "/v1/queues/mail/jobs/a%2Fb%20c");
}

TEST(JobsShow, SaysHowFarTheJobIs) {
  ordered_json running = job("a", "acme", "running");
  running["progress"] = {{"n", 3}, {"total", 10}};
  FakeWorker worker(always(200, running));
  Stage stage;
  EXPECT_NE(jobs(stage, worker, {"show", "a"}).out.find("progress:     3 of 10\n"),
            std::string::npos);
  EXPECT_NE(
      jobs(stage, worker, {"show", "a", "--json"}).out.find(R"("progress":{"n":3,"total":10})"),
      std::string::npos);
}

TEST(JobsShow, AnIdUnderSeveralAccountsAsksForTheAccount) {
  for (const int status : {300, 409}) {
    FakeWorker worker(always(status, {{"accounts", {"acme", "globex"}}}));
    Stage stage;
    const Printed printed = jobs(stage, worker, {"show", "a"});
    EXPECT_EQ(printed.status, 1);
    EXPECT_EQ(
        printed.err,
        "penstock: job \"a\" exists under several accounts: \"acme\", \"globex\"; name one with "
        "--account\n");
  }
}

TEST(JobsShow, SaysWhenThereIsNoSuchJob) {
  FakeWorker worker(always(404, {{"title", "Not Found"}}));
  Stage stage;
  const Printed printed = jobs(stage, worker, {"show", "a", "--account", "acme"});
  EXPECT_EQ(printed.status, 3);
  EXPECT_EQ(printed.err,
            "penstock: there is no job \"a\" of account \"acme\" in queue \"mail\" (or it ended "
            "and is no "
            "longer kept)\n");
  EXPECT_EQ(worker.requests().at(0).get_param_value("account"), "acme");
}

TEST(JobsShow, AJobThatAnotherWorkerMayHaveIsNotSaidToBeNone) {
  FakeWorker worker(always(
      404, {{"detail", "ask the others"}, {"member", "id"}, {"partitions_not_here", {3, 4}}}));
  Stage stage;
  const Printed printed = jobs(stage, worker, {"show", "a"});
  EXPECT_EQ(printed.status, 1);
  EXPECT_EQ(printed.err, "penstock: there is no job \"a\" in what was asked: the worker at " +
                             worker.address() +
                             " does not hold partitions 3, 4 of queue \"mail\"; ask the one that "
                             "does, with --http HOST:PORT\n");
}

TEST(JobsShow, AnUnknownQueueIsNoUnknownJob) {
  FakeWorker worker(always(
      404, {{"detail", "this worker does not work on a queue \"mail\""}, {"member", "queue"}}));
  Stage stage;
  const Printed printed = jobs(stage, worker, {"show", "a"});
  EXPECT_EQ(printed.status, 3);
  EXPECT_THAT(printed.err,
              testing::EndsWith("answered 404: this worker does not work on a queue \"mail\"\n"));
}

// Two jobs in pages of one; the worker loses a partition between them.
void answer_in_part(const httplib::Request& request, httplib::Response& response) {
  const bool first = request.get_param_value("after").empty();
  ordered_json body;
  body[request.path.ends_with("/bulks") ? "bulks" : "jobs"] =
      ordered_json::array({job(first ? "a" : "b", "acme", "dead")});
  body["after"] = first ? ordered_json("next") : ordered_json();
  body["partitions_not_here"] = first ? ordered_json{7} : ordered_json{2, 7};
  response.set_content(body.dump(), "application/json");
}

TEST(JobsList, SaysWhatTheWorkerDoesNotHold) {
  FakeWorker worker(answer_in_part);
  Stage stage;
  const Printed printed = jobs(stage, worker, {"list"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_EQ(printed.err, "This is not all: the worker at " + worker.address() +
                             " does not hold partitions 2, 7 of queue \"mail\"; ask the others, "
                             "with --http HOST:PORT.\n");
}

TEST(Bulks, SaysWhatTheWorkerDoesNotHold) {
  FakeWorker worker(answer_in_part);
  Stage stage;
  const Printed printed = stage.run({"bulks", "--queue", "mail", "--http", worker.address()});
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.err, HasSubstr("does not hold partitions 2, 7 of queue \"mail\""));
}

TEST(JobsRetry, JobsThatOneWorkerDoesNotHoldFailItAfterWhatItCouldDo) {
  for (const char* filter : {"--type", "--bulk", "--account"}) {
    FakeWorker worker(answer_in_part);
    Stage stage;
    const Printed printed = jobs(stage, worker, {"retry", filter, "acme"});
    EXPECT_EQ(printed.status, 1);
    EXPECT_THAT(names_of(stage.commands),
                testing::ElementsAre("retry mail acme a", "retry mail acme b"));
    EXPECT_EQ(printed.err,
              "Asked to retry 2 jobs.\npenstock: the worker at " + worker.address() +
                  " does not hold partitions 2, 7 of queue \"mail\": jobs there were not reached; "
                  "run the same again for each worker that does, with --http HOST:PORT\n");
  }
}

TEST(JobsCancel, WithIdAndAccountNeedsNoWorker) {
  Stage stage;
  const Printed printed = stage.run({"--brokers", "b:1", "jobs", "cancel", "a/1", "--account",
                                     "acme", "--queue", "mail", "--http", "127.0.0.1:1"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out, "acme\ta/1\n");
  EXPECT_EQ(printed.err, "Asked to cancel 1 job.\n");
  EXPECT_THAT(names_of(stage.commands), testing::ElementsAre("cancel mail acme a/1"));
  EXPECT_EQ(stage.commands.finished, 1u);
}

TEST(JobsCancel, AnIdAloneIsLookedUpForItsAccount) {
  FakeWorker worker(always(200, job("a", "acme", "ready")));
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"cancel", "a"}).status, 0);
  EXPECT_THAT(names_of(stage.commands), testing::ElementsAre("cancel mail acme a"));
}

TEST(JobsCancel, AnIdAloneChangesNothingWhileAnotherAccountMayHaveIt) {
  ordered_json found = job("a", "acme", "ready");
  found["partitions_not_here"] = {3, 4};
  FakeWorker worker(always(200, found));
  for (const char* const op : {"cancel", "retry", "delete"}) {
    Stage stage;
    const Printed printed = jobs(stage, worker, {op, "a"});
    EXPECT_EQ(printed.status, 1) << op;
    EXPECT_THAT(printed.err, HasSubstr("another account may have one too"));
    EXPECT_THAT(printed.err, HasSubstr("does not hold partitions 3, 4 of queue \"mail\""));
    EXPECT_THAT(printed.err, HasSubstr("name the account with --account"));
    EXPECT_TRUE(stage.commands.sent.empty()) << op;
  }
}

TEST(JobsShow, SaysThatAnotherAccountMayHaveTheIdToo) {
  ordered_json found = job("a", "acme", "ready");
  found["partitions_not_here"] = {3};
  FakeWorker worker(always(200, found));
  Stage stage;
  const Printed printed = jobs(stage, worker, {"show", "a"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.err, HasSubstr("Another account may have a job of this ID too"));
}

TEST(JobsCommands, WhatIsNotFoundEndsWithStatusThree) {
  FakeWorker none(always(404, {{"title", "Not Found"}}));
  FakeWorker no_queue(always(404, {{"detail", "no such queue"}, {"member", "queue"}}));
  for (const char* const op : {"show", "cancel", "retry", "delete"}) {
    Stage stage;
    EXPECT_EQ(jobs(stage, none, {op, "a"}).status, 3) << op;
    EXPECT_EQ(jobs(stage, no_queue, {op, "a"}).status, 3) << op;
  }
  Stage stage;
  EXPECT_EQ(jobs(stage, no_queue, {"list"}).status, 3);
  EXPECT_EQ(jobs(stage, no_queue, {"cancel", "--type", "t"}).status, 3);
  EXPECT_EQ(stage.run({"bulks", "--queue", "mail", "--http", no_queue.address()}).status, 3);
}

TEST(JobsCancel, AnAmbiguousIdCancelsNothing) {
  FakeWorker worker(always(409, {{"accounts", {"acme", "globex"}}}));
  Stage stage;
  const Printed printed = jobs(stage, worker, {"cancel", "a"});
  EXPECT_EQ(printed.status, 1);
  EXPECT_THAT(printed.err, HasSubstr("name one with --account"));
  EXPECT_TRUE(stage.commands.sent.empty());
}

TEST(JobsCancel, FiltersChooseTheLiveJobsOfEveryPage) {
  FakeWorker worker(answer_pages);
  Stage stage;
  const Printed printed = jobs(stage, worker, {"cancel", "--type", "send"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(names_of(stage.commands),
              testing::ElementsAre("cancel mail acme a", "cancel mail globex c"));
  EXPECT_EQ(printed.out, "acme\ta\nglobex\tc\n");
  EXPECT_EQ(printed.err, "Asked to cancel 2 jobs.\n");
}

TEST(JobsCancel, DryRunOnlyLists) {
  FakeWorker worker(answer_pages);
  Stage stage;
  const Printed printed = jobs(stage, worker, {"cancel", "--type", "send", "--dry-run", "--json"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_TRUE(stage.commands.sent.empty());
  EXPECT_EQ(printed.out,
            R"({"op":"cancel","id":"a","queue":"mail","account":"acme","dry_run":true})"
            "\n"
            R"({"op":"cancel","id":"c","queue":"mail","account":"globex","dry_run":true})"
            "\n");
  EXPECT_EQ(printed.err, "Would cancel 2 jobs.\n");
}

TEST(JobsCancel, AFailureSaysHowFarItCame) {
  FakeWorker worker(answer_pages);
  Stage stage;
  stage.commands.refuse_after = 1;
  const Printed printed = jobs(stage, worker, {"cancel", "--type", "send"});
  EXPECT_EQ(printed.status, 1);
  EXPECT_EQ(printed.out, "acme\ta\n");
  EXPECT_EQ(printed.err, "Asked to cancel 1 job.\npenstock: the broker is away\n");
}

TEST(JobsRetry, FiltersChooseDeadJobsUnlessAStateIsNamed) {
  FakeWorker worker(always(200, {{"jobs", {job("b", "acme", "dead")}}}));
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"retry", "--account", "acme"}).status, 0);
  EXPECT_EQ(jobs(stage, worker, {"retry", "--state", "cancelled"}).status, 0);
  EXPECT_EQ(worker.requests().at(0).get_param_value("state"), "dead");
  EXPECT_EQ(worker.requests().at(1).get_param_value("state"), "cancelled");
  EXPECT_THAT(names_of(stage.commands),
              testing::ElementsAre("retry mail acme b", "retry mail acme b"));
}

TEST(JobsDelete, WithIdAndAccountNeedsNoWorker) {
  Stage stage;
  const Printed printed = stage.run(
      {"--brokers", "b:1", "jobs", "delete", "a/1", "--account", "acme", "--queue", "mail"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.err, "Asked to delete 1 job.\n");
  EXPECT_THAT(names_of(stage.commands), testing::ElementsAre("delete mail acme a/1"));
}

TEST(JobsDelete, FiltersChooseLiveJobsAndKeptOnes) {
  FakeWorker worker(
      always(200, {{"jobs", {job("a", "acme", "waiting"), job("b", "acme", "dead")}}}));
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"delete", "--account", "acme"}).status, 0);
  EXPECT_EQ(jobs(stage, worker, {"delete", "--state", "dead", "--dry-run"}).err,
            "Would delete 2 jobs.\n");
  EXPECT_FALSE(worker.requests().at(0).has_param("state"));
  EXPECT_EQ(worker.requests().at(1).get_param_value("state"), "dead");
  EXPECT_THAT(names_of(stage.commands),
              testing::ElementsAre("delete mail acme a", "delete mail acme b"));
}

TEST(BulkSize, IsThatOfTheAccountsBulkOfThisId) {
  FakeWorker worker(answer_bulk);
  auto client = worker_client({}, worker.address());
  ASSERT_TRUE(client);
  EXPECT_EQ(client->bulk_size("mail", "acme", "summer").value(), 4u);
  EXPECT_EQ(client->bulk_size("mail", "acme", "autumn").value(), std::nullopt);
  EXPECT_EQ(client->bulk_size("mail", "globex", "summer").value(), std::nullopt);
  EXPECT_EQ(worker.requests().at(0).get_param_value("account"), "acme");
}

TEST(BulkSize, IsUnknownWhereAnotherWorkerHoldsTheAccount) {
  FakeWorker worker(always(200, {{"bulks", ordered_json::array()}, {"partitions_not_here", {5}}}));
  const auto size = worker_client({}, worker.address())->bulk_size("mail", "acme", "summer");
  ASSERT_FALSE(size);
  EXPECT_THAT(size.error().message, HasSubstr("does not hold partition 5"));
  EXPECT_THAT(size.error().message, HasSubstr("--http HOST:PORT"));
}

TEST(JobCommandRecord, IsAJsonObject) {
  EXPECT_EQ(record_of({"cancel", "mail", "acme", "a\"b"}), R"({"op":"cancel","id":"a\"b"})");
}

TEST(WorkerAddress, PortZeroIsNoAddressToAsk) {
  Config config;
  config.http.listen = "127.0.0.1:0";
  EXPECT_THAT(worker_client(config, "").error().message,
              HasSubstr("name it with --http HOST:PORT"));
  EXPECT_TRUE(worker_client(config, "http://127.0.0.1:80/"));
}

}  // namespace
}  // namespace penstock
