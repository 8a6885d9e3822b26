// The Kafka log against a real broker at PENSTOCK_KAFKA (host:port). Each test makes its own
// topics.
#include "tests/integration/kafka_log_fixture.h"

namespace penstock {
namespace {

TEST_F(KafkaLogTest, AppendsOfALaneReachAPartitionInTheirOrderWithDenseOffsets) {
  Actor actor = open();
  const TopicPartition to{actor.session->topic(make_topic(2)), 1};
  append_all(actor, to, numbered(5000));
  for (std::size_t i = 0; i < actor.heard.appended.size(); ++i) {
    const auto& [ticket, result] = actor.heard.appended[i];
    ASSERT_EQ(ticket, i);
    ASSERT_FALSE(result.error);
    ASSERT_EQ(result.offset, Offset{static_cast<std::int64_t>(i)});
  }
  actor.session->read(to, Offset{0});
  ASSERT_TRUE(run(actor, [&] { return actor.heard.records[to].size() == 5000; }));
  for (std::size_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(actor.heard.records[to][i].offset, Offset{static_cast<std::int64_t>(i)});
    ASSERT_EQ(actor.heard.records[to][i].value, "v" + std::to_string(i));
  }
}

TEST_F(KafkaLogTest, ARecordIsReadAsItWasAppended) {
  Actor actor = open();
  const TopicPartition to{actor.session->topic(make_topic(1)), 0};
  const std::vector<HeaderView> headers = {{"traceparent", "00-ab"},
                                           {"empty", ""},
                                           {"null", std::nullopt},
                                           {"x", std::string_view("\0y", 2)}};
  const std::vector<NewRecord> given = {
      {.key = "plain", .value = "one", .headers = {}},
      {.key = std::nullopt, .value = std::nullopt, .headers = headers},
      {.key = "", .value = "", .headers = {}},
      {.key = "empty with headers", .value = "", .headers = headers},
      {.key = "last", .value = "four", .headers = std::span(headers).first(1)},
      {.key = "last", .value = "five", .headers = {}},
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    ASSERT_TRUE(actor.session->append(Lane::kOutbox, to, given[i], i));
  }
  actor.session->read(to, Offset{0});
  ASSERT_TRUE(run(actor, [&] { return actor.heard.records[to].size() == given.size(); }));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const ReadRecord& read = actor.heard.records[to][i];
    EXPECT_EQ(read.key, copy_of(given[i].key)) << i;
    EXPECT_EQ(read.value, copy_of(given[i].value)) << i;
    ASSERT_EQ(read.headers.size(), given[i].headers.size()) << i;
    for (std::size_t h = 0; h < read.headers.size(); ++h) {
      EXPECT_EQ(read.headers[h].name, given[i].headers[h].name);
      EXPECT_EQ(read.headers[h].value, given[i].headers[h].value);
    }
  }
}

TEST_F(KafkaLogTest, AReadBeginsExactlyAtItsOffset) {
  Actor actor = open();
  const TopicPartition from{actor.session->topic(make_topic(1)), 0};
  append_all(actor, from, numbered(1000));
  actor.session->read(from, Offset{637});
  ASSERT_TRUE(run(actor, [&] { return actor.heard.records[from].size() >= 363; }));
  EXPECT_EQ(actor.heard.records[from].front().offset, Offset{637});
  EXPECT_EQ(actor.heard.records[from].size(), 363U);
}

TEST_F(KafkaLogTest, ANewReadShowsNothingOfTheEarlierOne) {
  Actor actor = open();
  const TopicPartition from{actor.session->topic(make_topic(1)), 0};
  append_all(actor, from, numbered(20'000));
  for (const std::int64_t again : {500, 0, 19'000, 3, 7777}) {
    actor.heard.records.clear();
    actor.session->read(from, Offset{again});
    ASSERT_TRUE(run(actor, [&] { return !actor.heard.records[from].empty(); }));
    ASSERT_EQ(actor.heard.records[from].front().offset, Offset{again});
    actor.session->stop_reading(from);
  }
}

TEST_F(KafkaLogTest, AReadBegunFromInsideOnRecordsStartsAnew) {
  Actor actor = open();
  const TopicPartition from{actor.session->topic(make_topic(1)), 0};
  append_all(actor, from, numbered(10'000));
  bool restarted = false;
  actor.heard.records_hook = [&](TopicPartition) {
    if (restarted) return;
    restarted = true;
    actor.heard.records.clear();
    actor.session->stop_reading(from);
    actor.session->read(from, Offset{42});
  };
  actor.session->read(from, Offset{0});
  ASSERT_TRUE(run(actor, [&] { return actor.heard.records[from].size() >= 10'000 - 42; }));
  for (std::size_t i = 0; i < actor.heard.records[from].size(); ++i) {
    ASSERT_EQ(actor.heard.records[from][i].offset, Offset{static_cast<std::int64_t>(i) + 42});
  }
}

TEST_F(KafkaLogTest, NothingIsShownAfterStopReading) {
  Actor actor = open();
  const TopicPartition from{actor.session->topic(make_topic(2)), 0};
  const TopicPartition other{from.topic, 1};
  append_all(actor, from, numbered(2000));
  actor.session->read(from, Offset{0});
  ASSERT_TRUE(run(actor, [&] { return actor.session->poll(actor.heard); }));
  actor.session->stop_reading(from);
  const std::size_t shown = actor.heard.records[from].size();
  append_all(actor, from, numbered(10));
  append_all(actor, other, numbered(10));
  actor.session->read(other, Offset{0});
  ASSERT_TRUE(run(actor, [&] { return actor.heard.records[other].size() == 10; }));
  EXPECT_EQ(actor.heard.records[from].size(), shown);
}

TEST_F(KafkaLogTest, ARecordIsReadWhileTheReaderWaits) {
  Actor reader = open();
  Actor writer = open();
  const std::string name = make_topic(1);
  const TopicPartition from{reader.session->topic(name), 0};
  const TopicPartition to{writer.session->topic(name), 0};
  reader.session->read(from, Offset{0});
  append_all(writer, to, {"first"});
  ASSERT_TRUE(run(reader, [&] { return reader.heard.records[from].size() == 1; }));
  while (reader.session->poll(reader.heard)) {
  }
  append_all(writer, to, {"second"});
  const auto begin = SteadyClock::now();
  while (reader.heard.records[from].size() < 2 && SteadyClock::now() < begin + kPatience) {
    reader.session->wait(seconds(20));
    reader.session->poll(reader.heard);
  }
  EXPECT_LT(SteadyClock::now() - begin, seconds(5)) << "wait() slept past an arrival";
}

TEST_F(KafkaLogTest, APositionThatIsNotInTheLogIsReportedAndReadingStops) {
  Actor actor = open();
  const TopicPartition from{actor.session->topic(make_topic(1)), 0};
  append_all(actor, from, numbered(100));
  actor.session->read(from, Offset{101});
  ASSERT_TRUE(run(actor, [&] { return !actor.heard.out_of_range.empty(); }));
  EXPECT_EQ(actor.heard.out_of_range.front(), std::pair(from, Offset{101}));

  actor.session->delete_records(from, Offset{50});
  ASSERT_TRUE(run(actor, [&] { return !actor.heard.deleted.empty(); }));
  ASSERT_TRUE(actor.heard.deleted.front()) << actor.heard.deleted.front().error().message;
  actor.heard.out_of_range.clear();
  actor.session->read(from, Offset{49});
  ASSERT_TRUE(run(actor, [&] { return !actor.heard.out_of_range.empty(); }));
  EXPECT_EQ(actor.heard.out_of_range.front(), std::pair(from, Offset{49}));
  EXPECT_TRUE(actor.heard.records[from].empty());

  actor.session->read(from, Offset{50});
  ASSERT_TRUE(run(actor, [&] { return actor.heard.records[from].size() == 50; }));
}

TEST_F(KafkaLogTest, ReadingAtTheEndWaitsForTheNextRecord) {
  Actor actor = open();
  const TopicPartition from{actor.session->topic(make_topic(1)), 0};
  append_all(actor, from, numbered(10));
  actor.session->read(from, Offset{10});
  append_all(actor, from, {"next"});
  ASSERT_TRUE(run(actor, [&] { return !actor.heard.records[from].empty(); }));
  EXPECT_EQ(actor.heard.records[from].front().offset, Offset{10});
  EXPECT_TRUE(actor.heard.out_of_range.empty());
}

TEST_F(KafkaLogTest, BoundsFollowAppendsAndDeletions) {
  Actor actor = open();
  const TopicPartition of{actor.session->topic(make_topic(3)), 2};
  EXPECT_EQ(bounds_of(actor, of).end, Offset{0});
  append_all(actor, of, numbered(30));
  actor.session->delete_records(of, Offset{12});
  ASSERT_TRUE(run(actor, [&] { return !actor.heard.deleted.empty(); }));
  const Bounds bounds = bounds_of(actor, of);
  EXPECT_EQ(bounds.start, Offset{12});
  EXPECT_EQ(bounds.end, Offset{30});
}

TEST_F(KafkaLogTest, EveryQuestionForBoundsIsAnsweredOnce) {
  Actor actor = open();
  const TopicId topic = actor.session->topic(make_topic(4));
  for (PartitionId partition = 0; partition < 4; ++partition) {
    actor.session->bounds({topic, partition});
  }
  actor.session->bounds({topic, 0});
  ASSERT_TRUE(run(actor, [&] { return actor.heard.bounds.size() == 5; }));
  for (const auto& [of, bounds] : actor.heard.bounds) EXPECT_TRUE(bounds) << of.partition;
}

TEST_F(KafkaLogTest, BoundsOfAMissingPartitionSayWhy) {
  Actor actor = open();
  const TopicPartition of{actor.session->topic(make_topic(1)), 7};
  actor.session->bounds(of);
  ASSERT_TRUE(run(actor, [&] { return !actor.heard.bounds.empty(); }));
  ASSERT_FALSE(actor.heard.bounds.front().second);
  EXPECT_THAT(actor.heard.bounds.front().second.error().message, HasSubstr("partition 7"));
}

TEST_F(KafkaLogTest, ARenewedLaneForgetsItsAppendsAndGoesOn) {
  Actor actor = open();
  const TopicPartition to{actor.session->topic(make_topic(1)), 0};
  append_all(actor, to, numbered(3));
  actor.heard.appended.clear();
  for (Ticket ticket = 100; ticket < 1100; ++ticket) {
    const NewRecord record{.key = "k", .value = "forgotten", .headers = {}};
    ASSERT_TRUE(actor.session->append(Lane::kState, to, record, ticket));
  }
  const auto begin = SteadyClock::now();
  actor.session->renew(Lane::kState);
  EXPECT_LT(SteadyClock::now() - begin, milliseconds(500)) << "renew() must not block the loop";
  append_all(actor, to, numbered(3));
  for (const auto& [ticket, result] : actor.heard.appended) {
    EXPECT_LT(ticket, 100U);
    EXPECT_FALSE(result.error);
  }
}

TEST_F(KafkaLogTest, RenewingALaneFromInsideOnAppendedEndsItsReports) {
  Actor actor = open();
  const TopicPartition to{actor.session->topic(make_topic(1)), 0};
  int after_renewal = 0;
  bool renewed = false;
  actor.heard.appended_hook = [&](Ticket ticket) {
    if (renewed && ticket < 2000) ++after_renewal;
    if (renewed || ticket != 500) return;
    renewed = true;
    actor.session->renew(Lane::kState);
  };
  const NewRecord record{.key = "k", .value = "v", .headers = {}};
  for (Ticket ticket = 0; ticket < 2000; ++ticket) {
    ASSERT_TRUE(actor.session->append(Lane::kState, to, record, ticket));
  }
  ASSERT_TRUE(run(actor, [&] { return renewed; }));
  ASSERT_TRUE(actor.session->append(Lane::kState, to, record, 5000));
  ASSERT_TRUE(run(actor, [&] { return actor.heard.appended.back().first == 5000; }));
  EXPECT_EQ(after_renewal, 0);
}

TEST_F(KafkaLogTest, RenewingOneLaneLeavesTheOthersAppendsAlone) {
  Actor actor = open();
  const TopicPartition to{actor.session->topic(make_topic(1)), 0};
  const NewRecord record{.key = "k", .value = "v", .headers = {}};
  for (Ticket ticket = 0; ticket < 100; ++ticket) {
    ASSERT_TRUE(actor.session->append(Lane::kOutbox, to, record, ticket));
    ASSERT_TRUE(actor.session->append(Lane::kState, to, record, 1000 + ticket));
  }
  actor.session->renew(Lane::kState);
  ASSERT_TRUE(run(actor, [&] {
    return !actor.heard.appended.empty() && actor.heard.appended.back().first == 99;
  }));
  EXPECT_EQ(actor.heard.appended.size(), 100U);
}

TEST_F(KafkaLogTest, AnAppendToAMissingPartitionEndsWithAnError) {
  Actor actor = open();
  const TopicPartition to{actor.session->topic(make_topic(1)), 5};
  append_all(actor, to, {"lost"});
  ASSERT_EQ(actor.heard.appended.size(), 1U);
  EXPECT_TRUE(actor.heard.appended.front().second.error);
}

TEST_F(KafkaLogTest, TheBufferOfALaneIsBounded) {
  Result<std::unique_ptr<Log>> nowhere = open_kafka({{"bootstrap.servers", "127.0.0.1:1"}});
  ASSERT_TRUE(nowhere);
  Result<std::unique_ptr<LogSession>> session = (*nowhere)->open({});
  ASSERT_TRUE(session);
  const TopicPartition to{(*session)->topic("t"), 0};
  const NewRecord record{.key = "k", .value = "v", .headers = {}};
  Ticket taken = 0;
  while (taken < 1'000'000 && (*session)->append(Lane::kState, to, record, taken)) ++taken;
  EXPECT_LT(taken, 1'000'000U);
  EXPECT_GT(taken, 1000U);
}

TEST_F(KafkaLogTest, WakeEndsAWaitFromAnotherThread) {
  Actor actor = open();
  ASSERT_TRUE(run(actor, [&] { return actor.heard.connected.has_value(); }));
  while (actor.session->poll(actor.heard)) {
  }
  const auto begin = SteadyClock::now();
  std::jthread waker([&] { actor.session->wake(); });
  actor.session->wait(seconds(30));
  EXPECT_LT(SteadyClock::now() - begin, seconds(5));
}

TEST_F(KafkaLogTest, ASessionSaysWhetherABrokerCanBeReached) {
  Actor actor = open();
  ASSERT_TRUE(run(actor, [&] { return actor.heard.connected.has_value(); }));
  EXPECT_TRUE(*actor.heard.connected);

  Result<std::unique_ptr<Log>> nowhere = open_kafka({{"bootstrap.servers", "127.0.0.1:1"}});
  ASSERT_TRUE(nowhere);
  Actor lost{*(*nowhere)->open({}), {}};
  ASSERT_TRUE(run(lost, [&] { return lost.heard.connected.has_value(); }));
  EXPECT_FALSE(*lost.heard.connected);
  EXPECT_THAT(lost.heard.connection_detail, HasSubstr("127.0.0.1:1"));
}

TEST_F(KafkaLogTest, ACreatedTopicIsDescribedAsItWasMade) {
  const std::string name = unique_name();
  ASSERT_TRUE(log_->create({.name = name,
                            .partitions = 5,
                            .replication = 1,
                            .config = {{"message.timestamp.type", "LogAppendTime"}}}));
  const auto value_of = [](const TopicDescription& topic, std::string_view property) {
    for (const TopicProperty& one : topic.config) {
      if (one.name == property) return one.value;
    }
    return std::string("absent");
  };
  Result<TopicDescription> found = log_->describe(name);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->exists);
  EXPECT_EQ(found->partitions, 5);
  EXPECT_EQ(found->replication, 1);
  EXPECT_EQ(value_of(*found, "message.timestamp.type"), "LogAppendTime");

  ASSERT_TRUE(log_->configure(name, {{"retention.ms", "-1"}}));
  // A broker may describe a topic before it has heard of its change.
  const auto deadline = SteadyClock::now() + kPatience;
  do {
    found = log_->describe(name);
    ASSERT_TRUE(found);
  } while (value_of(*found, "retention.ms") != "-1" && SteadyClock::now() < deadline);
  EXPECT_EQ(value_of(*found, "retention.ms"), "-1");
  EXPECT_EQ(value_of(*found, "message.timestamp.type"), "LogAppendTime");
}

TEST_F(KafkaLogTest, AMissingTopicIsDescribedAsMissing) {
  const Result<TopicDescription> found = log_->describe(unique_name());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->exists);
}

TEST_F(KafkaLogTest, CreatingATopicTwiceIsRefused) {
  const std::string name = make_topic(1);
  const Status again =
      log_->create({.name = name, .partitions = 1, .replication = 1, .config = {}});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr(name));
}

TEST_F(KafkaLogTest, SettingAPropertyThatDoesNotExistIsRefused) {
  const Status set = log_->configure(make_topic(1), {{"no.such.property", "1"}});
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("no.such.property"));
}

TEST_F(KafkaLogTest, BrokersAreCounted) {
  const Result<int> count = log_->broker_count();
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_GE(*count, 1);
}

TEST(KafkaProperties, ThoseThatPenstockControlsAreRefusedByName) {
  for (const char* name : {"enable.auto.commit", "acks", "enable.idempotence", "auto.offset.reset",
                           "partition.assignment.strategy", "enable.partition.eof", "group.id"}) {
    const auto opened = open_kafka({{"bootstrap.servers", "localhost:9092"}, {name, "x"}});
    ASSERT_FALSE(opened) << name;
    EXPECT_THAT(opened.error().message, HasSubstr(name));
  }
}

TEST(KafkaProperties, UnknownOnesAndBadValuesAreRefusedByName) {
  const auto unknown = open_kafka({{"bootstrap.servers", "localhost:9092"}, {"no.such", "x"}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("no.such"));
  const auto bad = open_kafka({{"bootstrap.servers", "x:1"}, {"socket.timeout.ms", "soon"}});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("socket.timeout.ms"));
  EXPECT_FALSE(open_kafka({}));
}

}  // namespace
}  // namespace penstock
