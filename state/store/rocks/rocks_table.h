// A piece of a restore on its way into RocksDB as a table file: this needs no memtable, and no
// second write to flush one. The file is written next to the database and added to it in one step,
// so after a crash either all of its rows and its log position are there, or none. Belongs to one
// thread.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>

#include <list>
#include <string>

#include "state/store/batch.h"

namespace penstock {

class RocksTable final : public RowWriter {
 public:
  // Creates a new file at `path`, which must be in the database's file system.
  RocksTable(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string path);
  ~RocksTable() override;
  RocksTable(const RocksTable&) = delete;
  RocksTable& operator=(const RocksTable&) = delete;

  // Keys must come in order, each once. Ranges erase rows of the database, not of the table.
  void put(std::string_view key, std::string_view value) override;
  void erase(std::string_view key) override;
  void erase_range(std::string_view from, std::string_view to) override;

  [[nodiscard]] bool empty() const { return empty_; }

  // Adds the tables, of which none may be empty, to the database of the first. Returns the first
  // error of all their calls, if any; then nothing has been added.
  [[nodiscard]] static rocksdb::Status ingest(std::list<RocksTable>& tables);

 private:
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* family_;
  std::string path_;
  rocksdb::SstFileWriter writer_;
  rocksdb::Status status_;
  bool empty_ = true;
};

}  // namespace penstock
