#include "topics/embedded/disk/reader.h"

#include <string>
#include <utility>

namespace penstock::embedded {

bool Reader::out_of_range() const {
  const Bounds bounds = partition_->bounds();
  return position_ < bounds.start || position_ > bounds.end;
}

Result<ChunkRef> Reader::read(const Store& store, std::size_t most, RecordViews& views) {
  views.clear();
  if (!cursor_.reaches(position_)) {
    if (Status status = fetch(store); !status) return tl::unexpected<Error>(status.error());
  }
  if (!cursor_.reaches(position_)) {
    // The log's start may have passed the position since the caller looked.
    if (out_of_range()) return ChunkRef();
    return failure("the embedded log in " + store.directory() + " has no record at offset " +
                   std::to_string(position_.value) +
                   ", which it should have: restore the directory from a copy, or remove it");
  }
  if (!cursor_.read(position_, most, views)) {
    return failure("the embedded log in " + store.directory() +
                   " has a corrupt record after offset " + std::to_string(position_.value) +
                   ": restore the directory from a copy, or remove it to start with an empty log");
  }
  position_ = views.records().back().offset.next();
  return cursor_.chunk();
}

Status Reader::fetch(const Store& store) {
  ChunkRef chunk = partition_->cached(position_);
  if (chunk == nullptr) {
    if (ahead_.empty()) {
      Status status = store.read_chunks(partition_->key(), position_, kReadAheadBytes, ahead_);
      if (!status) return status;
    }
    if (ahead_.empty()) return {};
    chunk = std::move(ahead_.front());
    ahead_.pop_front();
  } else {
    // These were loaded for positions that the reader has now passed with the help of the cache.
    ahead_.clear();
  }
  cursor_ = ChunkCursor(std::move(chunk));
  return {};
}

}  // namespace penstock::embedded
