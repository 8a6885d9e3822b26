// One session's read of one partition: its position and the chunks it has loaded. Records come from
// the partition's cached chunks or, further back, from the store, kReadAheadBytes at a time.
// Belongs to one session's thread.
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

  // Puts the next records of one chunk, at most `most`, into `views` and moves behind them. There
  // are none if the log's start has passed the position in the meantime. Returns the chunk that the
  // views point into.
  [[nodiscard]] Result<ChunkRef> read(const Store& store, std::size_t most, RecordViews& views);

 private:
  [[nodiscard]] Status fetch(const Store& store);

  Partition* partition_;
  Offset position_;
  ChunkCursor cursor_;
  std::deque<ChunkRef> ahead_;
};

}  // namespace penstock::embedded
