// How a partition's log is divided for retention: segments, each a run of whole chunks with its
// size and the time of its last record. Retention and trimming drop whole segments, as Kafka's do;
// so what is on disk below the start is at most one segment.
//
// Segments follow each other without gaps. One thread at a time: the writer's.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "topics/values/types.h"

namespace penstock::embedded {

// A new segment begins at the latest after this time, or once `segment_bytes` are reached.
inline constexpr Duration kSegmentSpan = std::chrono::hours(1);
inline constexpr std::int64_t kDefaultSegmentBytes = 16 << 20;
inline constexpr Duration kDefaultRetention = std::chrono::hours(7 * 24);

struct Retention {
  std::optional<Duration> age = kDefaultRetention;  // absent: for ever
  std::optional<std::int64_t> bytes;                // absent: without limit
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

  // Counts a chunk to the last segment, or begins a new one with it; gives that segment.
  const Segment& add(Segment chunk, std::int64_t segment_bytes);
  // Where the log has to begin for nothing to be kept longer, or more to be kept, than `retention`
  // says. `start` when nothing is to be dropped.
  [[nodiscard]] Offset retained_from(Offset start, Time now, const Retention& retention) const;
  // Drops the segments that lie wholly below `start`, and gives them.
  std::vector<Segment> drop_below(Offset start);

 private:
  std::deque<Segment> segments_;
};

}  // namespace penstock::embedded
