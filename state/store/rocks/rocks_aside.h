// Copies of a partition's rows that were set aside. Each is a RocksDB database of its own with the
// partition's column family under its name, next to the database that it was copied from.
//
//   folder := DIRECTORY ".aside/" copy
//   copy   := partition ".unproven"     until it is known whether the log has as much
//           | partition "." number      kept permanently
//   partition := topic "-" number
//
// The copies share the database's files by hard links, so setting one aside needs no additional
// space at first. May be used from any thread, but for one partition only from one at a time.
#pragma once

#include <string>

#include "topics/values/result.h"

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
struct ColumnFamilyOptions;
}  // namespace rocksdb

namespace penstock {

class AsideCopies {
 public:
  static constexpr int kMaxKept = 1000;  // per partition

  // `directory` is that of the database.
  explicit AsideCopies(const std::string& directory) : folder_(directory + ".aside") {}

  // Copies the family. An existing unproven copy stays instead, because everything that has been
  // restored since is in the log.
  [[nodiscard]] Status add(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                           const rocksdb::ColumnFamilyOptions& options, const std::string& name);
  // Keeps the unproven copy permanently or removes it, if there is one.
  [[nodiscard]] Status end(const std::string& name, bool keep);
  // The path of the latest copy that is kept permanently; empty if there is none.
  [[nodiscard]] std::string kept(const std::string& name) const;

 private:
  [[nodiscard]] std::string unproven(const std::string& name) const;
  [[nodiscard]] std::string numbered(const std::string& name, int number) const;

  std::string folder_;
};

}  // namespace penstock
