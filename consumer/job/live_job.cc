#include "consumer/job/live_job.h"

#include <utility>

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
  row.replay.clear();
  row.bulk_index = -1;
  row.batch = {};
  row.turn = {};
  row.ran = Duration{0};
  row.progress = -1;
  row.progress_total = 0;
  row.unique = {};
  row.asked = Asked::kNothing;
  row_key.clear();
  refused.clear();
  ready_since = Time{};
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

namespace {

void free_if_large(std::string& text) {
  if (text.capacity() > LiveJobPool::kMaxKeptTextBytes) std::string().swap(text);
}

// Frees the buffers whose size has no small bound: a job of any size may have been in them.
void free_large_texts(LiveJob& job) {
  for (std::string* const text : {&job.row.value, &job.row.cursor, &job.row.reason, &job.refused}) {
    free_if_large(*text);
  }
}

}  // namespace

LiveJob* LiveJobPool::take() {
  if (open_.empty()) {
    LiveJobBlock& made = open_.emplace_back();
    made.at = open_.begin();
    made.jobs = std::make_unique<LiveJob[]>(kBlock);
    for (std::size_t i = 0; i < kBlock; ++i) {
      made.jobs[i].block = &made;
      made.jobs[i].next = std::exchange(made.free, &made.jobs[i]);
    }
    ++unused_;
  }
  // Blocks without a job in use come last, so that they stay unused and can be freed.
  LiveJobBlock& block = open_.front();
  LiveJob* const job = block.free;
  block.free = std::exchange(job->next, nullptr);
  if (++block.in_use == 1) --unused_;
  if (block.in_use == kBlock) full_.splice(full_.begin(), open_, block.at);
  ++in_use_;
  return job;
}

void LiveJobPool::give_back(LiveJob* job) {
  // Before reset(), which keeps the buffers of all texts.
  free_large_texts(*job);
  job->reset();
  LiveJobBlock& block = *job->block;
  if (block.in_use == kBlock) open_.splice(open_.begin(), full_, block.at);
  job->next = std::exchange(block.free, job);
  --in_use_;
  if (--block.in_use > 0) return;
  // Some are kept, or a number of jobs around the edge of a block would allocate again and again.
  if (unused_ == kMaxUnusedBlocks) return (void)open_.erase(block.at);
  ++unused_;
  open_.splice(open_.end(), open_, block.at);
}

}  // namespace penstock
