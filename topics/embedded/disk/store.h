// The embedded log's RocksDB: opens it, writes sets of rows atomically, and reads rows and chunks.
// Everything here may be called from any thread. A write with `sync` is on the disk when it
// returns, if the disk tells the truth.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "topics/embedded/disk/chunk.h"
#include "topics/embedded/disk/rows.h"
#include "topics/values/result.h"

namespace penstock::embedded {

// Rows that are written together or not at all.
class Changes {
 public:
  void put(std::string_view key, std::string_view value);
  void remove(std::string_view key);
  // Removes the keys in [from, to).
  void remove_range(std::string_view from, std::string_view to);
  [[nodiscard]] bool empty() const { return batch_.Count() == 0; }
  void clear();

 private:
  friend class Store;
  rocksdb::WriteBatch batch_;
};

class Store {
 public:
  // Creates the directory if it does not exist. Only one process at a time can have it open.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::string& directory);

  [[nodiscard]] Status write(Changes& changes, bool sync);
  // Calls `row(key, value)` for each key that begins with `prefix`, in order, until it returns
  // false.
  [[nodiscard]] Status scan(
      std::string_view prefix,
      const std::function<bool(std::string_view, std::string_view)>& row) const;
  // Appends the chunk that contains `position` and its successors to `out`, until they have
  // `most_bytes`. Appends nothing if no chunk contains it.
  [[nodiscard]] Status read_chunks(PartitionKey of, Offset position, std::size_t most_bytes,
                                   std::deque<ChunkRef>& out) const;

  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  Store(std::string directory, std::unique_ptr<rocksdb::DB> db);
  [[nodiscard]] Status check_version();
  [[nodiscard]] Status status_of(const rocksdb::Status& status, std::string_view doing) const;

  std::string directory_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace penstock::embedded
