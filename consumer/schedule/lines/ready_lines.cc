#include "consumer/schedule/lines/ready_lines.h"

namespace penstock {

ReadyLines::~ReadyLines() {
  for (auto& [number, head] : buckets_) {
    while (head.linked()) head.next->unlink();
  }
}

void ReadyLines::settle(Line& line, Time now) {
  ReadyPlace& place = line.ready_place;
  if (line.ready()) {
    // Without a job in memory, the last one that was known stands for those behind it.
    if (const LiveJob* const first = line.jobs.first()) place.first_since = first->ready_since;
    if (place.held) place.opened_at = now;
    place.held = false;
    return link(line);
  }
  place.unlink();
  place.held = line.has_jobs();
  if (!place.held) place.opened_at = Time{};
}

void ReadyLines::seen_waiting(Line& line, Time now) {
  line.ready_place.opened_at = now;
  link(line);
}

void ReadyLines::link(Line& line) {
  ReadyPlace& place = line.ready_place;
  const std::int64_t number = bucket_of(since(line));
  if (place.linked() && place.bucket == number) return;
  place.unlink();
  place.bucket = number;
  place.link_before(bucket(number));
}

ReadyPlace& ReadyLines::bucket(std::int64_t number) {
  if (last_ && last_number_ == number) return *last_;
  sweep();
  last_ = &buckets_[number];
  last_number_ = number;
  return *last_;
}

// Two per change of the bucket, and the change makes one at most: so empty ones do not gather.
void ReadyLines::sweep() {
  last_ = nullptr;
  for (int left = 2; left > 0 && !buckets_.empty(); --left) {
    auto at = buckets_.upper_bound(swept_to_);
    if (at == buckets_.end()) at = buckets_.begin();
    swept_to_ = at->first;
    if (!at->second.linked()) buckets_.erase(at);
  }
}

Line* ReadyLines::oldest() {
  while (!buckets_.empty()) {
    ReadyPlace& head = buckets_.begin()->second;
    if (head.linked()) return head.next->line;
    if (last_ == &head) last_ = nullptr;
    buckets_.erase(buckets_.begin());
  }
  return nullptr;
}

}  // namespace penstock
