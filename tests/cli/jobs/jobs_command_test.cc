// The jobs commands against a worker's HTTP interface played by a server in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/remote/worker_client.h"
#include "tests/cli/fake_worker.h"
#include "tests/cli/temporary_file.h"

namespace penstock {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(printed.err, "There are more: give a larger --limit.\n");
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
       "answered 401: it wants a token: set PENSTOCK_TOKEN, or /http/token_file in the config "
       "file\n"},
      {always(200, {{"jobs", 7}}),
       "is not a Penstock worker of this version: name one with --http "
       "HOST:PORT\n"},
      {always(200, {{"jobs", {{{"id", 7}}}}}),
       "is not a Penstock worker of this version: name one with "
       "--http HOST:PORT\n"},
      {[](const auto&, httplib::Response& response) {
         response.set_content("<html>", "text/html");
       },
       "is not a Penstock worker of this version: name one with --http HOST:PORT\n"},
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
  EXPECT_EQ(printed.err,
            "This list is incomplete: the worker at " + worker.address() +
                " does not own partitions 2, 7 of queue \"mail\"; ask the other workers, "
                "with --http HOST:PORT.\n");
}

TEST(Bulks, SaysWhatTheWorkerDoesNotHold) {
  FakeWorker worker(answer_in_part);
  Stage stage;
  const Printed printed = stage.run({"bulks", "--queue", "mail", "--http", worker.address()});
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.err, HasSubstr("does not own partitions 2, 7 of queue \"mail\""));
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
                  " does not own partitions 2, 7 of queue \"mail\": jobs there were not reached; "
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
  EXPECT_EQ(printed.err,
            "Asked to cancel 1 job.\npenstock: the broker is away; to go on from there, run the "
            "same command "
            "with --after 'page/2'\n");
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
  auto client = worker_client({}, {.http = worker.address()});
  ASSERT_TRUE(client);
  EXPECT_EQ(client->bulk_size("mail", "acme", "summer").value(), 4u);
  EXPECT_EQ(client->bulk_size("mail", "acme", "autumn").value(), std::nullopt);
  EXPECT_EQ(client->bulk_size("mail", "globex", "summer").value(), std::nullopt);
  EXPECT_EQ(worker.requests().at(0).get_param_value("account"), "acme");
}

TEST(BulkSize, IsUnknownWhereAnotherWorkerHoldsTheAccount) {
  FakeWorker worker(always(200, {{"bulks", ordered_json::array()}, {"partitions_not_here", {5}}}));
  const auto size =
      worker_client({}, {.http = worker.address()})->bulk_size("mail", "acme", "summer");
  ASSERT_FALSE(size);
  EXPECT_THAT(size.error().message, HasSubstr("does not own partition 5"));
  EXPECT_THAT(size.error().message, HasSubstr("--http HOST:PORT"));
}

TEST(JobCommandRecord, IsAJsonObject) {
  EXPECT_EQ(record_of({"cancel", "mail", "acme", "a\"b"}), R"({"op":"cancel","id":"a\"b"})");
}

TEST(WorkerAddress, PortZeroIsNoAddressToAsk) {
  Config config;
  config.http.listen = "127.0.0.1:0";
  EXPECT_THAT(worker_client(config, {}).error().message,
              HasSubstr("name it with --http HOST:PORT"));
  EXPECT_TRUE(worker_client(config, {.http = "http://127.0.0.1:80/"}));
}

}  // namespace
}  // namespace penstock
