// Which jobs hold the lock of each unique key of a partition: this decides whether a new record
// becomes a job. Rows in the view; what a commit changes is kept in memory until save().
//
// What always holds:
//  - Holders are a set, each named by its job: a release by a job that is not a holder, or no
//    longer one, changes nothing.
//  - A job that holds a lock until a time holds it until then, whatever happens to the job, unless
//    the lock is dropped.
//  - A lock that is taken and released within one commit leaves no row.
//
// Gates decide which jobs may run at once (consumer/unique/unique_gates.h). Used by the partition's
// one thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <span>
#include <vector>

#include "state/rows/digest.h"
#include "state/rows/unique_row.h"
#include "state/store/view.h"

namespace penstock {

class UniqueLocks {
 public:
  using Holder = UniqueRow::Holder;
  static constexpr std::size_t kMaxErasedPerStep = 1000;

  explicit UniqueLocks(View& view) : view_(view) {}

  // The rows are those of the log.
  void restored();

  // In the order in which they took the lock. Valid until the next call of any function.
  [[nodiscard]] std::span<const Holder> holders(const Digest& key, Time now);
  [[nodiscard]] bool holds(const Digest& key, JobSeq job, Time now);
  void take(const Digest& key, Holder holder, Time now);
  // The job releases the lock, unless it holds it until a time.
  void release(const Digest& key, JobSeq job);
  // The job releases the lock, even if it holds it until a time.
  void drop(const Digest& key, JobSeq job);

  void save();
  [[nodiscard]] std::size_t unsaved_bytes() const { return unsaved_bytes_; }
  // Forgets holders whose time has passed, at most kMaxErasedPerStep. Returns whether there may be
  // more.
  bool prune(Time now);

 private:
  struct Entry {
    UniqueRow row;
    bool stored = false;  // there is a row in the view
    bool dirty = false;
  };

  [[nodiscard]] Entry& entry(const Digest& key);
  void touch(const Digest& key, Entry& entry);
  template <typename Which>
  void remove(const Digest& key, Which which);
  static void forget_over(Entry& entry, Time now);

  View& view_;
  bool any_stored_ = false;                                 // there may be rows
  absl::flat_hash_map<Digest, Entry, DigestHash> entries_;  // looked at since the last commit
  std::vector<Digest>
      dirty_;  // or were, in the order of their changes, which is the same in every process
  std::size_t unsaved_bytes_ = 0;
};

}  // namespace penstock
