#include "consumer/live_job.h"

namespace penstock {

std::size_t JobBatch::jobs() const {
  std::size_t count = 0;
  each([&](const LiveJob*) { ++count; });
  return count;
}

// Clears what a new job must not inherit; the strings keep their buffers.
void LiveJob::reset() {
  row.attempt = 1;
  row.crashes = row.follow_ups = row.snoozes = 0;
  row.started_at = row.ended_at = row.expires_at = Time{};
  row.reason.clear();
  row.cursor.clear();
  row.headers.clear();
  row.priority = 0;
  row.weight = 1;
  row.bulk.clear();
  row.origin.clear();
  row.bulk_index = -1;
  row.batch = Offset{-1};
  row.turn = -1;
  row.ran = Duration{0};
  row.progress = -1;
  row.progress_total = 0;
  row.unique = {};
  row.asked = Asked::kNothing;
  row_key.clear();
  refused.clear();
  limit_names.clear();
  holds.clear();
  held_as = 0;
  unique_gate = nullptr;
  flow = nullptr;
  line = nullptr;
  share = nullptr;
  previous = next = nullptr;
  batch.reset();
  leader = nullptr;
  type = nullptr;
  token = {};
  identity_row = running = stop_asked = false;
  unsaved_at = kNotUnsaved;
}

void LiveJobList::insert_after(LiveJob* place, LiveJob* job) {
  job->previous = place;
  job->next = place ? place->next : first_;
  (job->next ? job->next->previous : last_) = job;
  (place ? place->next : first_) = job;
  ++size_;
}

void LiveJobList::remove(LiveJob* job) {
  (job->previous ? job->previous->next : first_) = job->next;
  (job->next ? job->next->previous : last_) = job->previous;
  job->previous = job->next = nullptr;
  --size_;
}

LiveJob* LiveJobPool::take() {
  if (free_.empty()) {
    blocks_.push_back(std::make_unique<LiveJob[]>(kBlock));
    for (std::size_t i = 0; i < kBlock; ++i) free_.push_back(&blocks_.back()[i]);
  }
  LiveJob* const job = free_.back();
  free_.pop_back();
  ++in_use_;
  return job;
}

void LiveJobPool::give_back(LiveJob* job) {
  if (job->row.value.capacity() > kMaxFreeValueBytes) std::string().swap(job->row.value);
  job->reset();
  free_.push_back(job);
  --in_use_;
}

}  // namespace penstock
