// RocksDB as the store of all partitions of a process: one database, with one column family per
// partition of a queue. RocksDB's own write-ahead log is off, because the state log is the
// write-ahead log. Each write contains the log position in the same column family, so a crash loses
// rows and position together.
//
// The database may be used from any thread, a partition's Store only from one at a time. One thread
// writes the counted commits of all partitions in the background (state/store/write_behind.h). A
// restore collects commits and writes their combined effect in large pieces, as table files
// (state/store/rocks/rocks_table.h); a small rest is written like a commit.
//
// Rows that turn out to be unreadable end the process, and the next open_rocks() moves the database
// aside.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "state/store/rocks/rocks_options.h"
#include "state/store/store.h"

namespace penstock {

class RocksDatabase {
 public:
  virtual ~RocksDatabase() = default;
  // The rows of one partition of a topic, created if they do not exist. The database must outlive
  // the result.
  [[nodiscard]] virtual Result<std::unique_ptr<Store>> partition(std::string_view topic,
                                                                 PartitionId partition) = 0;
  // Writes everything in memory to disk, so that the next start has little to restore.
  [[nodiscard]] virtual Status flush() = 0;
};

// If another process holds the database, or if it cannot be written, the error says so. A database
// that is corrupt or in a newer format is moved aside and replaced by an empty one, which the log
// fills again; `notice` then receives a line for the worker's log.
[[nodiscard]] Result<std::unique_ptr<RocksDatabase>> open_rocks(const RocksOptions& options,
                                                                std::string* notice);

}  // namespace penstock
