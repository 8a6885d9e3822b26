// What a log promises to those who administer its topics.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conformance/log_conformance.h"

namespace penstock {
namespace {

std::string property(const TopicDescription& topic, const std::string& name) {
  const auto found = std::find_if(topic.config.begin(), topic.config.end(),
                                  [&](const TopicProperty& entry) { return entry.name == name; });
  return found == topic.config.end() ? "(absent)" : found->value;
}

TEST_P(LogConformance, ATopicIsDescribedAsItWasCreated) {
  const std::string name =
      new_topic(5, {{"retention.ms", "3600000"}, {"message.timestamp.type", "LogAppendTime"}});
  const Result<TopicDescription> topic = log().describe(name);
  ASSERT_TRUE(topic) << topic.error().message;
  EXPECT_TRUE(topic->exists);
  EXPECT_EQ(topic->name, name);
  EXPECT_EQ(topic->partitions, 5);
  EXPECT_EQ(topic->replication, 1);
  EXPECT_EQ(property(*topic, "retention.ms"), "3600000");
  EXPECT_EQ(property(*topic, "message.timestamp.type"), "LogAppendTime");
}

TEST_P(LogConformance, AnUnknownTopicIsDescribedAsNotExisting) {
  const std::string name = new_name("missing");
  const Result<TopicDescription> topic = log().describe(name);
  ASSERT_TRUE(topic) << topic.error().message;
  EXPECT_FALSE(topic->exists);
  EXPECT_EQ(topic->name, name);
}

TEST_P(LogConformance, CreatingATopicThatExistsIsAnErrorThatNamesIt) {
  const std::string name = new_topic(2);
  const Status again =
      log().create({.name = name, .partitions = 3, .replication = 1, .config = {}});
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find(name), std::string::npos) << again.error().message;
  EXPECT_EQ(log().describe(name)->partitions, 2);
}

TEST_P(LogConformance, ConfiguringSetsWhatIsGivenAndLeavesTheRest) {
  const std::string name =
      new_topic(1, {{"retention.ms", "3600000"}, {"max.message.bytes", "50000"}});
  const Status configured = log().configure(name, {{"retention.ms", "7200000"}});
  ASSERT_TRUE(configured) << configured.error().message;
  // A broker may describe a topic before it has heard of its change.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Result<TopicDescription> topic = log().describe(name);
  while (topic && property(*topic, "retention.ms") != "7200000" &&
         std::chrono::steady_clock::now() < deadline) {
    topic = log().describe(name);
  }
  ASSERT_TRUE(topic) << topic.error().message;
  EXPECT_EQ(property(*topic, "retention.ms"), "7200000");
  EXPECT_EQ(property(*topic, "max.message.bytes"), "50000");
}

TEST_P(LogConformance, ConfiguringAnUnknownTopicIsAnErrorThatNamesIt) {
  const std::string name = new_name("missing");
  const Status configured = log().configure(name, {{"retention.ms", "7200000"}});
  ASSERT_FALSE(configured);
  EXPECT_NE(configured.error().message.find(name), std::string::npos) << configured.error().message;
}

TEST_P(LogConformance, APropertyThatMakesNoSenseIsRefused) {
  const std::string name = new_name("topic");
  EXPECT_FALSE(log().create(
      {.name = name, .partitions = 1, .replication = 1, .config = {{"retention.ms", "soon"}}}));
  EXPECT_FALSE(log().describe(name)->exists);
}

TEST_P(LogConformance, MoreReplicasThanBrokersAreRefused) {
  const Result<int> brokers = log().broker_count();
  ASSERT_TRUE(brokers) << brokers.error().message;
  EXPECT_GE(*brokers, 1);
  const std::string name = new_name("topic");
  EXPECT_FALSE(
      log().create({.name = name, .partitions = 1, .replication = *brokers + 1, .config = {}}));
  EXPECT_FALSE(log().describe(name)->exists);
}

TEST_P(LogConformance, ATopicCanBeUsedAsSoonAsItIsCreated) {
  Member& member = open();
  const std::string name = new_name("later");
  // Named before it exists: naming asks nothing of the log.
  const TopicPartition to{member->topic(name), 0};
  ASSERT_TRUE(log().create({.name = name, .partitions = 1, .replication = 1, .config = {}}));
  append_numbers(member, to, 0, 3);
  member->read(to, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(to).size() == 3; }));
}

TEST_P(LogConformance, TheBoundsNameTheirTopicByTheIdThatItKeeps) {
  Member& member = open();
  const std::string name = new_topic(2);
  const TopicPartition zero{member->topic(name), 0}, one{member->topic(name), 1};
  const TopicUuid first = bounds_of(member, zero).topic;
  EXPECT_TRUE(first.known());
  EXPECT_EQ(bounds_of(member, one).topic, first);
  ASSERT_TRUE(log().configure(name, {{"retention.ms", "7200000"}}));
  append_numbers(member, zero, 0, 3);
  Member& other = open();
  EXPECT_EQ(bounds_of(other, {other->topic(name), 0}).topic, first);
}

TEST_P(LogConformance, TwoTopicsHaveDifferentIds) {
  Member& member = open();
  const TopicPartition one{member->topic(new_topic(1)), 0}, two{member->topic(new_topic(1)), 0};
  EXPECT_TRUE(are_different(bounds_of(member, one).topic, bounds_of(member, two).topic));
}

TEST_P(LogConformance, ATopicThatIsCreatedAgainHasAnotherId) {
  const std::string name = new_topic(1);
  Member& before = open();
  const TopicUuid first = bounds_of(before, {before->topic(name), 0}).topic;
  if (!recreate(name)) return;  // this log deletes no topics
  Member& after = open();
  const TopicPartition of{after->topic(name), 0};
  EXPECT_TRUE(are_different(bounds_of(after, of).topic, first));
  EXPECT_EQ(bounds_of(after, of).end, Offset{0});
}

// Whatever lies there by now is not what is read on.
TEST_P(LogConformance, AReadOfATopicThatIsCreatedAgainEndsOutOfRange) {
  const std::string name = new_topic(1);
  Member& member = open();
  const TopicPartition of{member->topic(name), 0};
  append_numbers(member, of, 0, 3);
  member->read(of, Offset{0});
  ASSERT_TRUE(until([&] { return member.records(of).size() == 3; }));
  if (!recreate(name)) return;  // this log deletes no topics
  Member& other = open();
  append_numbers(other, {other->topic(name), 0}, 0, 9);
  ASSERT_TRUE(until([&] { return !member.out_of_range.empty(); }))
      << "records read: " << member.records(of).size();
  EXPECT_EQ(member.out_of_range.front().first, of);
  EXPECT_TRUE(member.fatal.empty());
}

}  // namespace
}  // namespace penstock
