// A piece of a restore on its way into RocksDB as a table file of its own: no memtable, and no
// second writing when that is flushed. The file is written beside the database and then handed over
// in one step, so a crash leaves all of its rows and the log position among them, or none.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>

#include <string>

#include "state/store/batch.h"

namespace penstock {

class RocksTable final : public RowWriter {
 public:
  // The file is made anew at `path`, which must lie in the database's file system.
  RocksTable(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string path);
  ~RocksTable() override;
  RocksTable(const RocksTable&) = delete;
  RocksTable& operator=(const RocksTable&) = delete;

  // Keys in their order, each once; ranges erase what the database has, not what the table has.
  void put(std::string_view key, std::string_view value) override;
  void erase(std::string_view key) override;
  void erase_range(std::string_view from, std::string_view to) override;

  // Hands the table over. The first error of it all, if any; then nothing is in the database.
  [[nodiscard]] rocksdb::Status ingest();

 private:
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* family_;
  std::string path_;
  rocksdb::SstFileWriter writer_;
  rocksdb::Status status_;
};

}  // namespace penstock
