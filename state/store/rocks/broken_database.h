// A database whose rows cannot be read: the process that finds out leaves a mark beside it and ends,
// and the next one moves the database aside. Any thread.
#pragma once

#include <rocksdb/status.h>

#include <optional>
#include <string>

#include "topics/values/result.h"

namespace penstock {

// The file beside the database that says what an earlier process could not read.
[[nodiscard]] std::string mark_of(const std::string& directory);
void mark_unreadable(const std::string& directory, const rocksdb::Status& why);
// What the mark says; nothing: there is none.
[[nodiscard]] std::optional<std::string> read_mark(const std::string& directory);

// An unreadable row must not be mistaken for a missing one: its job would be lost, and a sweep
// would remove it from the log too. The process ends before it decides anything based on the row,
// and the next process restores from Kafka.
[[noreturn]] void end_unreadable(const std::string& directory, const rocksdb::Status& why);

// Renames the directory, whose rows are kept for inspection, to a name that is not taken: `to`.
[[nodiscard]] Status move_aside(const std::string& directory, std::string* to);

// Whether opening the database failed because another process has it open.
[[nodiscard]] bool is_lock_error(const rocksdb::Status& status, const std::string& directory);

}  // namespace penstock
