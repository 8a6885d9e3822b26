// What the embedded log promises beyond what every log does (tests/conformance).
#include "topics/embedded/embedded_log.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/conformance/temporary_directory.h"
#include "topics/embedded/disk/writer.h"

namespace penstock {
namespace {

constexpr std::chrono::seconds kPatience{120};

// A session and what it was told, for one partition.
class Client final : public LogListener {
 public:
  Client(Log& log, const std::string& topic)
      : session(std::move(*log.open({}))), to{session->topic(topic), 0} {}

  void append(const std::string& value) {
    const NewRecord record{.key = "k", .value = value, .headers = {}};
    while (!session->append(Lane::kState, to, record, asked)) step();
    ++asked;
  }
  void append_all(int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) append(std::string(bytes, 'x'));
    until([this] { return answered == asked; });
  }
  void until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition() && std::chrono::steady_clock::now() < deadline) step();
    EXPECT_TRUE(condition()) << "answered " << answered << " of " << asked << ", read to " << next
                             << ", " << fatal.size()
                             << " fatal: " << (fatal.empty() ? "" : fatal.front());
  }
  Bounds bounds() {
    known_bounds.reset();
    session->bounds(to);
    until([this] { return known_bounds.has_value(); });
    return known_bounds.value_or(Bounds{});
  }
  void step() {
    if (!session->poll(*this)) session->wait(std::chrono::milliseconds(10));
  }

  void on_appended(Lane, Ticket, const Appended& result) override {
    ++answered;
    if (result.error) errors.push_back(*result.error);
  }
  void on_records(TopicPartition, std::span<const LogRecord> records) override {
    for (const LogRecord& record : records) {
      EXPECT_EQ(record.offset.value, next++);
      last_at = record.timestamp;
    }
  }
  void on_bounds(TopicPartition, const Result<Bounds>& result) override { known_bounds = *result; }
  void on_out_of_range(TopicPartition, Offset) override { ++out_of_range; }
  void on_fatal(std::string_view detail) override { fatal.emplace_back(detail); }
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override { ++deleted; }
  void on_connection(bool, std::string_view) override {}

  std::unique_ptr<LogSession> session;
  TopicPartition to;
  Ticket asked = 0;
  Ticket answered = 0;
  int deleted = 0;
  int out_of_range = 0;
  std::int64_t next = 0;
  Time last_at{};
  std::optional<Bounds> known_bounds;
  std::vector<std::string> errors;
  std::vector<std::string> fatal;
};

std::unique_ptr<Log> open(const TemporaryDirectory& directory) {
  auto log = open_embedded(directory.path());
  EXPECT_TRUE(log) << log.error().message;
  return std::move(*log);
}

void create(Log& log, const std::string& name, std::vector<TopicProperty> config = {}) {
  const Status created =
      log.create({.name = name, .partitions = 1, .replication = 1, .config = std::move(config)});
  EXPECT_TRUE(created) << created.error().message;
}

TEST(EmbeddedLog, HalfOfTheWritersQueueIsKeptForTheStateLane) {
  using embedded::has_room_for, embedded::kMaxQueuedBytes, embedded::kMaxQueuedBytesOfOutboxes;
  EXPECT_TRUE(has_room_for(Lane::kOutbox, kMaxQueuedBytesOfOutboxes - 1, 1));
  EXPECT_FALSE(has_room_for(Lane::kOutbox, kMaxQueuedBytesOfOutboxes, 1));
  EXPECT_TRUE(has_room_for(Lane::kState, kMaxQueuedBytesOfOutboxes, kMaxQueuedBytes / 2));
  EXPECT_FALSE(has_room_for(Lane::kState, kMaxQueuedBytes, 1));
  EXPECT_TRUE(has_room_for(Lane::kOutbox, 0, kMaxQueuedBytes + 1));
}

