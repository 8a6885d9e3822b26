// Divides a partition's log into segments for retention: runs of whole chunks, each with its size
// and the time of its last record. Like Kafka, retention and trimming drop whole segments, so the
// disk holds at most one segment's worth of records below the log's start.
//
// Segments are contiguous. Used by the writer's thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "topics/values/types.h"

namespace penstock::embedded {

// A new segment begins after this time at the latest, or once it has `segment_bytes`.
inline constexpr Duration kSegmentSpan = std::chrono::hours(1);
inline constexpr std::int64_t kDefaultSegmentBytes = 16 << 20;
inline constexpr Duration kDefaultRetention = std::chrono::hours(7 * 24);

struct Retention {
  std::optional<Duration> age = kDefaultRetention;  // absent: forever
  std::optional<std::int64_t> bytes;                // absent: no limit
  std::int64_t segment_bytes = kDefaultSegmentBytes;
};

struct Segment {
  Offset base;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  Time first_at{};
  Time last_at{};

  [[nodiscard]] Offset end() const { return Offset{base.value + count}; }
};

class Segments {
 public:
  Segments() = default;
  explicit Segments(std::deque<Segment> oldest_first);

  [[nodiscard]] const std::deque<Segment>& all() const { return segments_; }

  // Adds a chunk to the last segment, or begins a new segment with it. Returns that segment.
  const Segment& add(Segment chunk, std::int64_t segment_bytes);
  // Where the log must start so that it keeps no more than `retention` allows; `start` if nothing
  // has to be dropped.
  [[nodiscard]] Offset retained_from(Offset start, Time now, const Retention& retention) const;
  // Removes and returns the segments that are entirely below `start`.
  std::vector<Segment> drop_below(Offset start);

 private:
  std::deque<Segment> segments_;
};

}  // namespace penstock::embedded
