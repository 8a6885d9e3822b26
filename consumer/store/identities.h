// Every identity (account and id) that a partition remembers, each in one of three ways:
//
//   a job with a row                     the row of its identity, which names the key of that row
//   a job that has no row yet            the index in memory
//   a job that ended within the window   the index in memory, and a digest in the rows of its end
//
// So an identity is a duplicate exactly if it is one of these, and a job that ends before its first
// commit costs only its digest. What a commit has to write of the ended ones is kept until save().
//
// Used by the partition's one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "consumer/store/identity_filter.h"
#include "state/rows/dedup_index.h"
#include "state/rows/digest.h"
#include "state/store/view.h"
#include "topics/values/types.h"

namespace penstock {

class Identities {
 public:
  // `window`: how long an identity is remembered after its job's end; 0: not at all.
  Identities(View& view, Duration window)
      : view_(view), remembers_(window != Duration{0}), window_(window), filter_(view) {}

  // The rows are those of the log; `seq` is the last commit in them. What ended is then to be read
  // into index(), from the bucket oldest_kept() on.
  void restored(std::uint64_t seq, Time now);
  [[nodiscard]] DedupIndex& index() { return index_; }
  [[nodiscard]] std::uint32_t oldest_kept(Time now) const { return window_.oldest_kept(now); }

  // Whether the identity is remembered. If not, it is from now on, as that of a job without a row.
  [[nodiscard]] bool check_and_admit(const Digest& digest);
  void prefetch(const Digest& digest) const {
    index_.prefetch(digest);
    filter_.prefetch(digest);
  }
  // The key of the row of the identity's job; nothing if it has no row.
  [[nodiscard]] std::optional<std::string> row_key(const Digest& digest) const;

  // The identity's job gets its first row; its row is at `key` now; it has no row any more.
  void row_made(const Digest& digest);
  void row_put(const Digest& digest, const std::string& key);
  void row_erased(const Digest& digest);
  // The identity's job has ended.
  void ended(const Digest& digest, Time now);

  // Jobs with a row.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

  [[nodiscard]] std::size_t unsaved_bytes() const { return ended_digests_.size(); }
  void save(std::uint64_t seq);
  // Forgets the identities whose window is over.
  void prune(Time now);

  // The filter that spares new jobs a look-up is made from the rows in steps: whether there is more
  // to do, and one such step. Nothing waits for it.
  [[nodiscard]] bool has_work() const { return filter_.has_work(rows_); }
  void step() { filter_.step(rows_); }

 private:
  void write_ended(std::uint64_t seq);

  View& view_;
  const bool remembers_;
  DedupWindow window_;
  DedupIndex index_;
  IdentityFilter filter_;
  std::uint64_t rows_ = 0;
  std::uint64_t commit_seq_ = 1;  // of the commit that is being built
  std::string ended_digests_;     // of one bucket of time, which the next commit writes
  std::uint32_t ended_bucket_ = 0;
};

}  // namespace penstock
