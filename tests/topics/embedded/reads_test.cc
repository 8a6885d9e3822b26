#include "topics/embedded/reads.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/conformance/temporary_directory.h"
#include "tests/topics/embedded/silent_listener.h"
#include "topics/embedded/embedded_log.h"

namespace penstock::embedded {
namespace {

struct HeardRecords final : SilentListener {
  std::map<PartitionId, std::size_t> seen;
  std::size_t appended = 0;
  void on_records(TopicPartition from, std::span<const LogRecord> records) override {
    seen[from.partition] += records.size();
  }
  void on_appended(Lane, Ticket, const Appended&) override { ++appended; }
};

TEST(Reads, NoPartitionWaitsForAnother) {
  constexpr std::size_t kRecords = 2 * kMaxRecordsPerVisit;
  const TemporaryDirectory directory;
  const auto log = open_embedded(directory.path());
  ASSERT_TRUE(log);
  ASSERT_TRUE((*log)->create({.name = "mail", .partitions = 2, .replication = 1, .config = {}}));
  const auto session = std::move(*(*log)->open({}));
  const TopicId topic = session->topic("mail");
  HeardRecords heard;
  for (std::size_t i = 0; i < 2 * kRecords; ++i) {
    const TopicPartition to{topic, static_cast<PartitionId>(i % 2)};
    ASSERT_TRUE(session->append(Lane::kState, to, {.key = {}, .value = "v", .headers = {}}, i));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (heard.appended < 2 * kRecords && std::chrono::steady_clock::now() < deadline) {
    if (!session->poll(heard)) session->wait(std::chrono::milliseconds(10));
  }
  ASSERT_EQ(heard.appended, 2 * kRecords);
  for (const PartitionId partition : {0, 1}) session->read({topic, partition}, Offset{0});
  EXPECT_TRUE(session->poll(heard));
  EXPECT_EQ(heard.seen[0], kMaxRecordsPerVisit);
  EXPECT_EQ(heard.seen[1], kMaxRecordsPerVisit);
  EXPECT_TRUE(session->poll(heard));
  EXPECT_EQ(heard.seen[0], kRecords);
  EXPECT_EQ(heard.seen[1], kRecords);
  EXPECT_FALSE(session->poll(heard));
}

}  // namespace
}  // namespace penstock::embedded
