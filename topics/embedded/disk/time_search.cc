#include "topics/embedded/disk/time_search.h"

#include <algorithm>
#include <deque>
#include <string>

namespace penstock::embedded {
namespace {

// Null: the log's start has passed the position.
Result<ChunkRef> chunk_at(const Store& store, const Partition& partition, Offset position) {
  if (ChunkRef cached = partition.cached(position)) return cached;
  std::deque<ChunkRef> chunks;
  // One byte, because a single chunk is wanted.
  if (const Status read = store.read_chunks(partition.key(), position, 1, chunks); !read)
    return failure(read.error().message);
  if (!chunks.empty()) return chunks.front();
  if (position < partition.bounds().start) return ChunkRef();
  return failure("the embedded log in " + store.directory() + " has no record at offset " +
                 std::to_string(position.value) +
                 ", which it should have: restore the directory from a copy, or remove it");
}

}  // namespace

Result<Offset> first_not_before(const Store& store, const Partition& partition,
                                const Bounds& bounds, Time at) {
  Offset low = bounds.start, high = bounds.end;
  while (low < high && at > Time{}) {
    const Offset middle{low.value + (high.value - low.value) / 2};
    const Result<ChunkRef> chunk = chunk_at(store, partition, middle);
    if (!chunk) return failure(chunk.error().message);
    if (*chunk == nullptr) {
      low = middle.next();
    } else if ((*chunk)->timestamp < at) {
      low = std::min((*chunk)->end(), high);
    } else {
      high = std::max((*chunk)->base, low);
    }
  }
  return low;
}

}  // namespace penstock::embedded
