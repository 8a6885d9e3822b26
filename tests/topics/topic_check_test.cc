#include "topics/topic_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace penstock {
namespace {

// Keeps topics in memory; knows no sessions.
class TopicsOnly : public Log {
 public:
  Result<std::unique_ptr<LogSession>> open(const SessionOptions&) override {
    return failure("this log has no sessions");
  }
  Status create(const TopicSettings& topic) override {
    ++changes;
    if (topics.contains(topic.name)) return failure("exists");
    topics[topic.name] = {topic.name, true, topic.partitions, topic.replication, topic.config};
    if (created_by_another) return failure("exists");
    return {};
  }
  Status configure(const std::string& topic, const std::vector<TopicProperty>& config) override {
    ++changes;
    for (const auto& header : config) set(topic, header.name, header.value);
    return {};
  }
  Result<TopicDescription> describe(const std::string& topic) override {
    if (!reachable) return failure("no broker answers at 127.0.0.1:1");
    const auto found = topics.find(topic);
    return found == topics.end() ? TopicDescription{topic, false, 0, 0, {}} : found->second;
  }
  Result<int> broker_count() override { return 1; }
  Result<std::vector<OffsetsAt>> offsets_at(const std::string&, Time) override {
    return failure("this log has no records");
  }

  void set(const std::string& topic, const std::string& name, const std::string& value) {
    auto& config = topics.at(topic).config;
    std::erase_if(config, [&](const TopicProperty& header) { return header.name == name; });
    config.push_back({name, value});
  }

  std::map<std::string, TopicDescription> topics;
  int changes = 0;
  bool reachable = true;
  bool created_by_another = false;
};

std::vector<TopicSpec> mail_specs(int replication = 1) {
  return queue_topic_specs(QueueNames("penstock", "mail"), {12, replication});
}

std::vector<TopicSpec> all_specs(int replication = 1) {
  auto specs = mail_specs(replication);
  std::ranges::copy(shared_topic_specs("penstock", replication), std::back_inserter(specs));
  return specs;
}

std::string setting(const TopicSettings& topic, std::string_view name) {
  for (const auto& header : topic.config) {
    if (header.name == name) return header.value;
  }
  return "";
}

TEST(TopicSpecs, AreThoseOfTheTable) {
  std::map<std::string, TopicSettings> topics;
  for (const auto& spec : all_specs(3)) topics[spec.name] = settings_of(spec);
  ASSERT_EQ(topics.size(), 7U);
  for (const auto& [name, topic] : topics) {
    const bool control = name == "penstock.control";
    EXPECT_EQ(topic.partitions, control ? 1 : 12) << name;
    EXPECT_EQ(topic.replication, 3) << name;
    EXPECT_EQ(setting(topic, "cleanup.policy"), control ? "compact" : "delete") << name;
    EXPECT_EQ(setting(topic, "min.insync.replicas"), "2") << name;
    EXPECT_EQ(setting(topic, "unclean.leader.election.enable"), "false") << name;
  }
  for (const char* state : {"penstock.mail.state", "penstock.slots.state"}) {
    EXPECT_EQ(setting(topics[state], "retention.ms"), "-1");
    EXPECT_EQ(setting(topics[state], "retention.bytes"), "-1");
    EXPECT_EQ(setting(topics[state], "message.timestamp.type"), "LogAppendTime");
    EXPECT_EQ(setting(topics[state], "max.message.bytes"), "8388608");
  }
  EXPECT_GE(std::stoi(setting(topics["penstock.mail"], "max.message.bytes")), 2 << 20);
  EXPECT_GT(std::stoi(setting(topics["penstock.mail.dead"], "max.message.bytes")),
            std::stoi(setting(topics["penstock.mail"], "max.message.bytes")));
}

TEST(TopicSpecs, AskForOneReplicaABrokerAndAtMostThree) {
  EXPECT_EQ(replication_for(1), 1);
  EXPECT_EQ(replication_for(2), 2);
  EXPECT_EQ(replication_for(9), 3);
  for (const auto& spec : mail_specs(1)) {
    EXPECT_EQ(setting(settings_of(spec), "min.insync.replicas"), "") << spec.name;
  }
}

TEST(EnsureTopics, MakesWhatIsMissingAndNothingTheSecondTime) {
  TopicsOnly log;
  const auto specs = all_specs();
  const auto first = ensure_topics(log, specs);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->size(), 7U);
  EXPECT_EQ(first->front(), "made penstock.mail (12 partitions, replication 1)");
  EXPECT_TRUE(check_topics(log, specs)->empty());
  log.changes = 0;
  EXPECT_TRUE(ensure_topics(log, specs)->empty());
  EXPECT_EQ(log.changes, 0);
}

