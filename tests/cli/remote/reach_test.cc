// Commands that go through a worker because no brokers are given, as on `penstock dev`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "cli/remote/json_text.h"
#include "cli/remote/worker_address.h"
#include "tests/cli/fake_worker.h"
#include "tests/cli/temporary_file.h"

namespace penstock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Without the question whether a worker is there.
std::vector<std::string> asked(FakeWorker& worker) {
  std::vector<std::string> lines;
  for (const httplib::Request& request : worker.requests()) {
    if (request.path == "/healthz") continue;
    lines.push_back(request.method + " " + request.target +
                    (request.body.empty() ? "" : " " + request.body));
  }
  return lines;
}

Printed through(FakeWorker& worker, std::vector<std::string> arguments) {
  Stage stage;
  arguments.insert(arguments.end(), {"--http", worker.address()});
  return stage.run(std::move(arguments));
}

TEST(Reach, WithoutBrokersOrAWorkerBothAreNamed) {
  const Printed printed = Stage().run({"pauses", "--http", "127.0.0.1:1"});
  EXPECT_EQ(printed.status, 2);
  EXPECT_THAT(printed.err, HasSubstr("no brokers are given: use --brokers"));
  EXPECT_THAT(printed.err, HasSubstr("no answer from a worker at 127.0.0.1:1"));
}

TEST(Reach, BrokersComeFirstUnlessTheUserSaysOtherwise) {
  FakeWorker worker(always(202, {{"id", "a"}}));
  Stage stage;
  const std::vector<std::string> command{"--brokers", "b:1",       "jobs",          "cancel",
                                         "a",         "--account", "acme",          "--queue",
                                         "mail",      "--http",    worker.address()};
  EXPECT_EQ(stage.run(command).status, 0);
  EXPECT_EQ(stage.commands.sent.size(), 1u);
  EXPECT_TRUE(worker.requests().empty());
}

TEST(Reach, ACommandForAJobGoesThroughTheWorker) {
  FakeWorker worker([](const httplib::Request& request, httplib::Response& response) {
    const bool changes = request.method != "GET";
    response.status = changes ? 202 : 200;
    response.set_content(job("a/b", "acme", "ready").dump(), "application/json");
  });
  for (const char* const op : {"cancel", "retry", "delete"}) {
    const Printed printed =
        through(worker, {"jobs", op, "a/b", "--account", "acme", "--queue", "mail"});
    EXPECT_EQ(printed.status, 0) << printed.err;
    EXPECT_EQ(printed.out, "acme\ta/b\n");
  }
  EXPECT_EQ(through(worker, {"jobs", "reschedule", "a/b", "--account", "acme", "--queue", "mail",
                             "--run-at", "7"})
                .status,
            0);
  std::vector<std::string> changes = asked(worker);
  std::erase_if(changes, [](const std::string& line) { return line.starts_with("GET"); });
  EXPECT_THAT(changes, ElementsAre("POST /v1/queues/mail/jobs/a%2Fb/cancel?account=acme",
                                   "POST /v1/queues/mail/jobs/a%2Fb/retry?account=acme",
                                   "DELETE /v1/queues/mail/jobs/a%2Fb?account=acme",
                                   "POST /v1/queues/mail/jobs/a%2Fb/reschedule?account=acme "
                                   R"({"run_at":7})"));
}

