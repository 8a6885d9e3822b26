#include "topics/embedded/disk/store.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstdarg>
#include <memory>
#include <optional>
#include <utility>

#include "topics/private_directory.h"

namespace penstock::embedded {
namespace {

constexpr std::size_t kMemtableBytes = 16 << 20;
constexpr std::size_t kBlockCacheBytes = 16 << 20;
// A batch that a burst has made larger than this is freed.
constexpr std::size_t kKeptBatchBytes = 8 << 20;
constexpr int kMaxOpenFiles = 256;

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// RocksDB's own log file is disabled: on a full disk its writer fails an assertion, which would end
// the process before it has reported the reason. Every error that matters is returned as a status.
class NoInfoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::Options options() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = kMemtableBytes;
  options.max_write_buffer_number = 3;
  options.max_background_jobs = 2;
  options.max_open_files = kMaxOpenFiles;
  options.info_log = std::make_shared<NoInfoLog>();  // RocksDB requires a shared_ptr
  // Chunks are large and never change, and rewriting them from level to level would cost more than
  // everything else. In blob files, only their keys are compacted.
  options.enable_blob_files = true;
  options.min_blob_size = 4096;
  options.blob_file_size = 64 << 20;
  options.enable_blob_garbage_collection = true;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(kBlockCacheBytes);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

Error open_error(const std::string& directory, const rocksdb::Status& status) {
  const std::string detail = status.ToString();
  // RocksDB has no status code for this case; only the text tells.
  if (status.IsIOError() && detail.find("/LOCK") != std::string::npos) {
    return {"the embedded log in " + directory + " is in use by another process (it holds " +
            directory + "/LOCK): stop that process, or choose another directory. " + detail};
  }
  return {"the embedded log in " + directory + " cannot be opened: " + detail};
}

}  // namespace

void Changes::put(std::string_view key, std::string_view value) {
  batch_.Put(slice(key), slice(value));
}

void Changes::remove(std::string_view key) { batch_.Delete(slice(key)); }

void Changes::remove_range(std::string_view from, std::string_view to) {
  batch_.DeleteRange(slice(from), slice(to));
}

void Changes::clear() {
  const bool large = batch_.GetDataSize() > kKeptBatchBytes;
  batch_.Clear();
  if (large) batch_ = rocksdb::WriteBatch();
}

Store::Store(std::string directory, std::unique_ptr<rocksdb::DB> db)
    : directory_(std::move(directory)), db_(std::move(db)) {}

Result<std::unique_ptr<Store>> Store::open(const std::string& directory) {
  if (const Status made = make_private_directory(directory); !made) {
    return tl::unexpected<Error>(made.error());
  }
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options(), directory, &db);
  if (!status.ok()) return tl::unexpected<Error>(open_error(directory, status));
  std::unique_ptr<Store> store(new Store(directory, std::unique_ptr<rocksdb::DB>(db)));
  if (Status version = store->check_version(); !version) {
    return tl::unexpected<Error>(version.error());
  }
  return store;
}

Status Store::check_version() {
  std::string row;
  const rocksdb::Status status = db_->Get({}, slice(kVersionKey), &row);
  if (status.IsNotFound()) {
    Changes changes;
    changes.put(kVersionKey, version_row());
    return write(changes, true);
  }
  if (!status.ok()) return status_of(status, "reading its version");
  const std::optional<std::uint32_t> version = parse_version_row(row);
  if (version == kFormatVersion) return {};
  return failure("the embedded log in " + directory_ + " has format " +
                 (version ? std::to_string(*version) : "?") + "; this program supports format " +
                 std::to_string(kFormatVersion) +
                 ": run the version that wrote it, or choose another directory");
}

Status Store::write(Changes& changes, bool sync) {
  rocksdb::WriteOptions options;
  options.sync = sync;
  return status_of(db_->Write(options, &changes.batch_), "writing");
}

Status Store::scan(std::string_view prefix,
                   const std::function<bool(std::string_view, std::string_view)>& row) const {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options));
  for (at->Seek(slice(prefix)); at->Valid() && at->key().starts_with(slice(prefix)); at->Next()) {
    if (!row(at->key().ToStringView(), at->value().ToStringView())) break;
  }
  return status_of(at->status(), "reading");
}

Status Store::read_chunks(PartitionKey of, Offset position, std::size_t most_bytes,
                          std::deque<ChunkRef>& out) const {
  const std::string prefix = chunk_prefix(of);
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  // A reader runs through the chunks once; they would only displace other rows from the cache.
  options.fill_cache = false;
  std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options));
  std::size_t bytes = 0;
  for (at->SeekForPrev(slice(chunk_key(of, position)));
       at->Valid() && at->key().starts_with(slice(prefix)) && bytes < most_bytes; at->Next()) {
    ChunkRef chunk = parse_chunk(base_of_key(at->key().ToStringView()), at->value().ToString());
    if (chunk == nullptr) {
      return failure("the embedded log in " + directory_ + " has a corrupt chunk: restore the " +
                     "directory from a copy, or remove it to start with an empty log");
    }
    // SeekForPrev finds the last chunk that begins at or before `position`; it need not reach that
    // far.
    if (chunk->end() <= position) break;
    bytes += chunk->bytes.size();
    out.push_back(std::move(chunk));
  }
  return status_of(at->status(), "reading");
}

Status Store::status_of(const rocksdb::Status& status, std::string_view doing) const {
  if (status.ok()) return {};
  return failure("the embedded log in " + directory_ + " failed " + std::string(doing) + ": " +
                 status.ToString() + ". Free disk space or repair the disk, then start again");
}

}  // namespace penstock::embedded
