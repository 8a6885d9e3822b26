// A partition's bulks: how many chunks of each have come, how they ended, and when all have ended.
// Rows in the view; what a commit changes is kept in memory until save().
//
// What always holds:
//  - a chunk's index is counted once: another job with the same index runs, but the bulk does not
//    count it;
//  - a bulk's size is that of its first chunk; a chunk that does not fit into it, or comes when the
//    bulk is done, is not counted either;
//  - ended() says once that a bulk is done, in the commit that has the end of its last chunk;
//  - a bulk is forgotten `keep` after its last end, or kAbandonedAfter after if not all of its
//    chunks came, but not while one of its ended chunks is kept. So when its id is free, those of
//    its chunks are, too: `keep` is the longest time for which an identity is remembered.
//
// Used by the partition's one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "state/rows/bulk_row.h"
#include "state/rows/job_row.h"
#include "state/store/view.h"
#include "topics/record/job_record.h"

namespace penstock {

class Bulks {
 public:
  static constexpr Duration kAbandonedAfter = std::chrono::hours(24 * 30);
  static constexpr std::uint32_t kChunksPerPage = 2048;
  static constexpr std::size_t kKeptBulks = 1024;  // in memory between commits
  static constexpr std::size_t kKeptPages = 4;     // of each
  static constexpr std::size_t kMaxErasedPerStep = 1000;

  // Of a bulk that is done now.
  struct AllEnded {
    BulkRow row;
    std::string on_done;  // as it came; never empty
  };
  struct Progress {
    std::string account, id;
    BulkRow row;
  };

  Bulks(View& view, Duration keep) : view_(view), keep_(keep) {}

  // A chunk becomes a job, with this sequence number. Returns whether the bulk counts it.
  [[nodiscard]] bool admitted(std::string_view account, const BulkRef& chunk, JobSeq seq, Time now);
  // A counted chunk has ended, as its row says. Returns what is needed to produce the bulk's job,
  // if it is due now.
  [[nodiscard]] std::optional<AllEnded> ended(const JobRow& chunk, Time now);
  // How many bytes the end of this chunk may produce: the job that its bulk asks for.
  [[nodiscard]] std::size_t on_done_bytes(const JobRow& chunk);
  // The row of a counted chunk that has ended is kept until then.
  void keeps_row(const JobRow& chunk, Time until);
  // A counted chunk that had ended is live again.
  void run_again(const JobRow& chunk);

  void save();
  [[nodiscard]] std::size_t unsaved_bytes() const { return unsaved_bytes_; }
  // Forgets bulks that are kept no longer, at most kMaxErasedPerStep rows. Returns whether there
  // may be more.
  bool prune(Time now);

  [[nodiscard]] std::optional<BulkRow> find(std::string_view account, std::string_view id);
  // Visits up to `most` bulks behind the key `after` that an earlier walk returned, of one account
  // or (empty) of all. Returns the key behind which the walk continues.
  using ProgressFunction = std::function<void(const Progress&)>;
  [[nodiscard]] std::optional<std::string> walk(const std::string& after, std::string_view account,
                                                int most, const ProgressFunction& function);

 private:
  struct Page {
    std::string bits;
    bool dirty = false;
  };
  struct Entry {
    BulkRow row;
    bool dirty = false;
    std::map<std::uint32_t, Page> pages;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  [[nodiscard]] Entry* entry(const std::string& prefix);
  [[nodiscard]] Entry* entry_of(const JobRow& chunk);
  Entry& begin(const std::string& prefix, const BulkRef& chunk, JobSeq seq, Time now);
  // Sets the bit of an index and returns what it was.
  bool set_index(Entry& entry, const std::string& prefix, std::int64_t index, bool value);
  void touch(Entry& entry);
  [[nodiscard]] std::optional<Time> kept_until(const BulkRow& row, Time now) const;
  [[nodiscard]] std::size_t forget(const std::string& prefix, std::size_t most);

  View& view_;
  const Duration keep_;
  Entries entries_;  // by the prefix of its rows, so that a commit has them in one order in every
                     // process
  std::size_t unsaved_bytes_ = 0;
};

}  // namespace penstock
