// The producer against a real broker at PENSTOCK_KAFKA (host:port). Each test makes its own topics.
#include "penstock/producer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <set>

#include "topics/kafka/kafka_log.h"
#include "topics/log.h"
#include "topics/partitioner.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto kPatience = 40s;

// What lies in a topic, read by the log.
class Reader : public LogListener {
 public:
  Reader(Log& log, const std::string& topic, int partitions) {
    session_ = *log.open({.client_id = "producer-test", .instance_id = ""});
    for (PartitionId partition = 0; partition < partitions; ++partition) {
      session_->read({session_->topic(topic), partition}, Offset{0});
    }
  }

  void wait_for(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (records < count && std::chrono::steady_clock::now() < until) {
      session_->wait(50ms);
      session_->poll(*this);
    }
    EXPECT_EQ(records, count);
  }

  void on_records(TopicPartition from, std::span<const LogRecord> batch) override {
    for (const auto& record : batch) {
      ++records;
      by_key[std::string(*record.key)].emplace_back(*record.value);
      partitions[std::string(*record.key)].insert(from.partition);
      for (const auto& [name, value] : record.headers)
        headers[std::string(name)] = value.value_or("");
    }
  }
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_out_of_range(TopicPartition, Offset) override {}
  void on_appended(Lane, Ticket, const Appended&) override {}
  void on_bounds(TopicPartition, const Result<Bounds>&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool, std::string_view) override {}
  void on_fatal(std::string_view detail) override { ADD_FAILURE() << detail; }

  std::size_t records = 0;
  std::map<std::string, std::vector<std::string>> by_key;
  std::map<std::string, std::set<PartitionId>> partitions;
  std::map<std::string, std::string> headers;

 private:
  std::unique_ptr<LogSession> session_;
};

class KafkaProducer : public testing::Test {
 protected:
  void SetUp() override {
    const char* const brokers = std::getenv("PENSTOCK_KAFKA");
    ASSERT_NE(brokers, nullptr) << "set PENSTOCK_KAFKA=host:port to a Kafka broker";
    brokers_ = brokers;
    log_ = *open_kafka({{"bootstrap.servers", brokers_}});
  }

  std::string unique_queue() {
    static int count = 0;
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return "producer_test." + std::to_string(getpid()) + "." + std::to_string(now) + "." +
           std::to_string(++count);
  }

  void create(const std::string& queue, int partitions = 12) {
    const auto status = log_->create({.name = "penstock." + queue,
                                      .partitions = partitions,
                                      .replication = 1,
                                      .config = {{"max.message.bytes", "2162688"}}});
    ASSERT_TRUE(status) << status.error().message;
  }

  std::string brokers_;
  std::unique_ptr<Log> log_;
};

TEST_F(KafkaProducer, AnswersWithThePlaceOfEachJob) {
  const auto queue = unique_queue();
  create(queue);
  Producer producer({.brokers = brokers_});
  const auto sent = producer
                        .enqueue({.queue = queue,
                                  .type = "webhook.send",
                                  .account = "acme",
                                  .args = {{"segment_id", 7}},
                                  .headers = {{"traceparent", "00-1"}}})
                        .get();
  EXPECT_EQ(sent.partition, partition_of("acme", 12));
  EXPECT_EQ(sent.offset, 0);
  EXPECT_EQ(sent.id.size(), 36u);
  Reader reader(*log_, "penstock." + queue, 12);
  reader.wait_for(1);
  EXPECT_THAT(reader.by_key["acme"].at(0), HasSubstr(sent.id));
  EXPECT_EQ(reader.headers["traceparent"], "00-1");
}

TEST_F(KafkaProducer, KeepsEachAccountInOnePartitionAndInOrder) {
  const auto queue = unique_queue();
  create(queue);
  constexpr int kAccounts = 50, kJobs = 200;
  {
    Producer producer({.brokers = brokers_});
    for (int i = 0; i < kJobs; ++i) {
      for (int account = 0; account < kAccounts; ++account) {
        producer.send_raw(queue, "account-" + std::to_string(account),
                          R"({"type":"t","id":")" + std::to_string(i) + R"("})",
                          [](const Delivery& delivery) { EXPECT_FALSE(delivery.failure); });
      }
    }
    EXPECT_TRUE(producer.flush(kPatience));
  }
  Reader reader(*log_, "penstock." + queue, 12);
  reader.wait_for(kAccounts * kJobs);
  for (const auto& [account, values] : reader.by_key) {
    EXPECT_EQ(reader.partitions[account], std::set<PartitionId>{partition_of(account, 12)});
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], R"({"type":"t","id":")" + std::to_string(i) + R"("})");
    }
  }
}

// KAFKA-15591 loses the first batches of some fresh topics for a producer that does not ask first.
TEST_F(KafkaProducer, LosesNothingRightAfterATopicWasMade) {
  for (int round = 0; round < 8; ++round) {
    const auto queue = unique_queue();
    create(queue);
    Producer producer({.brokers = brokers_});
    std::vector<NewJob> jobs;
    for (int account = 0; account < 100; ++account) {
      jobs.push_back({.queue = queue, .type = "t", .account = std::to_string(account)});
    }
    for (auto& sent : producer.enqueue(jobs)) {
      ASSERT_EQ(sent.wait_for(20s), std::future_status::ready);
      EXPECT_NO_THROW(sent.get());
    }
  }
}

TEST_F(KafkaProducer, SendsTheLargestJob) {
  const auto queue = unique_queue();
  create(queue);
  Producer producer({.brokers = brokers_});
  std::string value = R"({"type":"t","id":"large","args":")";
  value.append((1u << 20) - value.size() - 2, 'x').append("\"}");
  std::promise<Delivery> promise;
  producer.send_raw(queue, "acme", value,
                    [&](const Delivery& delivery) { promise.set_value(delivery); });
  const auto delivery = promise.get_future().get();
  EXPECT_FALSE(delivery.failure) << delivery.failure->message;
}

TEST_F(KafkaProducer, NamesTheCommandThatMakesAMissingTopic) {
  const auto queue = unique_queue();
  Producer producer({.brokers = brokers_});
  auto sent = producer.enqueue({.queue = queue, .type = "t", .account = "a"});
  try {
    sent.get();
    ADD_FAILURE() << "the topic does not exist";
  } catch (const GaveUp& error) {
    EXPECT_THAT(error.what(), HasSubstr("penstock topics create " + queue));
  }
}

TEST(KafkaProducerAway, GivesUpInTimeAndNamesTheBroker) {
  Producer producer({.brokers = "127.0.0.1:1", .delivery_timeout = 1s});
  auto sent = producer.enqueue({.queue = "q", .type = "t", .account = "a"});
  ASSERT_EQ(sent.wait_for(20s), std::future_status::ready);
  try {
    sent.get();
    ADD_FAILURE() << "no broker listens there";
  } catch (const GaveUp& error) {
    EXPECT_THAT(error.what(), HasSubstr("127.0.0.1:1"));
    EXPECT_THAT(error.what(), HasSubstr("is not in the queue"));
  }
}

}  // namespace
}  // namespace penstock
