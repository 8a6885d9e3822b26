// What the Kafka log makes of a broker's errors, provoked by librdkafka's mock cluster. (A mock
// keeps little and forgets offsets; that records are kept and ordered is proven on a real broker.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <array>
#include <string>

#include "tests/integration/kafka_log_actor.h"
#include "topics/kafka/kafka_log.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;

constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kListOffsets = 2;
constexpr std::int16_t kOffsetCommit = 8;
constexpr std::int16_t kOffsetFetch = 9;
constexpr const char* kTopic = "jobs";

class KafkaLogErrorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::array<char, 256> text{};
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, nullptr);
    rd_kafka_conf_set(conf, "socket.nagle.disable", "true", text.data(), text.size());
    owner_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text.data(), text.size());
    ASSERT_NE(owner_, nullptr) << text.data();
    cluster_ = rd_kafka_mock_cluster_new(owner_, 1);
    rd_kafka_mock_group_initial_rebalance_delay_ms(cluster_, 0);
    rd_kafka_mock_set_controller_id(cluster_, 1);
    rd_kafka_mock_topic_create(cluster_, kTopic, 2, 1);
    log_ =
        std::move(*open_kafka({{"bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster_)}}));
    actor_.session = std::move(*log_->open({}));
    topic_ = actor_.session->topic(kTopic);
  }

  void TearDown() override {
    actor_.session.reset();
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(owner_);
  }

  void join() {
    actor_.session->join(topic_, "workers");
    ASSERT_TRUE(run(actor_, [&] { return actor_.heard.held.size() == 2; }));
  }

  void append(Ticket ticket, Lane lane = Lane::kState) {
    const NewRecord record{.key = "k", .value = "v", .headers = {}};
    while (!actor_.session->append(lane, {topic_, 0}, record, ticket)) {
      actor_.session->poll(actor_.heard);
    }
  }

  [[nodiscard]] bool await_appended(std::size_t count) {
    return run(actor_, [&, count] { return actor_.heard.appended.size() == count; });
  }

  rd_kafka_t* owner_ = nullptr;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
  std::unique_ptr<Log> log_;
  Actor actor_;
  TopicId topic_;
};

TEST_F(KafkaLogErrorsTest, AfterAFatalErrorEveryAppendEndsOnceAndTheLaneGoesOn) {
  append(0);
  ASSERT_TRUE(await_appended(1));
  rd_kafka_mock_push_request_errors(cluster_, kProduce, 1,
                                    RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER);
  for (Ticket ticket = 1; ticket <= 500; ++ticket) append(ticket);
  ASSERT_TRUE(await_appended(501));
  std::set<Ticket> ended;
  std::size_t unknown = 0;
  for (const auto& [ticket, result] : actor_.heard.appended) {
    EXPECT_TRUE(ended.insert(ticket).second) << ticket << " ended twice";
    if (result.error) ++unknown;
  }
  EXPECT_GE(unknown, 1U);
  append(1000);
  ASSERT_TRUE(await_appended(502));
  EXPECT_FALSE(actor_.heard.appended.back().second.error);
}

// librdkafka crashed where a client without a group asked and the coordinator had moved.
TEST_F(KafkaLogErrorsTest, TheGroupsOffsetIsAskedForAgainWhereTheCoordinatorHasMoved) {
  join();
  for (const auto error :
       {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE}) {
    rd_kafka_mock_push_request_errors(cluster_, kOffsetFetch, 1, error);
    actor_.heard.group_offsets.clear();
    actor_.session->group_offset(1);
    ASSERT_TRUE(run(actor_, [&] { return !actor_.heard.group_offsets.empty(); }));
    EXPECT_EQ(actor_.heard.group_offsets[0].first, 1);
  }
}

TEST_F(KafkaLogErrorsTest, WithoutAGroupThereIsNoOffsetOfIt) {
  actor_.session->group_offset(0);
  ASSERT_TRUE(run(actor_, [&] { return !actor_.heard.group_offsets.empty(); }));
  EXPECT_FALSE(actor_.heard.group_offsets[0].second);
  join();
  actor_.session->leave();
  actor_.session->group_offset(0);
  ASSERT_TRUE(run(actor_, [&] { return actor_.heard.group_offsets.size() == 2; }));
  EXPECT_FALSE(actor_.heard.group_offsets[1].second);
}

TEST_F(KafkaLogErrorsTest, ARenewalAfterAFatalErrorForgetsWhatHadNotEnded) {
  append(0);
  ASSERT_TRUE(await_appended(1));
  rd_kafka_mock_push_request_errors(cluster_, kProduce, 1,
                                    RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER);
  actor_.heard.appended_hook = [&](Ticket ticket) {
    if (ticket == 1) actor_.session->renew(Lane::kState);
  };
  for (Ticket ticket = 1; ticket <= 100; ++ticket) append(ticket);
  ASSERT_TRUE(run(actor_, [&] {
    return !actor_.heard.appended.empty() && actor_.heard.appended.back().first >= 1;
  }));
  const std::size_t told = actor_.heard.appended.size();
  append(1000);
  ASSERT_TRUE(await_appended(told + 1));
  EXPECT_EQ(actor_.heard.appended.back().first, 1000U);
}

TEST_F(KafkaLogErrorsTest, AnAcknowledgedDuplicateIsASuccessWithoutAnOffset) {
  append(0);
  ASSERT_TRUE(await_appended(1));
  EXPECT_EQ(actor_.heard.appended[0].second.offset, Offset{0});
  rd_kafka_mock_push_request_errors(cluster_, kProduce, 1,
                                    RD_KAFKA_RESP_ERR_DUPLICATE_SEQUENCE_NUMBER);
  append(1);
  ASSERT_TRUE(await_appended(2));
  EXPECT_FALSE(actor_.heard.appended[1].second.error);
  EXPECT_FALSE(actor_.heard.appended[1].second.offset);
}

TEST_F(KafkaLogErrorsTest, AnAppendThatTheBrokerRefusesOnceIsSentAgain) {
  rd_kafka_mock_push_request_errors(cluster_, kProduce, 2,
                                    RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                                    RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS);
  append(7);
  ASSERT_TRUE(await_appended(1));
  EXPECT_FALSE(actor_.heard.appended.front().second.error);
}

TEST_F(KafkaLogErrorsTest, AQuestionIsPutAgainWhileTheGroupRebalances) {
  join();
  rd_kafka_mock_push_request_errors(cluster_, kOffsetCommit, 2,
                                    RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS,
                                    RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS);
  actor_.session->check_membership(1);
  ASSERT_TRUE(run(actor_, [&] { return !actor_.heard.membership.empty(); }));
  EXPECT_EQ(actor_.heard.membership, (std::vector{std::pair<PartitionId, bool>(1, true)}));
}

TEST_F(KafkaLogErrorsTest, AMemberThatTheGroupDoesNotKnowHasLostItsPartitions) {
  join();
  rd_kafka_mock_push_request_errors(cluster_, kOffsetCommit, 1,
                                    RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID);
  actor_.session->check_membership(0);
  ASSERT_TRUE(run(actor_, [&] { return !actor_.heard.membership.empty(); }));
  EXPECT_EQ(actor_.heard.lost, (std::set<PartitionId>{0, 1}));
  EXPECT_EQ(actor_.heard.membership, (std::vector{std::pair<PartitionId, bool>(0, false)}));
  EXPECT_TRUE(actor_.heard.revoked.empty());
}

TEST_F(KafkaLogErrorsTest, BoundsThatCannotBeHadSayWhy) {
  rd_kafka_mock_push_request_errors(cluster_, kListOffsets, 2,
                                    RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
                                    RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  actor_.session->bounds({topic_, 0});
  ASSERT_TRUE(run(actor_, [&] { return !actor_.heard.bounds.empty(); }));
  ASSERT_FALSE(actor_.heard.bounds.front().second);
  EXPECT_THAT(actor_.heard.bounds.front().second.error().message, HasSubstr("uthorization"));
}

TEST_F(KafkaLogErrorsTest, TheLossOfTheLastBrokerAndItsReturnAreTold) {
  ASSERT_TRUE(run(actor_, [&] { return actor_.heard.connected == true; }));
  rd_kafka_mock_broker_set_down(cluster_, 1);
  ASSERT_TRUE(run(actor_, [&] { return actor_.heard.connected == false; }));
  rd_kafka_mock_broker_set_up(cluster_, 1);
  ASSERT_TRUE(run(actor_, [&] { return actor_.heard.connected == true; }));
  append(1);
  ASSERT_TRUE(await_appended(1));
}

TEST_F(KafkaLogErrorsTest, ASessionEndsSoonThoughItsBrokersAreAway) {
  join();
  append(0);
  ASSERT_TRUE(await_appended(1));
  rd_kafka_mock_broker_set_down(cluster_, 1);
  append(1);
  const auto begin = SteadyClock::now();
  actor_.session.reset();
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(8));
}

// A worker that starts asks so, and is to stop when it is told.
TEST_F(KafkaLogErrorsTest, ADescriptionIsGivenUpAtOnceWhenNoBrokerCanBeReached) {
  rd_kafka_mock_broker_set_down(cluster_, 1);
  const auto begin = SteadyClock::now();
  const auto found = log_->describe(kTopic);
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(5));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("cannot describe topic \"jobs\""));
  EXPECT_THAT(found.error().message, HasSubstr("check that the brokers run"));
}

TEST_F(KafkaLogErrorsTest, ADescriptionIsGivenUpInTimeWhenTheBrokerDoesNotAnswer) {
  rd_kafka_mock_broker_set_rtt(cluster_, 1, 60'000);
  const auto begin = SteadyClock::now();
  const auto found = log_->describe(kTopic);
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(14));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("cannot describe topic \"jobs\""));
}

}  // namespace
}  // namespace penstock
