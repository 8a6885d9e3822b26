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
  if (!status_.ok()) return status_;
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  options.failed_move_fall_back_to_copy = true;
  options.write_global_seqno = false;  // the file stays as it was synced
  return status_ = db_.IngestExternalFile(family_, {path_}, options);
}

}  // namespace penstock
