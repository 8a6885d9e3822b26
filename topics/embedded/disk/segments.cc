#include "topics/embedded/disk/segments.h"

#include <utility>

namespace penstock::embedded {

Segments::Segments(std::deque<Segment> oldest_first) : segments_(std::move(oldest_first)) {}

const Segment& Segments::add(Segment chunk, std::int64_t segment_bytes) {
  const bool roll = segments_.empty() || segments_.back().bytes >= segment_bytes ||
                    chunk.first_at - segments_.back().first_at >= kSegmentSpan;
  if (roll) return segments_.emplace_back(chunk);
  Segment& last = segments_.back();
  last.count += chunk.count;
  last.bytes += chunk.bytes;
  last.last_at = chunk.last_at;
  return last;
}

Offset Segments::retained_from(Offset start, Time now, const Retention& retention) const {
  std::int64_t kept = 0;
  for (const Segment& segment : segments_) kept += segment.bytes;
  for (const Segment& segment : segments_) {
    const bool too_old = retention.age && segment.last_at + *retention.age < now;
    // As in Kafka, a segment is dropped only if the others still have `retention.bytes`.
    const bool too_much = retention.bytes && kept - segment.bytes >= *retention.bytes;
    if (!too_old && !too_much) break;
    kept -= segment.bytes;
    start = std::max(start, segment.end());
  }
  return start;
}

std::vector<Segment> Segments::drop_below(Offset start) {
  std::vector<Segment> dropped;
  while (!segments_.empty() && segments_.front().end() <= start) {
    dropped.push_back(segments_.front());
    segments_.pop_front();
  }
  return dropped;
}

}  // namespace penstock::embedded
