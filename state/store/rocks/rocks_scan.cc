#include "state/store/rocks/rocks_scan.h"

#include <rocksdb/options.h>

#include "state/store/rocks/broken_database.h"

namespace penstock {
namespace {

class FamilyIterator final : public RowIterator {
 public:
  FamilyIterator(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::string& directory,
                 std::string_view from, std::string_view to)
      : directory_(directory),
        to_(to),
        bound_(to_),
        rows_(db.NewIterator(bounded(bound_), family)) {
    rows_->Seek(rocksdb::Slice(from.data(), from.size()));
  }
  [[nodiscard]] bool valid() const override {
    if (rows_->Valid()) return true;
    // An iterator that has met an error is invalid as well. Taken for the end of the rows, it would
    // make jobs disappear.
    if (!rows_->status().ok()) end_unreadable(directory_, rows_->status());
    return false;
  }
  [[nodiscard]] std::string_view key() const override {
    return {rows_->key().data(), rows_->key().size()};
  }
  [[nodiscard]] std::string_view value() const override {
    return {rows_->value().data(), rows_->value().size()};
  }
  void next() override { rows_->Next(); }
  void seek(std::string_view key) override { rows_->Seek(rocksdb::Slice(key.data(), key.size())); }

 private:
  static rocksdb::ReadOptions bounded(const rocksdb::Slice& bound) {
    rocksdb::ReadOptions options;
    // RocksDB keeps the address.
    options.iterate_upper_bound = &bound;
    return options;
  }

  const std::string& directory_;  // the database's, which lives longer
  const std::string to_;
  const rocksdb::Slice bound_;
  std::unique_ptr<rocksdb::Iterator> rows_;
};

}  // namespace

std::unique_ptr<RowIterator> scan_rows(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                       const std::string& directory, std::string_view from,
                                       std::string_view to) {
  return std::make_unique<FamilyIterator>(db, family, directory, from, to);
}

}  // namespace penstock
