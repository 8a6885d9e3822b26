// The commits of one tenure: when one is due, what it contains besides the task's rows (what the
// sweep carries forward and the log's size), and what it will have recorded once it counts.
//
// What always holds: the log is cut only below rows that a commit which counts has carried forward.
// Belongs to the loop's thread.
#pragma once

#include <deque>
#include <optional>

#include "consumer/loop/tenure/tenure_core.h"
#include "consumer/loop/tenure/tenure_input.h"
#include "state/log/sweep.h"

namespace penstock {

class TenureCommits {
 public:
  TenureCommits(TenureCore& core, TenureInput& input) : core_(core), input_(input) {}

  // Whether to commit what has been collected. `busy`: more input is waiting, so collecting may go
  // on.
  [[nodiscard]] bool is_due(bool busy, Now now);
  // Another worker reads the state and is expected to ask for the partition. A commit shows whether
  // it has; no sweep goes on meanwhile.
  void expect_request(bool expected) { expects_request_ = expected; }
  void commit(Now now);
  // All commits up to this one count.
  void counted(std::uint64_t seq);

  // Of the task, as recorded by commits that count, and of its attempts.
  [[nodiscard]] TaskCounters counters() const;
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // The approximate size of the rows that the commits have made.
  [[nodiscard]] std::uint64_t state_bytes() const { return core_.store->approximate_bytes(); }

 private:
  // An owner that has nothing else to commit sees a request after this time.
  static constexpr std::chrono::milliseconds kLookEvery{100};

  // What a commit in flight will have recorded once it counts.
  struct Sent {
    std::uint64_t seq;
    Offset input;
    TaskCounters counters;
  };

  void tell_lease(Now now);
  [[nodiscard]] bool carries() const;
  void sweep_if_due();
  void carry(std::uint64_t seq);

  TenureCore& core_;
  TenureInput& input_;
  std::deque<Sent> sent_;
  TaskCounters counters_;    // of the last commit that counts
  std::uint64_t count_ = 0;  // of commits that count
  std::optional<Instant> dirty_since_;
  std::chrono::milliseconds told_lease_ = kUsualLease;  // by the rows
  bool expects_request_ = false;
  std::optional<Sweep> sweep_;
};

}  // namespace penstock