TEST(Reach, PausesAndLimitsAreSetThroughTheWorker) {
  FakeWorker worker([](const httplib::Request& request, httplib::Response& response) {
    ordered_json body{{"set", {{"slots", 3}}}};
    if (request.path == "/v1/limits") {
      body["limits"] = {{{"name", "x/acme"},
                         {"shared", nullptr},
                         {"configured", nullptr},
                         {"set", {{"rate", "5/s"}, {"burst", 2}}},
                         {"used", 1},
                         {"waiting", 9}}};
    }
    if (request.path == "/v1/pauses") {
      body["pauses"] = {{{"queue", "mail"},
                         {"type", nullptr},
                         {"account", "acme"},
                         {"since", "2026-01-01T00:00:00Z"},
                         {"by", "me"}}};
    }
    response.set_content(body.dump(), "application/json");
  });
  EXPECT_EQ(through(worker, {"limits", "list"}).out, "x/acme\t-\t-\t5/s (burst 2)\t1\t9\n");
  EXPECT_EQ(through(worker, {"limits", "set", "x/acme", "3"}).err,
            "Set \"x/acme\" to 3 slots; the previous override was 5/s (burst 2).\n");
  EXPECT_EQ(through(worker, {"limits", "reset", "x/acme"}).status, 0);
  EXPECT_EQ(through(worker, {"pauses"}).out, "mail\t-\tacme\t2026-01-01T00:00:00Z\tme\n");
  EXPECT_EQ(through(worker, {"pause", "mail/send"}).err, "Paused mail/send.\n");
  EXPECT_EQ(through(worker, {"resume", "mail", "--account", "acme"}).status, 0);
  const auto lines = asked(worker);
  EXPECT_THAT(lines, testing::Contains(R"(PUT /v1/limits/x%2Facme {"slots":3})"));
  EXPECT_THAT(lines, testing::Contains("DELETE /v1/limits/x%2Facme"));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("POST /v1/queues/mail/pause?type=send&by=")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("POST /v1/queues/mail/resume?account=acme&by=")));
}

TEST(Reach, JobsAreEnqueuedThroughTheWorker) {
  FakeWorker worker([](const httplib::Request& request, httplib::Response& response) {
    if (request.method == "GET") {
      response.set_content(R"({"queue":"mail","partitions":4})", "application/json");
      return;
    }
    response.status = 202;
    std::string body;
    for (std::size_t at = 0, end = 0; (end = request.body.find('\n', at)) != std::string::npos;
         at = end + 1) {
      const auto line = ordered_json::parse(request.body.substr(at, end - at));
      const ordered_json answer =
          line["account"] == "bad"
              ? ordered_json{{"errors", {{{"index", 0}, {"member", ""}, {"detail", "no room"}}}}}
              : ordered_json{{"id", line["id"]},
                             {"account", line["account"]},
                             {"partition", 2},
                             {"offset", 7}};
      body += answer.dump() + "\n";
    }
    response.set_content(body, "application/x-ndjson");
  });
  const Printed one = through(worker, {"--json", "enqueue", "--queue", "mail", "--type", "t",
                                       "--account", "a\"c", "--id", "i", "--args", "{\"n\":1.0}"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, R"({"id":"i","queue":"mail","account":"a\"c","partition":2,"offset":7})"
                     "\n");
  EXPECT_THAT(
      asked(worker),
      testing::Contains(
          R"(POST /v1/queues/mail/jobs {"account":"a\"c","type":"t","id":"i","args":{"n":1.0}})"
          "\n"));
  const TemporaryFile lines(
      "{\"account\":\"good\",\"type\":\"t\",\"id\":\"1\"}\n"
      "{\"account\":\"bad\",\"type\":\"t\",\"id\":\"2\"}\n");
  const Printed many = through(worker, {"enqueue", "--queue", "mail", "--from", lines.path()});
  EXPECT_EQ(many.status, 1);
  EXPECT_THAT(many.err, HasSubstr("Enqueued 1 job to mail."));
  EXPECT_THAT(many.err, HasSubstr("line 2: "));
  EXPECT_THAT(many.err, HasSubstr("no room"));
}

TEST(Reach, HeadersNeedKafka) {
  FakeWorker worker(always(200, {{"partitions", 1}}));
  const Printed printed = through(worker, {"enqueue", "--queue", "mail", "--type", "t", "--account",
                                           "a", "--header", "traceparent=x"});
  EXPECT_EQ(printed.status, 2);
  EXPECT_THAT(printed.err, HasSubstr("headers cannot be sent through a worker"));
}

