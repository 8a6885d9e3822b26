// A file system without RocksDB's OPTIONS files. RocksDB writes all options of all families into
// one whenever a family is made, and reads it back to verify it, so that a thousand families take
// minutes. Nothing reads the file: the options are those of rocks_setup.h at every start.
#pragma once

#include <rocksdb/env.h>

namespace penstock {

// The default environment in every other respect. Lives as long as the process.
[[nodiscard]] rocksdb::Env* env_without_options_file();

}  // namespace penstock
