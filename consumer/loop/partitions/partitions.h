// The partitions of a loop, with what the group and the log say about them: which ones it owns
// according to the group or, if the group does not know, according to the log; when each is
// claimed, given up and claimed again; and the tenure of each.
//
// What always holds:
//  - A revoked partition is returned to the group only after its tenure has ended.
//  - After stop(), nothing is claimed.
// Belongs to the loop's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumer/loop/partitions/deferred_reports.h"
#include "consumer/loop/partitions/loop_options.h"
#include "consumer/loop/partitions/reclaim.h"
#include "consumer/loop/tenure/tenure.h"

namespace penstock {

struct HeldPartition {
  std::unique_ptr<Tenure> tenure;
  bool claims = false;  // claims in one of the next passes
  bool revoked = false;
  // The group has dropped this member and has not assigned anything since. Until it does, or
  // until another worker claims the partition, the partition is worked on.
  bool unconfirmed = false;
  bool asking = false;  // waiting for the answer to check_membership
  Reclaim reclaim = {};
  std::string told = {};  // the reason for giving up that has been logged
  DeferredReports deferred = {};
};

class Partitions {
 public:
  // The tenures' steps are bounded by `budget`.
  Partitions(const LoopOptions& options, TenureParts& parts, StepBudget& budget)
      : options_(options), parts_(parts), budget_(budget) {}

  // From the group.
  void on_assigned(std::span<const PartitionId> partitions, Now now);
  void on_revoked(std::span<const PartitionId> partitions, Now now);
  void on_lost(std::span<const PartitionId> partitions, Now now);
  void on_membership(PartitionId partition, bool is_member, Now now);
  // The brokers can be reached again.
  void on_connected(Now now);

  // Claims a partition if one is waiting for it, and returns whether it did. One per pass, because
  // each opens a store.
  [[nodiscard]] bool claim_one(Now now);
  // Removes tenures that have ended, and partitions that are not the loop's any more.
  void reap(Now now);
  // Running attempts may continue until `until`.
  void stop(Instant until);
  [[nodiscard]] bool stopping() const { return stop_until_.has_value(); }

  [[nodiscard]] const std::map<PartitionId, HeldPartition>& all() const { return held_; }
  [[nodiscard]] std::vector<PartitionId> ids() const;
  [[nodiscard]] HeldPartition* find(PartitionId partition);
  [[nodiscard]] Tenure* tenure(PartitionId partition);
  // Visits all partitions that have a tenure, beginning at `first`.
  template <typename Visit>
  void each_from(PartitionId first, Visit visit) {
    auto at = held_.lower_bound(first);
    for (std::size_t left = held_.size(); left > 0; --left, ++at) {
      if (at == held_.end()) at = held_.begin();
      if (at->second.tenure) visit(at->first, at->second);
    }
  }
  template <typename Visit>
  void each(Visit visit) {
    each_from(0, [&](PartitionId, HeldPartition& held) { visit(held); });
  }

  [[nodiscard]] bool all_run() const;
  [[nodiscard]] int running() const;  // attempts
  // Of tenures that have ended.
  [[nodiscard]] const TaskCounters& past_counters() const { return past_; }
  [[nodiscard]] std::uint64_t past_commits() const { return past_commits_; }
  [[nodiscard]] bool cut_off() const { return cut_off_; }

 private:
  // When the group has dropped its members, each works on until it has joined again. By then, a
  // worker that had the partition before has released it, which takes one or two commits.
  static constexpr std::chrono::seconds kYieldAfterLoss{1};

  void release_unconfirmed(Now now);
  void claim_again_if_due(PartitionId partition, HeldPartition& held, Now now);
  void leave(HeldPartition& held, Now now);
  void end(PartitionId partition, HeldPartition& held, Now now);
  [[nodiscard]] bool claim(PartitionId partition, HeldPartition& held, Now now);
  [[nodiscard]] TenureOptions next_tenure(PartitionId partition, const HeldPartition& held);
  [[nodiscard]] std::string grown(PartitionId partition) const;

  const LoopOptions& options_;
  TenureParts& parts_;
  StepBudget& budget_;
  std::map<PartitionId, HeldPartition> held_;
  // Kept as long as the process lives: even if the partition was elsewhere in the meantime, this
  // process must recognize a claim of its own tenure that has worked.
  std::map<PartitionId, LastTenure> last_;
  std::uint64_t next_tenure_ = 1;
  bool assigned_ = false;  // the group has answered, perhaps with no partitions
  bool lost_ = false;      // the group has dropped this member since
  std::optional<Instant> stop_until_;
  bool cut_off_ = false;
  TaskCounters past_;  // of tenures that have ended
  std::uint64_t past_commits_ = 0;
};

}  // namespace penstock
