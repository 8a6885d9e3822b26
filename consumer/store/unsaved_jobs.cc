#include "consumer/store/unsaved_jobs.h"

namespace penstock {
namespace {

// What a job's row takes in a commit at most: the row with its key, the row of its identity, which
// has that key in it, and the row of its expiry.
std::size_t saved_bytes(const JobRow& row) {
  constexpr std::size_t kAround = 112;    // numbers, times, lengths
  constexpr std::size_t kKeyAround = 48;  // of a line's key: its kind, a bulk's digest, the place
  constexpr std::size_t kExpiryBytes = 32;
  const std::size_t names = row.account.size() + row.type.size();
  const std::size_t texts = names + row.id.size() + row.bulk.size() + row.reason.size() +
                            row.value.size() + row.origin.size() + row.cursor.size();
  const std::size_t expiry =
      row.expires_at == Time{} ? 0 : kExpiryBytes + row.account.size() + row.id.size();
  return kAround + texts + row.header_bytes() + 2 * (names + kKeyAround) + expiry;
}

}  // namespace

void UnsavedJobs::mark(LiveJob* job) {
  if (job->unsaved_at == LiveJob::kNotUnsaved) {
    job->unsaved_at = static_cast<std::uint32_t>(jobs_.size());
    jobs_.push_back(job);
  } else {
    // Marked again: its row may have grown.
    bytes_ -= job->unsaved_bytes;
  }
  job->unsaved_bytes = saved_bytes(job->row);
  bytes_ += job->unsaved_bytes;
}

void UnsavedJobs::forget(LiveJob* job) {
  if (job->unsaved_at == LiveJob::kNotUnsaved) return;
  // The last job takes its place. If it is the last itself, its own index is set below.
  jobs_.back()->unsaved_at = job->unsaved_at;
  jobs_[job->unsaved_at] = jobs_.back();
  jobs_.pop_back();
  job->unsaved_at = LiveJob::kNotUnsaved;
  bytes_ -= job->unsaved_bytes;
}

}  // namespace penstock
