// A chunk holds the records that one group commit has put into one partition, as one value of the
// store. Storing chunks instead of single records is what makes the log fast: a commit writes one
// row per partition.
//
//   chunk  := version(1 = 2) timestamp(8, ms since 1970) count(4) record*
//   record := flags(1: 1 = has a key, 2 = has a value) [key] [value] header_count header*
//   header := name flags(1: 2 = has a value) [value]
//
// key, name and value are a varint length and that many bytes; header_count is a varint;
// fixed-width numbers are big-endian. Record i of a chunk has the offset base + i; the base is in
// the row's key.
//
// A Chunk is immutable, so any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "topics/log.h"

namespace penstock::embedded {

// A chunk is closed once it has reached this size; a single larger record makes it larger.
inline constexpr std::size_t kMaxChunkBytes = 256 * 1024;

struct Chunk {
  Offset base;
  std::int64_t count = 0;
  Time timestamp;
  std::string bytes;

  [[nodiscard]] Offset end() const { return Offset{base.value + count}; }
};

// Shared, because the tail cache may drop a chunk while sessions on other threads still use it.
using ChunkRef = std::shared_ptr<const Chunk>;

void encode_record(std::string& out, const NewRecord& record);

// Collects the records of the next chunk.
class ChunkBuilder {
 public:
  ChunkBuilder();

  void add(std::string_view encoded_record);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return bytes_.size() >= kMaxChunkBytes; }
  // Returns the chunk of everything added so far and empties the builder.
  ChunkRef finish(Offset base, Time timestamp);

 private:
  std::string bytes_;
  std::uint32_t count_ = 0;
};

// Null if the bytes are not a chunk.
ChunkRef parse_chunk(Offset base, std::string bytes);

// Records that are being shown, together with what their views point into. Reused from call to
// call.
class RecordViews {
 public:
  void clear();
  [[nodiscard]] const std::vector<LogRecord>& records() const { return records_; }

 private:
  friend class ChunkCursor;
  std::vector<LogRecord> records_;
  std::vector<HeaderView> headers_;
  std::vector<std::size_t> header_counts_;
};

// A position in a chunk.
class ChunkCursor {
 public:
  ChunkCursor() = default;
  explicit ChunkCursor(ChunkRef chunk);

  // Whether the record at `position` is at or after this position, in this chunk.
  [[nodiscard]] bool reaches(Offset position) const;
  [[nodiscard]] const ChunkRef& chunk() const { return chunk_; }
  // Adds up to `most` records to `views`, beginning at `position`, and moves behind them. Returns
  // false if the chunk is corrupt.
  [[nodiscard]] bool read(Offset position, std::size_t most, RecordViews& views);

 private:
  ChunkRef chunk_;
  Offset next_;
  std::size_t at_ = 0;
};

}  // namespace penstock::embedded