TEST(EmbeddedLog, IsAsItWasWhenOpenedAgain) {
  TemporaryDirectory directory;
  {
    auto log = open(directory);
    create(*log, "topic", {{"retention.ms", "-1"}});
    Client client(*log, "topic");
    client.append_all(1000, 100);
    client.session->delete_records(client.to, Offset{400});
    client.until([&] { return client.deleted == 1; });
  }
  auto log = open(directory);
  EXPECT_EQ(log->describe("topic")->config.front().value, "-1");
  Client client(*log, "topic");
  const Bounds bounds = client.bounds();
  EXPECT_EQ(bounds.start, Offset{400});
  EXPECT_EQ(bounds.end, Offset{1000});
  client.append_all(10, 100);
  client.next = 400;
  client.session->read(client.to, Offset{400});
  client.until([&] { return client.next == 1010; });
}

TEST(EmbeddedLog, OffsetsAtATimeAreFoundInWhatIsOnlyOnTheDisk) {
  TemporaryDirectory directory;
  std::vector<Time> times;
  {
    auto log = open(directory);
    create(*log, "t");
    Client client(*log, "t");
    client.session->read(client.to, Offset{0});
    // Commits of two records each, so that each pair shares a chunk and most have times of their own.
    for (int i = 0; i < 40; ++i) {
      client.append_all(2, 10);
      client.until([&] { return client.next == 2 * (i + 1); });
      times.push_back(client.last_at);
    }
  }
  auto log = open(directory);
  for (const Time at : times) {
    const auto first = std::lower_bound(times.begin(), times.end(), at) - times.begin();
    const auto offsets = log->offsets_at("t", at);
    ASSERT_TRUE(offsets) << offsets.error().message;
    // The two records of a step may lie in one chunk or in two.
    EXPECT_GE(offsets->at(0).at.value, 2 * first);
    EXPECT_LE(offsets->at(0).at.value, 2 * first + 1);
  }
  EXPECT_EQ(log->offsets_at("t", times.back() + Duration(1))->at(0).at, Offset{80});
  EXPECT_EQ(log->offsets_at("t", Time{})->at(0).at, Offset{0});
}

TEST(EmbeddedLog, RemembersItsEndWhenEverythingWasDeleted) {
  TemporaryDirectory directory;
  {
    auto log = open(directory);
    create(*log, "topic");
    Client client(*log, "topic");
    client.append_all(50, 100);
    client.session->delete_records(client.to, Offset{50});
    client.until([&] { return client.deleted == 1; });
  }
  auto log = open(directory);
  Client client(*log, "topic");
  EXPECT_EQ(client.bounds().start, Offset{50});
  EXPECT_EQ(client.bounds().end, Offset{50});
}

TEST(EmbeddedLog, RetentionBySizeDropsTheOldest) {
  TemporaryDirectory directory;
  auto log = open(directory);
  create(*log, "topic", {{"retention.bytes", "1000000"}, {"segment.bytes", "100000"}});
  Client client(*log, "topic");
  for (int i = 0; i < 20; ++i) client.append_all(100, 1000);
  client.until([&] { return client.bounds().start > Offset{600}; });
  const Bounds bounds = client.bounds();
  EXPECT_GE(bounds.end.value - bounds.start.value, 900) << "more was dropped than had to be";
  client.next = bounds.start.value;
  client.session->read(client.to, bounds.start);
  client.until([&] { return client.next == bounds.end.value; });
}

TEST(EmbeddedLog, RetentionByAgeDropsWhatIsOldWithoutFurtherAppends) {
  TemporaryDirectory directory;
  auto log = open(directory);
  create(*log, "topic", {{"retention.ms", "10"}});
  Client client(*log, "topic");
  client.append_all(100, 100);
  client.until([&] { return client.bounds().start == Offset{100}; });
  EXPECT_EQ(client.bounds().end, Offset{100});
}

TEST(EmbeddedLog, ACompactedTopicKeepsEverything) {
  TemporaryDirectory directory;
  auto log = open(directory);
  create(*log, "control", {{"cleanup.policy", "compact"}, {"retention.ms", "1"}});
  create(*log, "other", {{"retention.ms", "1"}});
  Client control(*log, "control");
  Client other(*log, "other");
  control.append_all(100, 100);
  other.append_all(100, 100);
  other.until([&] { return other.bounds().start == Offset{100}; });
  EXPECT_EQ(control.bounds().start, Offset{0});
}

