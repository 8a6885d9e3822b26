// The rows that one commit writes, as the bytes of a RocksDB WriteBatch. They name only the default
// column family. A store redirects the operations to the partition's own column family, because the
// ids of column families depend on the order in which they were created and differ between
// machines. A batch belongs to one thread.
#pragma once

#include <rocksdb/write_batch.h>

#include <string>
#include <string_view>

#include "topics/values/result.h"

namespace penstock {

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void put(std::string_view key, std::string_view value) = 0;
  virtual void erase(std::string_view key) = 0;
  virtual void erase_range(std::string_view from, std::string_view to) = 0;  // [from, to)
};

class Batch final : public RowWriter {
 public:
  void put(std::string_view key, std::string_view value) override;
  void erase(std::string_view key) override;
  void erase_range(std::string_view from, std::string_view to) override;

  void clear() { rows_.Clear(); }
  [[nodiscard]] bool empty() const { return rows_.Count() == 0; }
  [[nodiscard]] std::size_t size() const { return rows_.GetDataSize(); }
  [[nodiscard]] std::string_view bytes() const { return rows_.Data(); }

 private:
  rocksdb::WriteBatch rows_;
};

// The bytes of a logged batch; the views that replay() passes on point into them.
class LoggedBatch {
 public:
  explicit LoggedBatch(std::string_view bytes) : rows_(std::string(bytes)) {}
  LoggedBatch(const LoggedBatch&) = delete;
  LoggedBatch& operator=(const LoggedBatch&) = delete;

  // Fails if the bytes are not a batch or name another column family.
  [[nodiscard]] Status replay(RowWriter& into) const;

 private:
  rocksdb::WriteBatch rows_;
};

// Replays the bytes of a batch into a writer. Fails if they are not a batch or name another column
// family.
[[nodiscard]] Status replay_batch(std::string_view bytes, RowWriter& into);

}  // namespace penstock
