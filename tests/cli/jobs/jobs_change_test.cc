// The commands that change many jobs: at a rate, with a way to go on, and never by accident.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/jobs/moment.h"
#include "cli/jobs/paced_sender.h"
#include "tests/cli/fake_worker.h"

namespace penstock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

FakeWorker::Answer pages_of_one() {
  return [](const httplib::Request& request, httplib::Response& response) {
    const std::string after = request.get_param_value("after");
    ordered_json body{{"jobs", {job(after.empty() ? "a" : "b", "acme", "scheduled")}}};
    body["after"] = after.empty() ? ordered_json("p2") : ordered_json();
    response.set_content(body.dump(), "application/json");
  };
}

TEST(JobsReschedule, SendsTheNewTimeToWaitingJobsOnly) {
  FakeWorker worker(always(200, {{"jobs",
                                  {job("a", "acme", "scheduled"), job("b", "acme", "running"),
                                   job("c", "acme", "dead"), job("d", "acme", "retrying")}}}));
  Stage stage;
  const Printed printed =
      jobs(stage, worker, {"reschedule", "--type", "send", "--run-at", "2031-01-01T00:00:00Z"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(names_of(stage.commands),
              ElementsAre("reschedule mail acme a", "reschedule mail acme d"));
  EXPECT_EQ(stage.commands.sent[0].run_at_ms, 1'924'992'000'000);
  EXPECT_EQ(printed.err, "Asked to reschedule 2 jobs.\n");
}

TEST(JobsReschedule, TakesADurationFromNowOn) {
  Stage stage;
  const auto before = std::chrono::system_clock::now();
  EXPECT_EQ(stage
                .run({"--brokers", "b:1", "jobs", "reschedule", "a", "--account", "acme", "--queue",
                      "mail", "--in", "1h"})
                .status,
            0);
  ASSERT_EQ(stage.commands.sent.size(), 1u);
  const std::chrono::sys_time<std::chrono::milliseconds> at{
      std::chrono::milliseconds(*stage.commands.sent[0].run_at_ms)};
  EXPECT_GE(at, before + std::chrono::hours(1));
  EXPECT_LE(at, std::chrono::system_clock::now() + std::chrono::seconds(3602));
}

TEST(JobsReschedule, TheRecordHasTheTime) {
  EXPECT_EQ(record_of({"reschedule", "mail", "acme", "a", 5}),
            R"({"op":"reschedule","id":"a","run_at":5})");
}

TEST(JobsChange, WithoutAFilterItErasesOnlyWithYes) {
  FakeWorker worker(always(200, {{"jobs", {job("a", "acme", "ready")}}}));
  for (const char* const op : {"cancel", "delete"}) {
    Stage stage;
    EXPECT_EQ(jobs(stage, worker, {op}).status, 2) << op;
    EXPECT_TRUE(stage.commands.sent.empty());
    EXPECT_EQ(jobs(stage, worker, {op, "--dry-run"}).status, 0) << op;
    EXPECT_TRUE(stage.commands.sent.empty());
    EXPECT_EQ(jobs(stage, worker, {op, "--yes"}).status, 0) << op;
    EXPECT_EQ(stage.commands.sent.size(), 1u);
  }
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"retry"}).status, 0);
}

TEST(JobsChange, AFailureSaysHowToGoOn) {
  FakeWorker worker(pages_of_one());
  Stage stage;
  stage.commands.refuse_after = 1;
  const Printed printed = jobs(stage, worker, {"cancel", "--type", "send"});
  EXPECT_EQ(printed.status, 1);
  EXPECT_THAT(printed.err, HasSubstr("the broker is away; to go on from there, run the same "
                                     "command with --after 'p2'"));
}

TEST(JobsChange, GoesOnWhereItIsToldTo) {
  FakeWorker worker(pages_of_one());
  Stage stage;
  EXPECT_EQ(jobs(stage, worker, {"cancel", "--type", "send", "--after", "p2"}).status, 0);
  EXPECT_THAT(names_of(stage.commands), ElementsAre("cancel mail acme b"));
}

TEST(JobsChange, HandsEveryFilterOn) {
  FakeWorker worker(always(200, {{"jobs", ordered_json::array()}}));
  Stage stage;
  const Printed printed = jobs(stage, worker,
                               {"retry", "--error", "time out", "--id-prefix", "order-", "--from",
                                "2026-01-01T00:00:00Z", "--to", "1767225601000"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  const httplib::Request asked = worker.requests().at(0);
  EXPECT_EQ(asked.get_param_value("error"), "time out");
  EXPECT_EQ(asked.get_param_value("id"), "order-");
  EXPECT_EQ(asked.get_param_value("from"), "1767225600000");
  EXPECT_EQ(asked.get_param_value("to"), "1767225601000");
}

TEST(JobsChange, ABulkThatDoesNotExistIsNotFound) {
  FakeWorker worker(
      always(200, {{"jobs", ordered_json::array()}, {"bulks", ordered_json::array()}}));
  Stage stage;
  const Printed printed = jobs(stage, worker, {"cancel", "--bulk", "spring"});
  EXPECT_EQ(printed.status, 3);
  EXPECT_THAT(printed.err, HasSubstr("there is no bulk \"spring\" in queue \"mail\""));
}

TEST(PacedSender, WaitsBetweenSlicesAndStopsWhenAsked) {
  SentCommands commands;
  RememberingSender sender(commands);
  std::vector<std::chrono::milliseconds> waits;
  // 20 per second: slices of two, 100 ms apart.
  PacedSender paced(sender, {20, Duration(1000)}, [&](std::chrono::milliseconds at_most) {
    waits.push_back(at_most);
    return waits.size() < 4;
  });
  std::size_t acknowledged = 0;
  const std::vector<JobCommand> all(10, {"cancel", "mail", "acme", "a"});
  const auto sent =
      paced.send(all, [&](std::span<const JobCommand> some) { acknowledged += some.size(); });
  ASSERT_TRUE(sent);
  EXPECT_FALSE(*sent);
  EXPECT_EQ(acknowledged, 6u);
  EXPECT_EQ(commands.finished, 6u);
  EXPECT_EQ(waits[0].count(), 0);
  EXPECT_GT(waits[3].count(), 250);  // nothing slept: three slices are due 300 ms after the first
}

TEST(Moment, IsATimeOrAnAge) {
  const Time now = time_from_ms(10'000'000);
  EXPECT_EQ(past_moment_ms("1h", now).value(), 6'400'000);
  EXPECT_EQ(past_moment_ms("1970-01-01T00:00:01Z", now).value(), 1'000);
  EXPECT_EQ(past_moment_ms("17", now).value(), 17);
  EXPECT_FALSE(past_moment_ms("yesterday", now));
  EXPECT_FALSE(moment_ms("1h"));
  EXPECT_FALSE(moment_ms("-1"));
}

}  // namespace
}  // namespace penstock
