// Queues, workers and accounts, as a worker played by a server in this process tells of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/fake_worker.h"

namespace penstock {
namespace {

using testing::HasSubstr;

ordered_json mail() {
  return {{"queue", "mail"},
          {"partitions", 12},
          {"running", 3},
          {"ready_accounts", 2},
          {"jobs", 12'345},
          {"oldest_ready_ms", 61'000},
          {"phases", {{"running", 12}}},
          {"rates", {{"in", 10.5}, {"out", 9}, {"failed", 0}}},
          {"waiting", {{"scheduled", 7}, {"limit", 90}}},
          {"paused", true}};
}

Printed ask(FakeWorker& worker, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--http", worker.address()});
  return Stage().run(std::move(arguments));
}

TEST(Queues, ShowsALineAQueue) {
  FakeWorker worker(always(200, {{"queues", {mail()}}}));
  EXPECT_EQ(
      ask(worker, {"queues"}).out,
      "mail (paused)\t12345\t3\t2\t1m01s\t10.5\t9\t0\t12\t12 running\t90 limit, 7 scheduled\n");
  EXPECT_EQ(ask(worker, {"--json", "queues"}).out, mail().dump() + "\n");
}

TEST(Queues, OfAnOlderWorkerHaveNoRates) {
  FakeWorker worker(
      always(200, {{"queue", "mail"}, {"partitions", 1}, {"jobs", 0}, {"running", 0}}));
  EXPECT_EQ(ask(worker, {"queues", "mail"}).out, "mail\t0\t0\t\t-\t-\t-\t-\t1\t-\t-\n");
  EXPECT_EQ(worker.requests().at(0).target, "/v1/queues/mail");
}

ordered_json group() {
  return {
      {"workers",
       {{{"id", "w1"},
         {"name", "mail-1"},
         {"url", "http://10.0.0.1:8080"},
         {"version", "0.1.0"},
         {"started", "2026-01-01T00:00:00Z"},
         {"ready", true},
         {"queues",
          {{{"queue", "mail"},
            {"partitions",
             {{{"partition", 0},
               {"phase", "running"},
               {"lease_ms", 9000},
               {"jobs", 5},
               {"state_bytes", 2048}},
              {{"partition", 1},
               {"phase", "restoring"},
               {"jobs", 0},
               {"state_bytes", 0},
               {"restored", 50},
               {"restore_end", 200}}}}}}}},
        {{"id", "w2"},
         {"ready", false},
         {"reason", "no partitions yet"},
         {"queues", ordered_json::array()}}}},
      {"unanswered", {{{"id", "w3"}, {"url", "http://10.0.0.3:8080"}, {"reason", "timed out"}}}}};
}

TEST(Workers, ShowsALineAWorkerAndNamesTheSilent) {
  FakeWorker worker(always(200, group()));
  const Printed printed = ask(worker, {"workers"});
  EXPECT_EQ(
      printed.out,
      "mail-1\thttp://10.0.0.1:8080\t0.1.0\t2026-01-01T00:00:00Z\t2\t1 running, 1 restoring\t5"
      "\t2.0 KiB\tyes\n"
      "w2\t-\t\t\t0\t-\t0\t0 B\tno: no partitions yet\n");
  EXPECT_EQ(printed.err, "No answer from w3 at http://10.0.0.3:8080: timed out.\n");
}

TEST(Workers, OneThatIsNotThereIsNotFound) {
  FakeWorker worker(always(200, group()));
  EXPECT_EQ(ask(worker, {"workers", "mail-1"}).status, 0);
  const Printed printed = ask(worker, {"workers", "w9"});
  EXPECT_EQ(printed.status, 3);
  EXPECT_EQ(printed.out, "");
}

TEST(Workers, AnOlderWorkerDoesNotKnowTheOthers) {
  FakeWorker worker(always(404, {{"detail", "there is nothing at /v1/workers"}}));
  const Printed printed = ask(worker, {"workers"});
  EXPECT_EQ(printed.status, 1);
  EXPECT_THAT(printed.err, HasSubstr("of a version that does not know the others"));
}

TEST(AccountsTop, AsksEachQueueInTheOrderThatIsWanted) {
  FakeWorker worker([](const httplib::Request& request, httplib::Response& response) {
    ordered_json body{{"queues", {{{"queue", "mail"}}, {{"queue", "sms"}}}}};
    if (request.path.ends_with("/accounts"))
      body = {{"accounts", {{{"account", "acme"}, {"jobs", 9}, {"running", 1}}}}};
    response.set_content(body.dump(), "application/json");
  });
  EXPECT_EQ(ask(worker, {"accounts", "top", "--by", "running", "--limit", "5"}).out,
            "mail\tacme\t9\t1\t-\nsms\tacme\t9\t1\t-\n");
  EXPECT_EQ(worker.requests().at(1).target, "/v1/queues/mail/accounts?limit=5&by=running");
  EXPECT_EQ(ask(worker, {"--json", "accounts", "top", "--queue", "sms"}).out,
            R"({"queue":"sms","account":"acme","jobs":9,"running":1})"
            "\n");
}

// A list that fails the second time still goes on; the test ends it by a signal to itself.
TEST(Watch, ListsAgainUntilItIsStopped) {
  std::atomic<int> looks = 0;
  FakeWorker worker([&](const httplib::Request&, httplib::Response& response) {
    if (++looks == 3) kill(getpid(), SIGINT);
    if (looks == 2) response.status = 503;
    response.set_content(ordered_json{{"queues", {mail()}}}.dump(), "application/json");
  });
  const Printed printed = ask(worker, {"queues", "--watch=0.1"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_GE(looks, 3);
  EXPECT_THAT(printed.out, testing::StartsWith("mail (paused)\t"));
  EXPECT_THAT(printed.out, HasSubstr("\n--- 20"));
  EXPECT_THAT(printed.err, HasSubstr("answered 503"));
}

TEST(Watch, RedrawsATerminalAndSeparatesNoJson) {
  for (const bool json : {false, true}) {
    std::atomic<int> looks = 0;
    FakeWorker worker([&](const httplib::Request&, httplib::Response& response) {
      if (++looks == 2) kill(getpid(), SIGINT);
      response.set_content(ordered_json{{"queues", {mail()}}}.dump(), "application/json");
    });
    Stage stage;
    stage.terminal.out = true;
    std::vector<std::string> arguments{"queues", "--http", worker.address(), "--watch", "0.1"};
    if (json) arguments.insert(arguments.begin(), "--json");
    const Printed printed = stage.run(arguments);
    EXPECT_EQ(printed.status, 0) << printed.err;
    EXPECT_EQ(printed.out.find("\x1b[H") != std::string::npos, !json) << printed.out;
    EXPECT_EQ(printed.out.find("---"), std::string::npos);
  }
}

TEST(Watch, AFirstListThatFailsEndsIt) {
  EXPECT_EQ(Stage().run({"queues", "--http", "127.0.0.1:1", "--watch"}).status, 1);
}

}  // namespace
}  // namespace penstock