TEST(EmbeddedLog, AChangedRetentionTakesEffect) {
  TemporaryDirectory directory;
  auto log = open(directory);
  create(*log, "topic");
  Client client(*log, "topic");
  client.append_all(10, 100);
  ASSERT_TRUE(log->configure("topic", {{"retention.ms", "1"}}));
  client.until([&] { return client.bounds().start == Offset{10}; });
}

// More than the tail cache holds: the beginning is read from the disk, the end from memory.
TEST(EmbeddedLog, AReaderFarBehindReadsEverything) {
  TemporaryDirectory directory;
  auto log = open(directory);
  create(*log, "topic");
  Client client(*log, "topic");
  constexpr int kRecords = 60000;
  client.append_all(kRecords, 1000);
  client.session->read(client.to, Offset{0});
  client.until([&] { return client.next == kRecords; });
}

TEST(EmbeddedLog, AReaderThatTrimmingOvertakesIsOutOfRange) {
  TemporaryDirectory directory;
  auto log = open(directory);
  create(*log, "topic");
  Client client(*log, "topic");
  client.append_all(20000, 1000);
  client.session->read(client.to, Offset{0});
  client.until([&] { return client.next > 0; });
  ASSERT_LT(client.next, 20000);
  Client trimmer(*log, "topic");
  trimmer.session->delete_records(trimmer.to, Offset{20000});
  trimmer.until([&] { return trimmer.deleted == 1; });
  client.until([&] { return client.out_of_range == 1; });
  EXPECT_LT(client.next, 20000);
}

TEST(EmbeddedLog, SessionsOnManyThreadsAppendAndReadTogether) {
  TemporaryDirectory directory;
  auto log = open(directory);
  create(*log, "topic");
  constexpr int kThreads = 4;
  constexpr int kEach = 5000;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Client client(*log, "topic");
      client.session->read(client.to, Offset{0});
      client.append_all(kEach, 50);
      client.until([&] { return client.next == kThreads * kEach; });
    });
  }
}

TEST(EmbeddedLog, WakeEndsAWaitFromAnotherThread) {
  TemporaryDirectory directory;
  auto log = open(directory);
  create(*log, "topic");
  Client client(*log, "topic");
  client.step();
  std::jthread waker([&] { client.session->wake(); });
  const auto began = std::chrono::steady_clock::now();
  client.session->wait(std::chrono::minutes(5));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(1));
}

// No file of this process may grow beyond a size, as on a full disk.
class FullDisk {
 public:
  FullDisk() {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

TEST(EmbeddedLog, AFailedWriteEndsAppendingUntilItIsOpenedAgain) {
  TemporaryDirectory directory;
  {
    auto log = open(directory);
    create(*log, "topic");
    Client client(*log, "topic");
    client.append_all(10, 100);
    ASSERT_TRUE(client.errors.empty());
    {
      const FullDisk full;
      client.append_all(10, 100);
    }
    EXPECT_EQ(client.errors.size(), 10u);
    client.append_all(10, 100);
    EXPECT_EQ(client.errors.size(), 20u)
        << "what the disk has is not known until it is opened again";
    client.until([&] { return !client.fatal.empty(); });
    EXPECT_NE(client.fatal.front().find(directory.path()), std::string::npos);
    EXPECT_EQ(client.bounds().end, Offset{10});
  }
  auto log = open(directory);
  Client client(*log, "topic");
  const Bounds bounds = client.bounds();
  EXPECT_GE(bounds.end, Offset{10});
  client.append_all(10, 100);
  EXPECT_TRUE(client.errors.empty());
  client.session->read(client.to, Offset{0});
  client.until([&] { return client.next == bounds.end.value + 10; });
}

TEST(EmbeddedLog, ADirectoryThatThisProcessHasOpenIsRefused) {
  TemporaryDirectory directory;
  auto log = open(directory);
  const auto again = open_embedded(directory.path());
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find(directory.path()), std::string::npos);
}

TEST(EmbeddedLog, ADirectoryThatCannotBeMadeIsAnErrorThatNamesIt) {
  TemporaryDirectory directory;
  const std::string file = directory.path() + "/file";
  std::ofstream(file) << "no directory";
  const auto log = open_embedded(file + "/log");
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find(file + "/log"), std::string::npos);
}

}  // namespace
}  // namespace penstock