TEST(Reach, ReplaysGoThroughTheWorker) {
  FakeWorker worker([](const httplib::Request& request, httplib::Response& response) {
    const ordered_json replay{{"id", "again"},          {"queue", "mail"},
                              {"state", "finished"},    {"records", 5},
                              {"scanned", 5},           {"admitted", 3},
                              {"ended", {{"dead", 1}}}, {"partitions", ordered_json::array()}};
    ordered_json body = replay;
    if (request.path == "/v1/queues") body = {{"queues", {{{"queue", "mail"}}}}};
    if (request.path.ends_with("/replays") && request.method == "GET")
      body = {{"replays", {replay}}};
    if (request.method == "POST" && request.path.ends_with("/replays")) response.status = 201;
    response.set_content(body.dump(), "application/json");
  });
  EXPECT_THAT(through(worker, {"replay", "list"}).out,
              HasSubstr("mail\tagain\tfinished\t\t5\t0\t3\t1"));
  EXPECT_EQ(through(worker, {"replay", "pause", "again"}).status, 0);
  EXPECT_EQ(through(worker, {"replay", "delete", "again", "--queue", "mail"}).status, 0);
  EXPECT_EQ(through(worker, {"replay", "show", "never"}).status, 3);
  const Printed started =
      through(worker, {"replay", "start", "--queue", "mail", "--id", "again", "--account", "acme"});
  EXPECT_EQ(started.status, 0) << started.err;
  EXPECT_THAT(started.err, HasSubstr("Started the replay \"again\", which reads 5 records."));
  const auto lines = asked(worker);
  EXPECT_THAT(lines, testing::Contains(HasSubstr("POST /v1/queues/mail/replays/again/pause?by=")));
  EXPECT_THAT(lines, testing::Contains("DELETE /v1/queues/mail/replays/again"));
  EXPECT_THAT(lines, testing::Contains(HasSubstr(R"("accounts":["acme"])")));
}

TEST(Reach, DeadRecordsAreListedAndSentBackThroughTheWorker) {
  FakeWorker worker([](const httplib::Request& request, httplib::Response& response) {
    ordered_json body{{"listed", 2}, {"sent", 1}, {"already", 1}, {"left_out", 0}};
    body["failed"] = ordered_json::object();
    const bool first = request.body.find("after") == std::string::npos;
    body["after"] = first ? ordered_json("p2") : ordered_json();
    if (request.method == "GET") {
      body = {{"dead",
               {{{"partition", 1},
                 {"offset", 9},
                 {"at", "2026-01-01T00:00:00Z"},
                 {"reason", "bad_json"},
                 {"attempts", 0},
                 {"account_hex", "ff61"},
                 {"bytes", 2},
                 {"value_hex", "fe7b"}}}},
              {"after", nullptr}};
    }
    response.set_content(body.dump(), "application/json");
  });
  EXPECT_EQ(through(worker, {"dead", "list", "--queue", "mail", "--reason", "bad_json"}).out,
            "2026-01-01T00:00:00Z\tbad_json\t-\t\\xffa\t-\t0\t2\t1/9\t-\n  \\xfe{\n");
  const Printed sent = through(worker, {"dead", "resend", "--queue", "mail", "--account", "acme"});
  EXPECT_EQ(sent.status, 0) << sent.err;
  EXPECT_THAT(sent.err, HasSubstr("Sent 2 of 4 dead records; 2 not needed"));
  EXPECT_THAT(
      asked(worker),
      testing::Contains(R"(POST /v1/queues/mail/dead/resend {"account":"acme","after":"p2"})"));
}

TEST(Reach, TopicsOfAWorkerThatRunsNeedNothing) {
  FakeWorker worker(always(200, {{"queues", {{{"queue", "mail"}, {"partitions", 12}}}}}));
  EXPECT_THAT(through(worker, {"topics", "create"}).err, HasSubstr("nothing to do"));
  EXPECT_EQ(through(worker, {"topics", "describe"}).out, "mail\t12\t-\n");
}

