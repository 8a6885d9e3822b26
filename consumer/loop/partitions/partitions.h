// The partitions of a loop, with what the group and the log say about them: which ones it owns
// according to the group or, if the group does not know, according to the log; when each is
// claimed, given up and claimed again; and the tenure of each.
//
// A partition that the group takes back is returned to it at once, and worked on until the worker
// that has it next has read its state and asks for it, or for kYieldsAtMost.
//
// What always holds: after stop(), nothing is claimed.
//
// Belongs to the loop's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumer/loop/partitions/deferred_reports.h"
#include "consumer/loop/partitions/reclaim.h"
#include "consumer/loop/standby/standbys.h"
#include "consumer/loop/tenure/loop_options.h"
#include "consumer/loop/tenure/tenure.h"

namespace penstock {

struct HeldPartition {
  std::unique_ptr<Tenure> tenure;
  bool claims = false;  // claims in one of the next passes
  bool revoked = false;
  // It is not this member's, as the group sees it (taken back, or never given), and nobody has asked
  // for it yet: worked on until then.
  std::optional<Instant> yields_until = {};
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
  Partitions(const LoopOptions& options, TenureParts& parts, StepBudget& budget, Standbys& standbys)
      : options_(options), parts_(parts), budget_(budget), standbys_(standbys) {}

  // From the group.
  void on_assigned(std::span<const PartitionId> partitions, Now now);
  void on_revoked(std::span<const PartitionId> partitions, Now now);
  void on_lost(std::span<const PartitionId> partitions, Now now);
  void on_membership(PartitionId partition, bool is_member, Now now);
  // The brokers can be reached again.
  void on_connected(Now now);

  // No owner of the partition lives: claims it without waiting for the group, and works on it until
  // the worker that the group gives it to asks for it.
  void stand_in(PartitionId partition);
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
  // None is being read, or about to be.
  [[nodiscard]] bool has_read_all() const;
  [[nodiscard]] int running() const;  // attempts
  // Of tenures that have ended.
  [[nodiscard]] const TaskCounters& past_counters() const { return past_; }
  [[nodiscard]] std::uint64_t past_commits() const { return past_commits_; }
  [[nodiscard]] bool cut_off() const { return cut_off_; }

 private:
  // The next worker may have much state to read, and may itself wait for its group.
  static constexpr std::chrono::seconds kYieldsAtMost{60};
  // For another loop of this process, which has the rows open.
  static constexpr std::chrono::milliseconds kStoreAgainAfter{50};

  void yield(HeldPartition& held, Now now);
  void stay(HeldPartition& held);
  void leave_if_asked(PartitionId partition, HeldPartition& held, Now now);
  void release_unconfirmed(Now now);
  void claim_again_if_due(PartitionId partition, HeldPartition& held, Now now);
  void leave(HeldPartition& held, Now now);
  void end(PartitionId partition, HeldPartition& held, Now now);
  [[nodiscard]] bool claim(PartitionId partition, HeldPartition& held, Now now);
  [[nodiscard]] Result<std::unique_ptr<Store>> store_of(PartitionId partition);
  [[nodiscard]] TenureOptions next_tenure(PartitionId partition, const HeldPartition& held);
  [[nodiscard]] const LastTenure& last_of(PartitionId partition);
  [[nodiscard]] std::string grown(PartitionId partition) const;

  const LoopOptions& options_;
  TenureParts& parts_;
  StepBudget& budget_;
  Standbys& standbys_;
  std::map<PartitionId, HeldPartition> held_;
  // Kept as long as the process lives: even if the partition was elsewhere in the meantime, this
  // process must recognize a claim of its own tenure that has worked. A partition that the loop has
  // not claimed yet begins with what the previous process has left of it.
  std::map<PartitionId, LastTenure> last_;
  std::uint64_t next_tenure_ = 1;
  bool assigned_ = false;  // the group has answered, perhaps with no partitions
  std::optional<Instant> stop_until_;
  bool cut_off_ = false;
  TaskCounters past_;  // of tenures that have ended
  std::uint64_t past_commits_ = 0;
};

}  // namespace penstock
