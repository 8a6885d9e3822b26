// RocksDB's settings for partitions' rows. Pure.
#pragma once

#include <rocksdb/options.h>

#include "state/store/rocks/rocks_options.h"

namespace penstock {

[[nodiscard]] std::size_t write_buffer_bytes_per_family(const RocksOptions& options);
[[nodiscard]] rocksdb::DBOptions database_options(const RocksOptions& options);
[[nodiscard]] rocksdb::ColumnFamilyOptions family_options(const RocksOptions& options);

// Whether an insert of this kind of row begins where the last one ended, which pays because a
// commit's rows are in order. Only for kinds that no range erases: RocksDB 7.8 shares the hint
// between rows and ranges, which are in different lists.
[[nodiscard]] bool is_hinted(char kind);

}  // namespace penstock
