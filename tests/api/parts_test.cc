// The small pure parts: array splitting, list positions, access, metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/request/array_parts.h"
#include "api/routes/metrics_text.h"
#include "api/source/job_json.h"
#include "api/source/list_position.h"
#include "state/rows/keys.h"

namespace penstock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ArrayParts, AreTheElementsAsTheyStand) {
  EXPECT_THAT(*array_parts(R"( [ {"a":[1,2]} , "x,]\"" ,3 ] )", 9),
              ElementsAre(R"({"a":[1,2]})", R"("x,]\"")", "3"));
  EXPECT_TRUE(array_parts(" [ ] ", 9)->empty());
}

TEST(ArrayParts, AnEmptyElementIsTheReadersToRefuse) {
  EXPECT_THAT(*array_parts("[1,]", 9), ElementsAre("1", ""));
  EXPECT_THAT(*array_parts("[,]", 9), ElementsAre("", ""));
}

TEST(ArrayParts, BracketsThatDoNotMatchAreNoArray) {
  for (const char* text :
       {"", "[", "]", "[1", "[1]]", "[1] []", "{}", "[{]", R"(["])", "[1}", "[\"\\"}) {
    EXPECT_FALSE(array_parts(text, 9)) << text;
  }
}

TEST(ArrayParts, StopBehindTheMaximum) { EXPECT_EQ(array_parts("[1,2,3,4,5]", 2)->size(), 3u); }

TEST(ObjectParts, AreTheMembersAsTheyStand) {
  EXPECT_THAT(*object_parts(R"( { "a}" : [1,{"b":2}] , "c":1e400 } )", 9),
              ElementsAre(R"("a}" : [1,{"b":2}])", R"("c":1e400)"));
  EXPECT_TRUE(object_parts("{ }", 9)->empty());
  for (const char* text : {"", "[]", "{", "{}}", R"({"a":[})"}) {
    EXPECT_FALSE(object_parts(text, 9)) << text;
  }
}

TEST(ListPosition, ComesBackAsItWas) {
  const std::string key = keys::line("acme", "mail", 0, JobSeq{7});
  const auto position = ListPosition::parse(ListPosition{11, key}.text());
  ASSERT_TRUE(position);
  EXPECT_EQ(position->partition, 11);
  EXPECT_EQ(position->key, key);
  EXPECT_TRUE(ListPosition::parse("1-0-"));
}

TEST(ListPosition, RefusesWhatNoListHasGiven) {
  for (const char* text : {"", "1", "1-", "1-0", "2-0-", "1-x-", "1--1-", "1-0-6", "1-0-zz",
                           "1-0-6c", "1-0-6d21", "1-0-6cff00", "1-99999999999-"}) {
    EXPECT_FALSE(ListPosition::parse(text)) << text;
  }
}

TEST(JobStates, HaveTheContractsWords) {
  EXPECT_EQ(job_state_of("scheduled"), JobState::kScheduled);
  EXPECT_EQ(job_state_of("expired"), JobState::kExpired);
  EXPECT_FALSE(job_state_of("Expired"));
  EXPECT_FALSE(job_state_of(""));
}

TEST(Metrics, EveryFigureHasItsSeries) {
  QueueStatus mail;
  mail.queue = "mail";
  mail.counters.succeeded = 7;
  mail.counters.dead = 2;
  mail.counters.started = 9;
  mail.counters.uncounted_failures = 3;
  mail.commits = 4;
  mail.oldest_ready = std::chrono::milliseconds(2750);
  mail.overdue = std::chrono::milliseconds(1500);
  mail.lease_left = std::chrono::milliseconds(14'250);
  mail.phases = {{"running", 12}};
  const std::string text = metrics_text({mail}, true, "1.0");
  for (const char* line :
       {"# TYPE penstock_jobs_total counter",
        "penstock_jobs_total{queue=\"mail\",outcome=\"succeeded\"} 7",
        "penstock_jobs_total{queue=\"mail\",outcome=\"dead\"} 2",
        "penstock_attempts_started_total{queue=\"mail\"} 9",
        "penstock_breaker_failures_uncounted_total{queue=\"mail\"} 3",
        "penstock_commits_total{queue=\"mail\"} 4", "penstock_overdue_seconds{queue=\"mail\"} 1.5",
        "penstock_oldest_ready_seconds{queue=\"mail\"} 2.75",
        "penstock_lease_remaining_seconds{queue=\"mail\"} 14.25",
        "penstock_partitions{queue=\"mail\",phase=\"running\"} 12", "penstock_ready 1"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Metrics, AQueueWithASilentLoopLeavesItsCountersOut) {
  QueueStatus mail;
  mail.queue = "mail";
  mail.silent_loops = 1;
  const std::string text = metrics_text({mail}, false, "1.0");
  EXPECT_THAT(text, Not(HasSubstr("outcome=")));
  EXPECT_THAT(text, HasSubstr("penstock_loops_silent{queue=\"mail\"} 1"));
  EXPECT_THAT(text, HasSubstr("penstock_queue_stopped{queue=\"mail\"} 0"));
}

}  // namespace
}  // namespace penstock
