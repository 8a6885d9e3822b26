// The partitions that this member follows while other workers own them (`standbys` of the queue), and
// their copies. When the group gives it one of them, the tenure begins with the copy's store. A
// partition that has no owner any more is told to Partitions, which claims it without waiting for the
// group.
//
// Belongs to the loop's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consumer/loop/tenure/loop_options.h"
#include "consumer/loop/tenure/tenure_parts.h"
#include "state/owner/standby.h"

namespace penstock {

class Standbys {
 public:
  // How often the group is asked who its members are.
  static constexpr std::chrono::seconds kAskEvery{3};
  // After a change, which is usually one of several.
  static constexpr std::chrono::milliseconds kAskSoon{500};

  Standbys(const LoopOptions& options, TenureParts& parts);
  ~Standbys();

  // The group has assigned or revoked something, so others may have, too.
  void on_change(Now now);
  void on_peers(std::span<const GroupPeer> peers);
  void on_bounds(TopicPartition of, const Result<Bounds>& bounds, Now now);
  void on_records(TopicPartition from, std::span<const LogRecord> records, Now now);
  void on_out_of_range(TopicPartition from);

  // One step; `is_held` says which partitions are the loop's own, and `is_busy` that some of those are
  // still being taken over. Opens at most one copy, once those before it have been read, because
  // reading takes the time of the loop; and writes at most one.
  template <typename IsHeld>
  void step(IsHeld is_held, bool is_busy, Now now) {
    if (options_.queue.standbys == 0 || now.boot < next_step_) return;
    next_step_ = now.boot + kStepEvery;
    ask_if_due(now);
    for (const PartitionId partition : partitions()) {
      if (!wanted_.contains(partition)) close(partition);
    }
    for (const auto& [partition, rank] : wanted_) {
      if (is_busy || reads()) break;
      if (!is_held(partition) && open(partition, rank)) break;
    }
    advance(now);
  }
  // The store of the partition's copy, up to date, because the partition is being claimed. Null:
  // there is none.
  [[nodiscard]] std::unique_ptr<Store> take(PartitionId partition);
  // The partitions that have no owner any more.
  [[nodiscard]] std::vector<PartitionId> vacant(Now now) const;
  // Closes every copy.
  void stop();

  [[nodiscard]] std::vector<PartitionId> partitions() const;
  // How many copies have caught up with their logs.
  [[nodiscard]] std::size_t current() const;

 private:
  static constexpr std::chrono::milliseconds kStepEvery{20};

  class Copy;

  void ask_if_due(Now now);
  [[nodiscard]] bool reads() const;
  [[nodiscard]] bool open(PartitionId partition, int rank);
  void close(PartitionId partition);
  void advance(Now now);
  [[nodiscard]] Standby* find(TopicPartition of);

  const LoopOptions& options_;
  TenureParts& parts_;
  TopicId state_topic_;
  std::map<PartitionId, int> wanted_;  // with their ranks
  std::map<PartitionId, std::unique_ptr<Copy>> copies_;
  Instant ask_at_{}, next_step_{};
  PartitionId next_to_settle_ = 0;
  bool stopped_ = false;
};

}  // namespace penstock
