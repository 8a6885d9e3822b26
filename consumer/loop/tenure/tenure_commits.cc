#include "consumer/loop/tenure/tenure_commits.h"

#include <algorithm>
#include <utility>

#include "state/log/follower.h"
#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {

bool TenureCommits::is_due(bool busy, Now now) {
  const Owner& owner = core_.owner;
  // A commit contains the input position, which must have been verified.
  if (owner.ended() || !core_.task || !input_.placed() || !owner.may_commit()) return false;
  const bool dirty = core_.task->dirty() || carries();
  if (!dirty) {
    dirty_since_.reset();
    const std::chrono::nanoseconds renewal = core_.options.lease.lease / 5;
    const auto pause =
        expects_request_ ? std::min<std::chrono::nanoseconds>(renewal, kLookEvery) : renewal;
    return now.boot - owner.commits().last_sent() > pause;
  }
  if (!dirty_since_) dirty_since_ = now.boot;
  if (core_.task->unsaved_bytes() >= core_.options.commit_bytes) return true;
  // With nothing in flight and nothing more to read, waiting would only add to the latency.
  // Otherwise the commit gathers more, since each costs a record.
  if (owner.commits().size() == 0 && !busy) return true;
  return now.boot - *dirty_since_ >= core_.options.commit_interval;
}

void TenureCommits::commit(Now now) {
  const std::uint64_t seq = core_.owner.commits().seq() + 1;
  dirty_since_.reset();
  // Even if nothing has changed, because later messages belong to the commit after this one.
  core_.task->save(seq);
  core_.outbox.save();
  tell_lease(now);
  sweep_if_due();
  if (core_.owner.ended()) return;
  carry(seq);
  View& view = core_.view;
  core_.log.size().save(view);
  if (view.batch().size() > kMaxCommitRows) {
    return core_.owner.drop("a commit of " + std::to_string(view.batch().size()) +
                            " bytes is more than a state record holds (" +
                            std::to_string(kMaxCommitRows) +
                            "): its work is done again from the log");
  }
  sent_.push_back(
      {seq, core_.task->input_next(), core_.jobs ? core_.jobs->counters() : TaskCounters{}});
  // The view must mark the batch as sent before the owner can learn that it counts.
  const std::string rows(view.batch().bytes());
  view.sent(seq);
  const std::uint64_t sent = core_.owner.commit(rows, now);
  PENSTOCK_CHECK(sent == seq, "commits are numbered without gaps");
}

// Whoever reads this commit, but not the claim, knows the lease by the row.
void TenureCommits::tell_lease(Now now) {
  const std::chrono::milliseconds lease =
      core_.options.lease.in_rows(core_.owner.wait_until() - now.boot);
  if (std::exchange(told_lease_, lease) == lease) return;
  core_.view.put(keys::kMetaLease, encode(LeaseRow{core_.owner.epoch(), lease}));
}

// Whoever is about to ask for the partition would have to read all of it first.
bool TenureCommits::carries() const { return sweep_ && sweep_->carrying() && !expects_request_; }

void TenureCommits::sweep_if_due() {
  const Owner& owner = core_.owner;
  if (sweep_ || expects_request_ || owner.phase() != Owner::Phase::kRunning) return;
  const std::uint64_t bytes = core_.log.size().bytes();
  if (bytes < core_.options.trim_bytes) return;
  // A log cannot begin with a claim, because a claim does not tell which seq comes next.
  if (owner.commits().last_counted() <= owner.epoch()) return;
  // A sweep writes all live rows, so it must at least halve the log to be worth it. RocksDB's
  // estimate may be a sixth of them, while its tables overlap; what the last sweep carried is exact,
  // as of then.
  if (bytes < 2 * std::max(core_.log.size().live(), core_.store->approximate_bytes())) return;
  // Rows that the view does not show must be in the store, where the sweep looks for them.
  if (Status status = core_.store->settle(); !status) return core_.broken(status.error().message);
  sweep_.emplace(owner.commits().last_counted(), bytes);
}

// What the sweep carries is not counted as collected: it waits for a commit with room.
void TenureCommits::carry(std::uint64_t seq) {
  if (!carries() || core_.view.batch().size() > kMaxGatheredBytes) return;
  if (!sweep_->carry(core_.view)) return;
  sweep_->last_commit(seq);
}

void TenureCommits::counted(std::uint64_t seq) {
  ++count_;
  while (!sent_.empty() && sent_.front().seq <= seq) {
    input_.counted(sent_.front().input);
    counters_ = sent_.front().counters;
    sent_.pop_front();
  }
  if (!sweep_ || sweep_->last_seq() != seq) return;
  // The base is in a commit that counts, so a reader that begins there knows that the log is whole.
  core_.log.delete_before(sweep_->start());
  core_.log.size().cut(sweep_->log_bytes(), sweep_->carried_bytes());
  sweep_.reset();
}

TaskCounters TenureCommits::counters() const {
  return core_.jobs ? counters_.recorded_of(core_.jobs->counters()) : TaskCounters{};
}

}  // namespace penstock
