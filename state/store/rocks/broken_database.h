// A database whose rows cannot be read: the process that finds this out leaves a mark next to the
// database and exits, and the next process moves the database aside. May be used from any thread.
#pragma once

#include <rocksdb/status.h>

#include <optional>
#include <string>

#include "topics/values/result.h"

namespace penstock {

// The file next to the database that says what an earlier process could not read.
[[nodiscard]] std::string mark_of(const std::string& directory);
void mark_unreadable(const std::string& directory, const rocksdb::Status& why);
// The text of the mark, if there is one.
[[nodiscard]] std::optional<std::string> read_mark(const std::string& directory);

// An unreadable row must not be mistaken for a missing one: its job would be lost, and a sweep
// would remove it from the log too. The process exits before it decides anything based on the row,
// and the next process restores from Kafka.
[[noreturn]] void end_unreadable(const std::string& directory, const rocksdb::Status& why);

// Renames the directory, so that its rows are kept for inspection, to a free name, which is
// returned in `to`.
[[nodiscard]] Status move_aside(const std::string& directory, std::string* to);

// Whether opening the database failed because another process has it open.
[[nodiscard]] bool is_lock_error(const rocksdb::Status& status, const std::string& directory);

}  // namespace penstock
