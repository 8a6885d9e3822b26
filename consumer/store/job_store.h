// Where a partition's jobs are. A job has one row, or is in memory alone until the next commit:
//
//   Place          its row is ordered by             brought back by
//   kLine          account, line, position in it     the scheduler, when its turn comes
//   kDue           run_at                            first_due(), load_due()
//   kUnknownType   type                              parked_jobs(), once the type is known
//   kEnded         when it is forgotten              forgotten by prune()
//
// A job that must start by a certain time has a row of its expiry besides, until it ends.
//
// What always holds: a job has one row at most, and while it has one, its identity has a row that
// names it; when a job leaves memory, it has a row, or nothing but its identity is left of it.
//
// For another kind of row, add a Place with its kind and its case in key_of(). Used by the
// partition's one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/job/line_order.h"
#include "consumer/job/live_job.h"
#include "consumer/store/due_index.h"
#include "consumer/store/identities.h"
#include "consumer/store/unsaved_jobs.h"
#include "state/rows/keys.h"
#include "state/store/view.h"

namespace penstock {

enum class Place : std::uint8_t { kLine, kDue, kUnknownType, kEnded };

// The first byte of their rows' keys, in the order in which lists show them.
inline constexpr std::array kRowKinds = {keys::kLine, keys::kDue, keys::kUnknownType, keys::kEnded};

class JobStore {
 public:
  // The most that one step brings into memory.
  static constexpr std::size_t kMaxRowsPerStep = 2000;
  static constexpr std::size_t kMaxDuePerScan = 500, kMaxDueBytesPerScan = 256 << 10;

  JobStore(View& view, LineOrder order, Duration dedup_window)
      : view_(view),
        order_(order),
        identities_(view, dedup_window),
        due_(view, keys::kDue),
        expiries_(view, keys::kExpiry) {}

  // The rows are those of the log; `seq` is the last commit in them.
  void restored(std::uint64_t seq, Time now);

  // -- Memory

  [[nodiscard]] LiveJob* make() { return pool_.take(); }
  // The job leaves memory; its row, if any, stays.
  void release(LiveJob* job);
  // The job whose row is at `key`, in no line yet; null if there is no such row.
  [[nodiscard]] LiveJob* load(const std::string& key);
  [[nodiscard]] LiveJob* load(std::string_view key, std::string_view row);
  // The job of an identity that has a row and is not in memory; null if there is none.
  [[nodiscard]] LiveJob* load_by_id(std::string_view account, std::string_view id);
  [[nodiscard]] LiveJobPool& pool() { return pool_; }

  // -- Rows

  // The job's row is there from now on. `until`: when a job in kEnded is forgotten.
  void move(LiveJob* job, Place place, Time until = {});
  // Writes the job's row again in its place.
  void rewrite(const LiveJob& job) { view_.put(job.row_key, job.row.encode()); }
  void erase_row(LiveJob* job);
  // A job with a row is about to be taken out of the rows of kDue, if it is there.
  void leave_due(const LiveJob& job);
  // The row of an identity's job as it is in the view; nothing if it has none.
  [[nodiscard]] std::optional<std::string> row_of(std::string_view account, std::string_view id);

  // -- Time

  // The first job whose time has come, and the jobs from there on in the order of their rows.
  [[nodiscard]] std::optional<keys::TimeKey> first_due(Time now) { return due_.first_due(now); }
  [[nodiscard]] std::vector<LiveJob*> load_due(const keys::TimeKey& first, std::size_t most,
                                               Time now);
  // The keys of the rows of those of the jobs of unknown type whose type `knows` by now, at most
  // kMaxRowsPerStep.
  using KnowsType = std::function<bool(std::string_view type)>;
  [[nodiscard]] std::vector<std::string> parked_jobs(const KnowsType& knows);
  // Of the first job that has not started by its expires_at. Its row of the expiry is erased.
  struct Expiry {
    keys::TimeKey due;
    std::string account, id;  // empty: there was no row any more
  };
  [[nodiscard]] std::optional<Expiry> take_expired(Time now);
  // The job no longer expires.
  void forget_expiry(LiveJob* job);
  // When one of these may have something to do.
  [[nodiscard]] std::optional<Time> next_due() { return due_.next(); }
  [[nodiscard]] std::optional<Time> next_expiry() { return expiries_.next(); }

  // -- Ends

  // The job has ended. Its row is kept until `kept_until`; if that is 0, only its identity is
  // remembered.
  void end(LiveJob* job, Time kept_until, Time now);
  // Nothing is left of an ended job but what the dedup window remembers.
  void forget(LiveJob* job);
  // Forgets a bounded number of rows that are kept no longer. Returns whether there may be more.
  bool prune(Time now);

  [[nodiscard]] Identities& identities() { return identities_; }
  [[nodiscard]] const Identities& identities() const { return identities_; }

  // -- Commit

  void mark_unsaved(LiveJob* job) { unsaved_.mark(job); }
  void forget_unsaved(LiveJob* job) { unsaved_.forget(job); }
  [[nodiscard]] const std::vector<LiveJob*>& unsaved() const { return unsaved_.all(); }
  [[nodiscard]] bool dirty() const { return !unsaved_.empty() || identities_.unsaved_bytes() > 0; }
  [[nodiscard]] std::size_t unsaved_bytes() const {
    return unsaved_.bytes() + identities_.unsaved_bytes();
  }
  // Writes the rows of jobs in lines and calls `saved` for each job.
  void save(const std::function<void(LiveJob*)>& saved);

 private:
  [[nodiscard]] std::string key_of(const LiveJob& job, Place place, Time until) const;
  void put(LiveJob* job, std::string key);

  View& view_;
  const LineOrder order_;
  LiveJobPool pool_;
  Identities identities_;
  DueIndex due_;
  DueIndex expiries_;
  UnsavedJobs unsaved_;
};

}  // namespace penstock
