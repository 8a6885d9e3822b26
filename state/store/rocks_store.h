// RocksDB as the home of all partitions of a process: one database, one column family per partition
// of a queue. RocksDB's own write-ahead log is off: the state log is the write-ahead log, and each
// write carries the log position in the same column family, so that a crash loses rows and position
// together.
//
// Counted commits are written behind the loops' backs, by one thread for all partitions
// (state/store/write_behind.h). A restore gathers commits and writes what they come to in large
// pieces, as table files of their own (state/store/rocks_table.h); a small rest is one write like a
// commit's.
//
// What turns out unreadable while it is used ends the process, and the next open_rocks() moves it
// aside.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "state/store/rocks_options.h"
#include "state/store/store.h"

namespace penstock {

class RocksDatabase {
 public:
  virtual ~RocksDatabase() = default;
  // The rows of one partition of a topic; made when they do not exist. The database must outlive
  // it.
  [[nodiscard]] virtual Result<std::unique_ptr<Store>> partition(std::string_view topic,
                                                                 PartitionId partition) = 0;
  // Writes what is in memory to disk, so that the next start restores little.
  [[nodiscard]] virtual Status flush() = 0;
};

// A database that another process holds, or that cannot be written, is an error that says so. One
// that is corrupt or of a newer format is moved aside by name and a new one begun: the log rebuilds
// it. `notice` receives a line for the log when that happened.
[[nodiscard]] Result<std::unique_ptr<RocksDatabase>> open_rocks(const RocksOptions& options,
                                                                std::string* notice);

}  // namespace penstock
