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
  empty_ = false;
  if (status_.ok()) status_ = writer_.Put(bytes_of(key), bytes_of(value));
}
void RocksTable::erase(std::string_view key) {
  empty_ = false;
  if (status_.ok()) status_ = writer_.Delete(bytes_of(key));
}
void RocksTable::erase_range(std::string_view from, std::string_view to) {
  empty_ = false;
  if (status_.ok()) status_ = writer_.DeleteRange(bytes_of(from), bytes_of(to));
}

rocksdb::Status RocksTable::ingest(std::list<RocksTable>& tables) {
  std::vector<std::string> paths;
  for (RocksTable& table : tables) {
    if (table.status_.ok()) table.status_ = table.writer_.Finish();
    // A table from which rows are missing must not become part of the database.
    if (!table.status_.ok()) return table.status_;
    paths.push_back(table.path_);
  }
  rocksdb::IngestExternalFileOptions options;
  // By a hard link where the file system can do it, so the rows are not written twice.
  options.move_files = true;
  options.failed_move_fall_back_to_copy = true;
  options.write_global_seqno = false;  // the files stay as they were synced
  const RocksTable& first = tables.front();
  return first.db_.IngestExternalFile(first.family_, paths, options);
}

}  // namespace penstock
