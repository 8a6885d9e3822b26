#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/program_run.h"
#include "tests/cli/temporary_file.h"

namespace penstock {
namespace {

using testing::HasSubstr;

Printed topics(Stage& stage, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--brokers", "b:1", "topics"});
  return stage.run(std::move(arguments));
}

void break_setting(Stage& stage, const std::string& topic, const std::string& name) {
  for (TopicProperty& setting : stage.topics.topics.at(topic).config) {
    if (setting.name == name) setting.value = "broken";
  }
}

TEST(TopicsCommand, CreateMakesEveryTopicAndIsSafeToRepeat) {
  Stage stage;
  const Printed first = topics(stage, {"create", "mail"});
  EXPECT_EQ(first.status, 0) << first.err;
  for (const auto* name :
       {"penstock.mail", "penstock.mail.state", "penstock.mail.dead", "penstock.mail.events",
        "penstock.control", "penstock.slots", "penstock.slots.state"}) {
    EXPECT_TRUE(stage.topics.topics.contains(name)) << name;
    EXPECT_THAT(first.out, HasSubstr("made " + std::string(name) + " "));
  }
  const Printed second = topics(stage, {"create", "mail"});
  EXPECT_EQ(second.status, 0);
  EXPECT_EQ(second.out, "");
  EXPECT_EQ(second.err, "Nothing to do: every topic is configured correctly.\n");
}

TEST(TopicsCommand, QueuesComeFromTheConfigWithTheirPartitions) {
  const TemporaryFile file(
      R"({"prefix": "p", "queues": {"mail": {"partitions": 3}, "sms": {"partitions": 5}}})");
  Stage stage;
  stage.topics.brokers = 5;
  EXPECT_EQ(stage.run({"--config", file.path(), "--brokers", "b:1", "topics", "create"}).status, 0);
  EXPECT_EQ(stage.topics.topics.at("p.mail.state").partitions, 3);
  EXPECT_EQ(stage.topics.topics.at("p.sms").partitions, 5);
  EXPECT_EQ(stage.topics.topics.at("p.sms").replication, 3);
}

TEST(TopicsCommand, AQueueThatTheConfigDoesNotHaveIsNotFound) {
  const TemporaryFile file(R"({"queues": {"mail": {}, "sms": {}}})");
  const Printed printed =
      Stage().run({"--config", file.path(), "--brokers", "b:1", "topics", "create", "mial"});
  EXPECT_EQ(printed.status, 3);
  EXPECT_EQ(printed.err,
            "penstock: found queue \"mial\", expected one of the config file's: mail, sms\n");
}

TEST(TopicsCommand, AQueueNamedTwiceIsTakenOnce) {
  Stage stage;
  const Printed printed = topics(stage, {"describe", "mail", "mail", "--json"});
  EXPECT_EQ(std::count(printed.out.begin(), printed.out.end(), '\n'), 7);
}

TEST(TopicsCommand, CheckSaysWhatDeviatesAndFails) {
  Stage stage;
  ASSERT_EQ(topics(stage, {"create", "mail"}).status, 0);
  EXPECT_EQ(topics(stage, {"check", "mail"}).status, 0);
  break_setting(stage, "penstock.mail.state", "retention.ms");
  const Printed printed = topics(stage, {"check", "mail"});
  EXPECT_EQ(printed.status, 1);
  EXPECT_EQ(
      printed.out,
      "penstock.mail.state retention.ms is broken, expected -1: Kafka removes state that is still "
      "needed, and jobs are lost. To fix it: penstock topics create mail\n");
  EXPECT_EQ(printed.err, "penstock: 1 deviation: `penstock topics create` fixes them all\n");
}

TEST(TopicsCommand, CreateMendsWhatCheckFound) {
  Stage stage;
  ASSERT_EQ(topics(stage, {"create", "mail"}).status, 0);
  break_setting(stage, "penstock.mail.state", "retention.ms");
  const Printed printed = topics(stage, {"create", "mail"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_EQ(printed.out, "set retention.ms=-1 on penstock.mail.state\n");
  EXPECT_EQ(topics(stage, {"check", "mail"}).status, 0);
}

TEST(TopicsCommand, WhatCannotBeMendedStopsEverything) {
  Stage stage;
  ASSERT_EQ(topics(stage, {"create", "mail"}).status, 0);
  stage.topics.topics.at("penstock.mail").partitions = 7;
  const Printed created = topics(stage, {"create", "mail"});
  EXPECT_EQ(created.status, 1);
  EXPECT_THAT(created.err, HasSubstr("penstock.mail has 7 partitions, expected 12"));
  const Printed checked = topics(stage, {"--json", "check", "mail"});
  EXPECT_EQ(checked.status, 1);
  const auto json = nlohmann::json::parse(checked.out);
  EXPECT_EQ(json.at("topic"), "penstock.mail");
  EXPECT_EQ(json.at("fixable"), false);
  EXPECT_EQ(checked.err,
            "penstock: 1 deviation, of which `penstock topics create` fixes 0 once the others have "
            "been fixed\n");
}

TEST(TopicsCommand, DescribeShowsWhatThereIs) {
  Stage stage;
  ASSERT_EQ(topics(stage, {"create", "mail"}).status, 0);
  stage.topics.topics.erase("penstock.mail.events");
  const Printed printed = topics(stage, {"describe", "mail"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out, HasSubstr("penstock.mail\t12\t1\t"));
  EXPECT_THAT(printed.out, HasSubstr("penstock.mail.events\t-\t-\tdoes not exist\n"));
  const Printed json = topics(stage, {"describe", "mail", "--json"});
  const auto first = nlohmann::json::parse(json.out.substr(0, json.out.find('\n')));
  EXPECT_EQ(first.at("topic"), "penstock.mail");
  EXPECT_EQ(first.at("settings").at("cleanup.policy"), "delete");
}

}  // namespace
}  // namespace penstock
