#include "consumer/task/query/oldest_ready.h"

#include <algorithm>

namespace penstock {

std::optional<Time> OldestReady::since() {
  if (core_.restoring) return std::nullopt;
  look();
  std::optional<Time> oldest = found_;
  const std::optional<keys::TimeKey> due = core_.store.first_due(core_.now);
  for (const std::optional<Time> other :
       {due ? std::optional(due->at) : std::nullopt, core_.scheduler.rest().oldest()}) {
    if (other && (!oldest || *other < *oldest)) oldest = other;
  }
  return oldest;
}

void OldestReady::look_on() {
  if (looking_) look();
}

void OldestReady::look() {
  Scheduler& scheduler = core_.scheduler;
  ReadyLines& ready = scheduler.ready_lines();
  int reads = kMaxReads;
  for (int looks = kMaxLooks; looks > 0 && reads > 0; --looks) {
    Line* const line = ready.oldest();
    if (!line) {
      found_.reset();
      looking_ = false;
      return;
    }
    const Time known = ReadyLines::since(*line);
    if (line->jobs.empty()) --reads;
    LiveJob* const job = scheduler.lines().first(*line);
    ready.settle(*line, core_.now);
    // Its rows have ended, or its first job is younger than the last one that was known.
    if (!job || ReadyLines::since(*line) > known) continue;
    if (could_start(job)) {
      found_ = ReadyLines::since(*line);
      looking_ = false;
      return;
    }
    ready.seen_waiting(*line, core_.now);
    // All others have been able to start for no longer than a moment, or have been seen.
    if (known >= core_.now - Duration{ReadyLines::kBucketMs}) {
      found_.reset();
      looking_ = false;
      return;
    }
  }
  looking_ = true;
}

// A queue that is strict keeps a job of an unknown type at the head of its account's line.
bool OldestReady::could_start(LiveJob* job) const {
  if (!job->type) job->type = core_.type_of(job->row);
  return job->type && job->row.run_at <= core_.now && core_.scheduler.needs_only_turn(job);
}

}  // namespace penstock