TEST(EnsureTopics, MendsSettingsAndLeavesTheOthersAlone) {
  TopicsOnly log;
  const auto specs = mail_specs();
  ASSERT_TRUE(ensure_topics(log, specs));
  log.set("penstock.mail.state", "retention.ms", "604800000");
  log.set("penstock.mail", "retention.ms", "1000");
  log.set("penstock.mail", "cleanup.policy", "compact");
  const auto lines = ensure_topics(log, specs);
  ASSERT_TRUE(lines);
  EXPECT_EQ(*lines, (std::vector<std::string>{"set cleanup.policy=delete on penstock.mail",
                                              "set retention.ms=-1 on penstock.mail.state"}));
  EXPECT_TRUE(check_topics(log, specs)->empty());
  const auto mail = log.describe("penstock.mail");
  EXPECT_TRUE(std::ranges::any_of(mail->config, [](const TopicProperty& header) {
    return header.name == "retention.ms" && header.value == "1000";
  }));
}

TEST(EnsureTopics, ChangesNothingWhenSomethingCannotBeMended) {
  TopicsOnly log;
  ASSERT_TRUE(ensure_topics(log, mail_specs()));
  log.topics.at("penstock.mail").partitions = 6;
  log.topics.erase("penstock.mail.dead");
  log.changes = 0;
  const auto lines = ensure_topics(log, mail_specs());
  ASSERT_FALSE(lines);
  EXPECT_EQ(log.changes, 0);
  EXPECT_NE(lines.error().message.find("has 6 partitions, expected 12"), std::string::npos);
  EXPECT_NE(lines.error().message.find("/queues/mail/partitions"), std::string::npos);
}

TEST(EnsureTopics, IsContentWhenAnotherMadeTheTopicMeanwhile) {
  TopicsOnly log;
  log.created_by_another = true;
  EXPECT_TRUE(ensure_topics(log, mail_specs()));
}

TEST(EnsureTopics, SaysWhenTheLogIsAway) {
  TopicsOnly log;
  log.reachable = false;
  const auto lines = ensure_topics(log, mail_specs());
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().message, "no broker answers at 127.0.0.1:1");
}

TEST(CheckTopic, NamesEachDeviationItsDangerAndItsMend) {
  const TopicSpec state = mail_specs(3)[1];
  TopicDescription found{state.name, true, 12, 1, settings_of(state).config};
  found.config[0].value = "true";
  const auto deviations = check_topic(state, found);
  ASSERT_EQ(deviations.size(), 2U);
  EXPECT_EQ(deviations[0].what, "has replication 1, expected 3");
  EXPECT_FALSE(deviations[0].fixable);
  EXPECT_EQ(deviations[1].what, "unclean.leader.election.enable is true, expected false");
  EXPECT_EQ(deviations[1].fix, "penstock topics create mail");
  EXPECT_TRUE(deviations[1].fixable);
  for (const auto& deviation : deviations) EXPECT_FALSE(deviation.endangers.empty());
}

TEST(CheckTopic, TakesMoreThanTheLeast) {
  const TopicSpec state = mail_specs(3)[1];
  TopicDescription found{state.name, true, 12, 5, settings_of(state).config};
  for (auto& header : found.config) {
    if (header.name == "max.message.bytes") header.value = "16777216";
  }
  EXPECT_TRUE(check_topic(state, found).empty());
  for (auto& header : found.config) {
    if (header.name == "max.message.bytes") header.value = "1048588";
  }
  EXPECT_EQ(check_topic(state, found).size(), 1U);
}

}  // namespace
}  // namespace penstock