TEST(Reach, WhatAWorkerDoesNotKnowIsNotFound) {
  FakeWorker worker(
      always(404, {{"detail", "this worker has no queue \"x\""}, {"member", "queue"}}));
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"queues", "x"},
           {"accounts", "top", "--queue", "x"},
           {"topics", "describe", "x"},
           {"pause", "x"},
           {"replay", "show", "r", "--queue", "x"},
           {"dead", "list", "--queue", "x"},
           {"dead", "resend", "--queue", "x"},
           {"jobs", "cancel", "i", "--queue", "x", "--account", "a"},
           {"jobs", "list", "--queue", "x"},
           {"bulks", "--queue", "x"}}) {
    EXPECT_EQ(through(worker, command).status, 3) << command[0];
  }
}

class WorkerEnvironment : public testing::Test {
 protected:
  ~WorkerEnvironment() override {
    unsetenv("PENSTOCK_HTTP");
    unsetenv("PENSTOCK_TOKEN");
  }
};

TEST_F(WorkerEnvironment, NamesTheWorkerAndTheToken) {
  FakeWorker worker(always(200, {{"queues", ordered_json::array()}}));
  const TemporaryFile token("of the file\n");
  const TemporaryFile config(R"({"http": {"token_file": ")" + token.path() + "\"}}");
  setenv("PENSTOCK_HTTP", ("http://" + worker.address() + "/").c_str(), 1);
  setenv("PENSTOCK_TOKEN", "of-the-variable\n", 1);
  EXPECT_EQ(Stage().run({"--config", config.path(), "queues"}).status, 0);
  EXPECT_EQ(worker.requests().at(0).get_header_value("Authorization"), "Bearer of-the-variable");
  setenv("PENSTOCK_TOKEN", "two lines\nhere", 1);
  EXPECT_EQ(Stage().run({"queues"}).status, 2);
  unsetenv("PENSTOCK_TOKEN");
  EXPECT_EQ(Stage().run({"--config", config.path(), "queues"}).status, 0);
  EXPECT_EQ(worker.requests().at(1).get_header_value("Authorization"), "Bearer of the file");
}

TEST_F(WorkerEnvironment, GivesWayToTheOption) {
  FakeWorker worker(always(200, {{"queues", ordered_json::array()}}));
  setenv("PENSTOCK_HTTP", "127.0.0.1:1", 1);
  EXPECT_EQ(through(worker, {"queues"}).status, 0);
}

TEST(WorkerAddressText, IsHostAndPortOrAUrl) {
  struct {
    const char* text;
    const char* url;
  } const table[] = {{"127.0.0.1:8080", "http://127.0.0.1:8080"},
                     {"http://a", "http://a:80"},
                     {"https://a/", "https://a:443"},
                     {"https://a:8443", "https://a:8443"},
                     {"[::1]:80", "http://[::1]:80"},
                     {"https://[::1]", "https://[::1]:443"}};
  for (const auto& [text, url] : table) {
    const auto address = parse_worker_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->url(), url);
  }
  for (const char* const bad : {"", "a", "https://a/path", "http://user@a", "ftp://a:1", "a:x"})
    EXPECT_FALSE(parse_worker_address(bad)) << bad;
}

TEST(JsonText, IsShort) {
  EXPECT_EQ(age_text(0), "-");
  EXPECT_EQ(age_text(870), "870ms");
  EXPECT_EQ(age_text(4'250), "4.2s");
  EXPECT_EQ(age_text(192'000), "3m12s");
  EXPECT_EQ(age_text(18'180'000), "5h03m");
  EXPECT_EQ(age_text(187'200'000), "2d04h");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(4.25), "4.2");
  EXPECT_EQ(short_number(9'999), "9999");
  EXPECT_EQ(short_number(12'345), "12.3k");
  EXPECT_EQ(short_number(3'400'000), "3.4M");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1'572'864), "1.5 MiB");
  EXPECT_EQ(counts_by_name({{"ready", 3}, {"limit", 12}, {"paused", 0}}), "12 limit, 3 ready");
  EXPECT_EQ(counts_by_name(nlohmann::ordered_json::object()), "-");
}

}  // namespace
}  // namespace penstock
