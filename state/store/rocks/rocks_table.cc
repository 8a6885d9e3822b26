#include "state/store/rocks/rocks_table.h"

#include <filesystem>

namespace penstock {
namespace {

rocksdb::Slice bytes_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

RocksTable::RocksTable(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string path)
    : db_(db),
      family_(family),
      path_(std::move(path)),
      // What was just written will be read soon, so it should stay in the page cache.
      writer_(rocksdb::EnvOptions(), db.GetOptions(family), nullptr,
              /*invalidate_page_cache=*/false) {
  status_ = writer_.Open(path_);
}

RocksTable::~RocksTable() {
  std::error_code ignored;  // leftovers are removed when the database is opened again
  // After a successful ingest the file has moved into the database, and there is nothing to remove.
  std::filesystem::remove(path_, ignored);
}

void RocksTable::put(std::string_view key, std::string_view value) {
  if (status_.ok()) status_ = writer_.Put(bytes_of(key), bytes_of(value));
}
void RocksTable::erase(std::string_view key) {
  if (status_.ok()) status_ = writer_.Delete(bytes_of(key));
}
void RocksTable::erase_range(std::string_view from, std::string_view to) {
  if (status_.ok()) status_ = writer_.DeleteRange(bytes_of(from), bytes_of(to));
}

rocksdb::Status RocksTable::ingest() {
  if (status_.ok()) status_ = writer_.Finish();
  // A table from which rows are missing must not become part of the database.
  if (!status_.ok()) return status_;
  rocksdb::IngestExternalFileOptions options;
  // By a hard link where the file system can do it, so the rows are not written twice.
  options.move_files = true;
  options.failed_move_fall_back_to_copy = true;
  options.write_global_seqno = false;  // the file stays as it was synced
  return status_ = db_.IngestExternalFile(family_, {path_}, options);
}

}  // namespace penstock
