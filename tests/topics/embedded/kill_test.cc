// What the embedded log has after its process was killed with -9 in the midst of appending.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <sstream>

#include "tests/conformance/temporary_directory.h"
#include "topics/embedded/embedded_log.h"

extern char** environ;

namespace penstock {
namespace {

constexpr int kPartitions = 3;

// A running embedded_appender.
class Appender {
 public:
  explicit Appender(const std::string& directory) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    std::string program = EMBEDDED_APPENDER;
    std::string dir = directory;
    std::string topic = "topic";
    std::string partitions = std::to_string(kPartitions);
    char* arguments[] = {program.data(), dir.data(), topic.data(), partitions.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    out_ = ends[0];
  }
  ~Appender() {
    kill_now();
    close(out_);
  }
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  // Reads what it says until that has so many bytes, or the process has ended.
  void listen(std::size_t bytes) {
    char buffer[4096];
    while (said_.size() < bytes) {
      const ssize_t n = read(out_, buffer, sizeof(buffer));
      if (n <= 0) break;
      said_.append(buffer, static_cast<std::size_t>(n));
    }
  }
  // Ends it, and hears all that it has said.
  int kill_now() {
    if (pid_ == 0) return 0;
    kill(pid_, SIGKILL);
    listen(SIZE_MAX);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }

  // The greatest acknowledged offset of each partition. A line that was cut off by the kill is left
  // out.
  [[nodiscard]] std::map<PartitionId, std::int64_t> acknowledged() const {
    std::map<PartitionId, std::int64_t> last;
    std::istringstream lines(said_.substr(0, said_.rfind('\n') + 1));
    PartitionId partition = 0;
    for (std::int64_t offset = 0; lines >> partition >> offset;) last[partition] = offset;
    return last;
  }

 private:
  pid_t pid_ = 0;
  int out_ = -1;
  std::string said_;
};

// Reads a whole topic.
class Everything final : public LogListener {
 public:
  explicit Everything(LogSession& session) : session_(session) {
    const TopicId topic = session.topic("topic");
    for (PartitionId p = 0; p < kPartitions; ++p) {
      session.bounds({topic, p});
      session.read({topic, p}, Offset{0});
    }
    while (ends.size() < kPartitions || session_.poll(*this)) {
      session_.poll(*this);
    }
  }

  std::map<PartitionId, std::int64_t> ends;
  std::map<PartitionId, std::int64_t> seen;

  void on_records(TopicPartition from, std::span<const LogRecord> records) override {
    for (const LogRecord& record : records) {
      EXPECT_EQ(record.offset.value, seen[from.partition]++);
      EXPECT_EQ(record.value,
                std::to_string(from.partition) + "/" + std::to_string(record.offset.value));
    }
  }
  void on_bounds(TopicPartition of, const Result<Bounds>& bounds) override {
    ends[of.partition] = bounds->end.value;
  }
  void on_fatal(std::string_view detail) override { ADD_FAILURE() << detail; }
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_out_of_range(TopicPartition, Offset) override { ADD_FAILURE() << "out of range"; }
  void on_appended(Lane, Ticket, const Appended&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool, std::string_view) override {}

 private:
  LogSession& session_;
};

TEST(EmbeddedLogKilled, KeepsEveryAcknowledgedRecordAndDenseOffsets) {
  TemporaryDirectory directory;
  {
    auto log = open_embedded(directory.path());
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_TRUE((*log)->create(
        {.name = "topic", .partitions = kPartitions, .replication = 1, .config = {}}));
  }
  std::map<PartitionId, std::int64_t> before;
  for (int round = 0; round < 5; ++round) {
    Appender appender(directory.path());
    appender.listen(static_cast<std::size_t>(2000 * (round + 1)));
    const int status = appender.kill_now();
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself, with " << WEXITSTATUS(status);
    const auto acknowledged = appender.acknowledged();
    ASSERT_EQ(acknowledged.size(), static_cast<std::size_t>(kPartitions));

    auto log = open_embedded(directory.path());
    ASSERT_TRUE(log) << log.error().message;
    auto session = (*log)->open({});
    Everything everything(**session);
    for (PartitionId p = 0; p < kPartitions; ++p) {
      EXPECT_GT(everything.ends[p], acknowledged.at(p)) << "an acknowledged record is gone";
      EXPECT_GT(acknowledged.at(p), before[p]) << "nothing was appended";
      EXPECT_EQ(everything.seen[p], everything.ends[p]);
    }
    before = everything.ends;
  }
}

TEST(EmbeddedLogKilled, ADirectoryThatAnotherProcessHasIsRefusedByName) {
  TemporaryDirectory directory;
  {
    auto log = open_embedded(directory.path());
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_TRUE((*log)->create(
        {.name = "topic", .partitions = kPartitions, .replication = 1, .config = {}}));
  }
  Appender appender(directory.path());
  appender.listen(1);
  const auto log = open_embedded(directory.path());
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find(directory.path() + " is in use by another process"),
            std::string::npos)
      << log.error().message;
}

}  // namespace
}  // namespace penstock
