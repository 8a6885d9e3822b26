// How RocksDB is set up for a partition's rows.
#pragma once

#include <rocksdb/options.h>

#include "state/store/rocks_options.h"

namespace penstock {

[[nodiscard]] rocksdb::DBOptions database_options(const RocksOptions& options);
[[nodiscard]] rocksdb::ColumnFamilyOptions family_options(const RocksOptions& options);

// A commit's rows come in order, so an insert of these kinds of row begins where the last one
// ended. Only kinds that no range erases: RocksDB 7.8 shares a hint between rows and ranges, which
// lie in different lists.
[[nodiscard]] bool is_hinted(char kind);

}  // namespace penstock
