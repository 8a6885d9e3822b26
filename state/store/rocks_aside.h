// Copies of a partition's rows that were set aside: each a RocksDB database of its own, with the
// partition's column family under its name, beside the database that it comes from.
//
//   folder := DIRECTORY ".aside/" copy
//   copy   := partition ".unproven"     until it is known whether the log has as much
//           | partition "." number      kept for good
//   partition := topic "-" number
//
// The files are shared with the database by hard links, so that setting aside costs no room of its
// own at first. May be used from any thread, a partition's from one at a time.
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
  static constexpr int kMaxKept = 1000;  // of a partition

  // `directory` is the database's.
  explicit AsideCopies(const std::string& directory) : folder_(directory + ".aside") {}

  // Makes a copy of the family; where there is an unproven one already, that stays instead: what
  // has been restored since is in the log.
  [[nodiscard]] Status add(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                           const rocksdb::ColumnFamilyOptions& options, const std::string& name);
  // Keeps the unproven copy for good, or removes it; if there is one.
  [[nodiscard]] Status end(const std::string& name, bool keep);
  // Where the latest one lies that is kept for good; empty: nowhere.
  [[nodiscard]] std::string kept(const std::string& name) const;

 private:
  [[nodiscard]] std::string unproven(const std::string& name) const;
  [[nodiscard]] std::string numbered(const std::string& name, int number) const;

  std::string folder_;
};

}  // namespace penstock
