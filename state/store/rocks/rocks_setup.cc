#include "state/store/rocks/rocks_setup.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>

#include "state/rows/keys.h"
#include "state/store/rocks/no_options_file.h"

namespace penstock {
namespace {

// Not all partitions are busy at once.
constexpr std::size_t kOverbooked = 4;
constexpr std::size_t kMinWriteBufferBytes = 1 << 20;
constexpr std::size_t kBlocksPerWriteBuffer = 64;

// RocksDB's own LOG file is disabled: on a full disk, a RocksDB built with assertions would end the
// process when it cannot write the file. Every error that matters is returned as a status.
class NoInfoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// Makes an insert begin where the last one of its kind ended.
class HintedKinds final : public rocksdb::SliceTransform {
 public:
  [[nodiscard]] const char* Name() const override { return "penstock.kind"; }
  [[nodiscard]] rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), 1};
  }
  [[nodiscard]] bool InDomain(const rocksdb::Slice& key) const override {
    return !key.empty() && is_hinted(key[0]);
  }
};

}  // namespace

bool is_hinted(char kind) {
  // The kinds whose rows are inserted in the order of their keys. No range may erase any of them
  // (see the header).
  return kind == keys::kDue || kind == keys::kLine || kind == keys::kIdentity;
}

// Each family has a filter of its write buffer's size from the first row on, so that many idle
// partitions would cost as much memory as busy ones.
std::size_t write_buffer_bytes_per_family(const RocksOptions& options) {
  const std::size_t fair =
      kOverbooked * options.write_buffer_bytes / std::max<std::size_t>(options.partitions, 1);
  return std::clamp(fair, kMinWriteBufferBytes, options.write_buffer_bytes / 4);
}

rocksdb::DBOptions database_options(const RocksOptions& options) {
  rocksdb::DBOptions database;
  database.create_if_missing = true;
  database.env = env_without_options_file();
  database.db_write_buffer_size = options.write_buffer_bytes;
  database.allow_concurrent_memtable_write = false;
  database.max_background_jobs = 2;
  database.max_open_files = 256;
  database.info_log = std::make_shared<NoInfoLog>();  // RocksDB requires a shared_ptr
  database.stats_dump_period_sec = 0;
  database.stats_persist_period_sec = 0;
  return database;
}

rocksdb::ColumnFamilyOptions family_options(const RocksOptions& options) {
  rocksdb::ColumnFamilyOptions family;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.block_size = 16 << 10;  // rows are read in order, or looked up and not found
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  // RocksDB requires a shared_ptr.
  family.memtable_insert_with_hint_prefix_extractor = std::make_shared<HintedKinds>();
  family.write_buffer_size = write_buffer_bytes_per_family(options);
  // Whole blocks count as used: a thousand families with one row each must not fill the buffers of
  // all, which would be flushed without end.
  family.arena_block_size = family.write_buffer_size / kBlocksPerWriteBuffer;
  family.compression = rocksdb::kNoCompression;
  family.memtable_whole_key_filtering = true;
  family.memtable_prefix_bloom_size_ratio = 0.02;
  return family;
}

}  // namespace penstock
