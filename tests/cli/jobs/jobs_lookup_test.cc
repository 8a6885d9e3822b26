// A job that is asked for by its id, of a worker's HTTP interface played by a server in this
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/fake_worker.h"

namespace penstock {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(printed.err,
            "penstock: there is no job \"a\" in the partitions that were asked: the worker at " +
                worker.address() +
                " does not own partitions 3, 4 of queue \"mail\"; ask the worker that "
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

TEST(JobsCancel, AnIdAloneChangesNothingWhileAnotherAccountMayHaveIt) {
  ordered_json found = job("a", "acme", "ready");
  found["partitions_not_here"] = {3, 4};
  FakeWorker worker(always(200, found));
  for (const char* const op : {"cancel", "retry", "delete"}) {
    Stage stage;
    const Printed printed = jobs(stage, worker, {op, "a"});
    EXPECT_EQ(printed.status, 1) << op;
    EXPECT_THAT(printed.err, HasSubstr("another account may have one too"));
    EXPECT_THAT(printed.err, HasSubstr("does not own partitions 3, 4 of queue \"mail\""));
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
  EXPECT_THAT(printed.err, HasSubstr("Another account may also have a job with this ID"));
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

}  // namespace
}  // namespace penstock
