// What the tests of the Kafka log share: a log on the broker at PENSTOCK_KAFKA, and topics of their
// own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/kafka_log_actor.h"
#include "topics/kafka/kafka_log.h"

namespace penstock {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class KafkaLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const brokers = std::getenv("PENSTOCK_KAFKA");
    ASSERT_NE(brokers, nullptr) << "set PENSTOCK_KAFKA=host:port to a Kafka broker";
    brokers_ = brokers;
    Result<std::unique_ptr<Log>> opened = open_kafka({{"bootstrap.servers", brokers_}});
    ASSERT_TRUE(opened) << opened.error().message;
    log_ = std::move(*opened);
  }

  std::string unique_name() {
    static int count = 0;
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return "kafka_log_test." + std::to_string(getpid()) + "." + std::to_string(now) + "." +
           std::to_string(++count);
  }

  std::string make_topic(int partitions) {
    const std::string name = unique_name();
    const Status made =
        log_->create({.name = name, .partitions = partitions, .replication = 1, .config = {}});
    EXPECT_TRUE(made) << made.error().message;
    return name;
  }

  Actor open(const SessionOptions& options = {}) {
    Result<std::unique_ptr<LogSession>> session = log_->open(options);
    EXPECT_TRUE(session) << session.error().message;
    return {std::move(*session), {}};
  }

  // Appends values as one batch of tickets 0.. and waits for the outcome.
  static void append_all(Actor& actor, TopicPartition to, const std::vector<std::string>& values,
                         Lane lane = Lane::kState) {
    const std::size_t before = actor.heard.appended.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      while (!actor.session->append(lane, to, {.key = "k", .value = values[i], .headers = {}}, i)) {
        actor.session->poll(actor.heard);
      }
    }
    EXPECT_TRUE(run(actor, [&] { return actor.heard.appended.size() == before + values.size(); }));
  }

  static std::vector<std::string> numbered(int count, const std::string& prefix = "v") {
    std::vector<std::string> values;
    for (int i = 0; i < count; ++i) values.push_back(prefix + std::to_string(i));
    return values;
  }

  static Bounds bounds_of(Actor& actor, TopicPartition of) {
    actor.heard.bounds.clear();
    actor.session->bounds(of);
    EXPECT_TRUE(run(actor, [&] { return !actor.heard.bounds.empty(); }));
    const Result<Bounds>& found = actor.heard.bounds.front().second;
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    return found.value_or(Bounds{});
  }

  std::string brokers_;
  std::unique_ptr<Log> log_;
};

}  // namespace penstock
