// One session's read of one partition: where it is, and the chunks at hand. Records come from the
// partition's cached chunks, or, when it is further behind, from the store in pieces of
// kReadAheadBytes. Owned by one session.
#pragma once

#include <cstddef>
#include <deque>

#include "topics/embedded/disk/chunk.h"
#include "topics/embedded/disk/partition.h"
#include "topics/embedded/disk/store.h"

namespace penstock::embedded {

inline constexpr std::size_t kReadAheadBytes = 1 << 20;

class Reader {
 public:
  Reader(Partition& partition, Offset position) : partition_(&partition), position_(position) {}

  [[nodiscard]] Partition& partition() const { return *partition_; }
  [[nodiscard]] Offset position() const { return position_; }
  [[nodiscard]] bool out_of_range() const;
  [[nodiscard]] bool at_end() const { return position_ == partition_->bounds().end; }

  // Puts the next records of one chunk into `views`, at most `most`, and goes on behind them. None
  // when the log's start has passed the position meanwhile. Gives the chunk, which the views point
  // into.
  [[nodiscard]] Result<ChunkRef> read(const Store& store, std::size_t most, RecordViews& views);

 private:
  [[nodiscard]] Status fetch(const Store& store);

  Partition* partition_;
  Offset position_;
  ChunkCursor cursor_;
  std::deque<ChunkRef> ahead_;
};

}  // namespace penstock::embedded
