// One partition. For all threads: its bounds, its newest chunks in memory and its readers. For the
// writer alone: `tail`, to which the next commit appends.
//
// A record becomes readable once its commit is on the disk: only then does bounds().end move. The
// cached chunks are the newest ones, without gaps; older ones are in the store.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "topics/embedded/disk/chunk.h"
#include "topics/embedded/disk/mailbox.h"
#include "topics/embedded/disk/rows.h"
#include "topics/embedded/disk/segments.h"

namespace penstock::embedded {

// The writer's own view. It is ahead of the published one while a commit is being written.
struct Tail {
  Offset start;
  Offset next;
  Offset chunk_base;  // of the first record in `builder`
  Time last_at;
  Segments segments;
  ChunkBuilder builder;
  std::vector<ChunkRef> uncommitted;
  bool touched = false;  // by the commit that is being made
};

class Partition {
 public:
  Partition(PartitionKey key, Offset start, Segments segments);

  [[nodiscard]] PartitionKey key() const { return key_; }

  // Any thread.
  [[nodiscard]] Bounds bounds() const { return {Offset{start_.load()}, Offset{end_.load()}}; }
  // The chunk that contains this offset, or null if it is not in memory.
  [[nodiscard]] ChunkRef cached(Offset position) const;
  void subscribe(Mailbox& reader);
  void unsubscribe(Mailbox& reader);
  void set_segment_bytes(std::int64_t bytes) { segment_bytes_ = bytes; }
  [[nodiscard]] std::int64_t segment_bytes() const { return segment_bytes_; }

  // Only the writer's thread.
  [[nodiscard]] Tail& tail() { return tail_; }
  void publish(ChunkRef chunk);
  void publish_start(Offset start);
  // Removes the oldest chunk from memory.
  void drop_oldest_cached();
  void tell_readers();

 private:
  const PartitionKey key_;
  std::atomic<std::int64_t> start_;
  std::atomic<std::int64_t> end_;
  std::atomic<std::int64_t> segment_bytes_ = kDefaultSegmentBytes;
  Tail tail_;

  mutable std::mutex mutex_;
  std::deque<ChunkRef> cached_;
  std::vector<Mailbox*> readers_;
};

}  // namespace penstock::embedded
