// The rows of one column family in the order of their keys.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <string_view>

#include "state/store/store.h"

namespace penstock {

// The rows in [from, to). An unreadable row ends the process, with a message that names `directory`,
// the database's. Database, family and directory must outlive the iterator.
[[nodiscard]] std::unique_ptr<RowIterator> scan_rows(rocksdb::DB& db,
                                                     rocksdb::ColumnFamilyHandle* family,
                                                     const std::string& directory,
                                                     std::string_view from, std::string_view to);

}  // namespace penstock
