#include "consumer/task/outcome/batch_cursor.h"

#include <algorithm>
#include <utility>

#include "consumer/job/suspect.h"
#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {

void BatchCursor::move(LiveJob* from, LiveJob* to) {
  for (LiveJob* const job : {from, to}) core_.store.forget_unsaved(job);  // their sizes change
  to->row.cursor = std::exchange(from->row.cursor, {});
  for (LiveJob* const job : {from, to}) core_.store.mark_unsaved(job);
}

void BatchCursor::leave(LiveJob* job) {
  if (!job->row.batch.given() || job->row.cursor.empty()) return;
  const bool unsaved = job->unsaved_at != LiveJob::kNotUnsaved;
  core_.store.forget_unsaved(job);  // its size changes
  // Those that wait for a retry together have the same time, so their rows are neighbours.
  const JobSeq before{INT64_MIN};
  Heirs heirs = leave_in_line(job->row);
  if (heirs != Heirs::kTook) {
    heirs = std::max(heirs, leave_in_rows(job->row, keys::due(job->row.run_at, before),
                                          keys::due(job->row.run_at + Duration{1}, before)));
  }
  // The last job of a batch takes its cursor along. Otherwise the cursor is lost if none of the
  // jobs that stay may have it: it is not this job's alone.
  if (heirs != Heirs::kNone) job->row.cursor.clear();
  if (unsaved || job->line) core_.store.mark_unsaved(job);
}

Heirs BatchCursor::leave_in_line(JobRow& row) {
  std::string buffer;
  const Line* const line = core_.scheduler.find_line(row);
  if (!line && core_.scheduler.rest().any()) {
    // The account may be left out of memory, and the rest of the batch with it.
    const std::string prefix = keys::line_prefix(row.account, core_.order.line_of(row, buffer));
    return leave_in_rows(row, prefix, keys::after_prefix(prefix));
  }
  if (!line) return Heirs::kNone;
  Heirs heirs = Heirs::kNone;
  for (LiveJob* other = line->jobs.first(); other; other = other->next) {
    if (other->row.batch != row.batch || other->row.seq == row.seq) continue;
    heirs = Heirs::kUnfit;
    // A suspect runs alone, and would continue as if it had done the others' work.
    if (is_suspect(other->row)) continue;
    core_.store.forget_unsaved(other);
    other->row.cursor = std::move(row.cursor);
    core_.store.mark_unsaved(other);
    return Heirs::kTook;
  }
  if (!line->more) return heirs;
  const std::string prefix = keys::line_prefix(row.account, line->name);
  const LinePlace& last = line->loaded_to;
  const bool none = last == kNothingLoaded;
  const std::string from =
      none ? prefix : keys::line(row.account, line->name, last.order, last.seq.next());
  return std::max(heirs, leave_in_rows(row, from, keys::after_prefix(prefix)));
}

Heirs BatchCursor::leave_in_rows(JobRow& row, const std::string& from, const std::string& to) {
  Heirs heirs = Heirs::kNone;
  std::string at;
  JobRow other;
  std::size_t looked_at = 0;
  core_.view.scan(from, to, [&](std::string_view key, std::string_view bytes) {
    PENSTOCK_CHECK(other.assign(bytes).has_value(), "a job row follows its grammar");
    if (other.batch == row.batch && other.seq != row.seq && other.account == row.account) {
      heirs = Heirs::kUnfit;
      if (!is_suspect(other)) at = key;
    }
    return at.empty() && ++looked_at < kMaxLookedAt;
  });
  if (at.empty()) return heirs;
  other.cursor = std::move(row.cursor);
  core_.view.put(at, other.encode());
  return Heirs::kTook;
}

}  // namespace penstock
