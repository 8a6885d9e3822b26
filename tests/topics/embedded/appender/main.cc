// Appends to an embedded log until it is killed, and says what was acknowledged: a line "partition
// offset" each. Each record's value is "partition/offset" as it must come to lie, since one session
// appends alone and without a failure.
//
// usage: embedded_appender DIRECTORY TOPIC PARTITIONS
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "topics/embedded/embedded_log.h"

namespace penstock {
namespace {

class Appender final : public LogListener {
 public:
  Appender(LogSession& session, TopicId topic, int partitions)
      : session_(session), topic_(topic), next_(static_cast<std::size_t>(partitions), -1) {
    for (PartitionId p = 0; p < partitions; ++p) session_.bounds({topic_, p});
  }

  void run() {
    for (std::uint64_t turn = 0;; ++turn) {
      // Now and then only, so that there are commits of one record and of many.
      for (std::uint64_t i = 0; i < 1 + turn % 50; ++i) append_one();
      if (!session_.poll(*this)) session_.wait(std::chrono::milliseconds(10));
      say();
    }
  }

  void on_bounds(TopicPartition of, const Result<Bounds>& bounds) override {
    next_[static_cast<std::size_t>(of.partition)] = bounds->end.value;
  }
  void on_appended(Lane, Ticket ticket, const Appended& result) override {
    if (result.error) std::exit(3);
    said_ += std::to_string(ticket) + " " + std::to_string(result.offset->value) + "\n";
  }
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_records(TopicPartition, std::span<const LogRecord>) override {}
  void on_out_of_range(TopicPartition, Offset) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool, std::string_view) override {}
  void on_fatal(std::string_view) override { std::exit(3); }

 private:
  void append_one() {
    const std::size_t p = turn_++ % next_.size();
    if (next_[p] < 0) return;
    const std::string value = std::to_string(p) + "/" + std::to_string(next_[p]);
    const TopicPartition to{topic_, static_cast<PartitionId>(p)};
    if (session_.append(Lane::kState, to, {.key = "k", .value = value, .headers = {}}, p)) {
      ++next_[p];
    }
  }

  void say() {
    std::size_t written = 0;
    while (written < said_.size()) {
      const ssize_t n = write(STDOUT_FILENO, said_.data() + written, said_.size() - written);
      if (n <= 0) std::exit(3);
      written += static_cast<std::size_t>(n);
    }
    said_.clear();
  }

  LogSession& session_;
  const TopicId topic_;
  std::vector<std::int64_t> next_;
  std::uint64_t turn_ = 0;
  std::string said_;
};

int run(const std::string& directory, const std::string& topic, int partitions) {
  const auto log = open_embedded(directory);
  if (!log) {
    std::cerr << log.error().message << "\n";
    return 1;
  }
  const auto session = (*log)->open({});
  Appender appender(**session, (*session)->topic(topic), partitions);
  appender.run();
  return 0;
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return penstock::run(argv[1], argv[2], std::atoi(argv[3]));
}
