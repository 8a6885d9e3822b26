// The lines that have a job which could start, by how long their first job has been able to: since
// it was admitted, became due or came back from an attempt, or since its line ceased to wait for
// something else than its turn (LiveJob::ready_since, ReadyPlace::opened_at).
//
// Times are kept in buckets of kBucketMs, so a line enters and leaves in constant time. What always
// holds: a line is in the list exactly if it has jobs and waits neither at a gate nor for a time;
// there are no more buckets than twice the lines, and a few.
//
// Used by the partition's one thread.
#pragma once

#include <cstdint>
#include <map>

#include "consumer/schedule/lines/line.h"

namespace penstock {

class ReadyLines {
 public:
  static constexpr std::int64_t kBucketMs = 128;

  ReadyLines() = default;
  ReadyLines(const ReadyLines&) = delete;
  ReadyLines& operator=(const ReadyLines&) = delete;
  ~ReadyLines();

  // The line's jobs may have changed, or what it waits for.
  void settle(Line& line, Time now);
  // The line has been found to wait for something else than its turn, although it is at no gate:
  // it counts as of now.
  void seen_waiting(Line& line, Time now);

  // The line of the oldest bucket that came there first; null if there is none.
  [[nodiscard]] Line* oldest();
  [[nodiscard]] static Time since(const Line& line) {
    return std::max(line.ready_place.first_since, line.ready_place.opened_at);
  }
  [[nodiscard]] static bool is_of(const Line& line, Time now) {
    return line.ready_place.bucket == bucket_of(now);
  }
  [[nodiscard]] std::size_t buckets() const { return buckets_.size(); }

 private:
  [[nodiscard]] static std::int64_t bucket_of(Time time) { return to_ms(time) / kBucketMs; }
  void link(Line& line);
  [[nodiscard]] ReadyPlace& bucket(std::int64_t number);
  void sweep();

  std::map<std::int64_t, ReadyPlace> buckets_;  // each the head of its list
  ReadyPlace* last_ = nullptr;                  // the one that was used last
  std::int64_t last_number_ = 0;
  std::int64_t swept_to_ = INT64_MIN;
};

}  // namespace penstock
