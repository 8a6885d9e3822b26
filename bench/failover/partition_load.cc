#include "bench/failover/partition_load.h"

#include <algorithm>

#include "topics/partitioner.h"

namespace penstock {
namespace {

constexpr std::size_t kAccounts = 4;  // of each partition; each runs one job at a time
constexpr std::size_t kRowBytes = 10'000;
constexpr std::int64_t kFarMs = std::int64_t{30} * 24 * 3600 * 1000;
constexpr int kMostJobsPerSecond = 1'000;
constexpr std::chrono::milliseconds kShortestInterval{5};
// Ids follow from numbers: those of the rows come before.
constexpr std::size_t kFirstJob = 1'000'000'000;

std::int64_t in_the_far_future() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() + kFarMs;
}

}  // namespace

PartitionLoad::PartitionLoad(const BenchQueue& queue) : queue_(queue), next_job_(kFirstJob) {
  for (PartitionId partition = 0; partition < queue.policy().partitions; ++partition) {
    std::vector<std::string>& found = accounts_.emplace_back();
    for (int number = 0; found.size() < kAccounts; ++number) {
      std::string name = std::to_string(partition) + " " + std::to_string(number);
      if (partition_of(name, queue.policy().partitions) == partition)
        found.push_back(std::move(name));
    }
  }
}

std::string PartitionLoad::account(PartitionId partition, std::size_t number) const {
  return accounts_[static_cast<std::size_t>(partition)][number % kAccounts];
}

std::chrono::milliseconds PartitionLoad::interval() const {
  const std::chrono::milliseconds by_rate{queue_.policy().partitions * 1000 / kMostJobsPerSecond};
  return std::max(kShortestInterval, by_rate);
}

Status PartitionLoad::fill(std::size_t bytes) const {
  const auto partitions = static_cast<std::size_t>(queue_.policy().partitions);
  const std::size_t rows = bytes / kRowBytes * partitions;
  const std::int64_t far = in_the_far_future();
  return queue_.fill(rows + partitions, [&](std::size_t i) {
    const BenchJob job{.type = kType,
                       .number = i,
                       .bytes = i < rows ? kRowBytes : 0,
                       .run_at_ms = i < rows ? far : 0};
    return BenchQueue::Line{account(static_cast<PartitionId>(i % partitions), i / partitions), job};
  });
}

Status PartitionLoad::start() {
  auto producer = queue_.open_producer();
  if (!producer) return tl::unexpected(producer.error());
  sender_ = std::jthread([this, producer = std::move(*producer)](const std::stop_token& stop) {
    auto next = std::chrono::steady_clock::now();
    for (; !stop.stop_requested(); std::this_thread::sleep_until(next += interval())) {
      for (PartitionId partition = 0; partition < queue_.policy().partitions; ++partition) {
        const BenchJob job{.type = kType, .number = next_job_, .bytes = 0};
        producer->send(account(partition, next_job_++ / accounts_.size()), job.text());
      }
    }
    static_cast<void>(producer->finish());
  });
  return {};
}

void PartitionLoad::stop() { sender_ = {}; }

}  // namespace penstock
