#include "topics/embedded/disk/partition.h"

#include <algorithm>
#include <utility>

namespace penstock::embedded {

Partition::Partition(PartitionKey key, Offset start, Segments segments) : key_(key) {
  tail_.start = start;
  tail_.next = start;
  if (!segments.all().empty()) {
    tail_.next = std::max(start, segments.all().back().end());
    // Timestamps must not go back after a restart either.
    tail_.last_at = segments.all().back().last_at;
  }
  tail_.chunk_base = tail_.next;
  tail_.segments = std::move(segments);
  start_ = start.value;
  end_ = tail_.next.value;
}

ChunkRef Partition::cached(Offset position) const {
  const std::lock_guard lock(mutex_);
  const auto after =
      std::upper_bound(cached_.begin(), cached_.end(), position,
                       [](Offset at, const ChunkRef& chunk) { return at < chunk->base; });
  if (after == cached_.begin()) return nullptr;
  const ChunkRef& chunk = *std::prev(after);
  return position < chunk->end() ? chunk : nullptr;
}

void Partition::subscribe(Mailbox& reader) {
  const std::lock_guard lock(mutex_);
  readers_.push_back(&reader);
}

void Partition::unsubscribe(Mailbox& reader) {
  const std::lock_guard lock(mutex_);
  // One of them: a session that reads the partition at two positions is there twice.
  const auto found = std::find(readers_.begin(), readers_.end(), &reader);
  if (found != readers_.end()) readers_.erase(found);
}

void Partition::publish(ChunkRef chunk) {
  const std::int64_t end = chunk->end().value;
  {
    const std::lock_guard lock(mutex_);
    // Before the end moves: a reader that sees the new end then finds the chunk in memory.
    cached_.push_back(std::move(chunk));
  }
  end_ = end;
}

void Partition::publish_start(Offset start) { start_ = start.value; }

void Partition::drop_oldest_cached() {
  const std::lock_guard lock(mutex_);
  cached_.pop_front();
}

void Partition::tell_readers() {
  const std::lock_guard lock(mutex_);
  for (Mailbox* reader : readers_) reader->records_arrived();
}

}  // namespace penstock::embedded
