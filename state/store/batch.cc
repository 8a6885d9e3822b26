#include "state/store/batch.h"

#include <rocksdb/slice.h>

namespace penstock {
namespace {

rocksdb::Slice as_slice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

class Replay final : public rocksdb::WriteBatch::Handler {
 public:
  explicit Replay(RowWriter& into) : into_(into) {}

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    // An owner writes batches of the default family only, so any other id means that the record is
    // not what an owner wrote. Its rows must not end up in another partition's family.
    if (family != 0) return foreign();
    into_.put(view(key), view(value));
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    if (family != 0) return foreign();
    into_.erase(view(key));
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t family, const rocksdb::Slice& from,
                                const rocksdb::Slice& to) override {
    if (family != 0) return foreign();
    into_.erase_range(view(from), view(to));
    return rocksdb::Status::OK();
  }
  // Marks of transactions. They are only noted, because returning an error here would abort a
  // RocksDB that was built with assertions.
  rocksdb::Status MarkBeginPrepare(bool) override { return marked(); }
  rocksdb::Status MarkEndPrepare(const rocksdb::Slice&) override { return marked(); }
  rocksdb::Status MarkNoop(bool) override { return marked(); }
  rocksdb::Status MarkRollback(const rocksdb::Slice&) override { return marked(); }
  rocksdb::Status MarkCommit(const rocksdb::Slice&) override { return marked(); }
  rocksdb::Status MarkCommitWithTimestamp(const rocksdb::Slice&, const rocksdb::Slice&) override {
    return marked();
  }
  [[nodiscard]] bool has_marks() const { return marks_; }

 private:
  rocksdb::Status marked() {
    marks_ = true;
    return rocksdb::Status::OK();
  }
  static rocksdb::Status foreign() {
    return rocksdb::Status::Corruption("a logged batch names another column family");
  }
  RowWriter& into_;
  bool marks_ = false;
};

}  // namespace

void Batch::put(std::string_view key, std::string_view value) {
  // Fails only if the batch has a maximum size, which this one has not, or for a row of more than 4
  // GiB.
  rows_.Put(as_slice(key), as_slice(value)).PermitUncheckedError();
}
void Batch::erase(std::string_view key) { rows_.Delete(as_slice(key)).PermitUncheckedError(); }
void Batch::erase_range(std::string_view from, std::string_view to) {
  rows_.DeleteRange(as_slice(from), as_slice(to)).PermitUncheckedError();
}

Status LoggedBatch::replay(RowWriter& into) const {
  constexpr std::size_t kHeaderBytes = 12;  // sequence and count; Iterate() requires at least these
  if (rows_.GetDataSize() < kHeaderBytes)
    return failure("a logged batch is shorter than its header");
  Replay replay(into);
  if (const rocksdb::Status status = rows_.Iterate(&replay); !status.ok()) {
    return failure("a logged batch cannot be applied: " + status.ToString());
  }
  if (replay.has_marks()) return failure("a logged batch holds marks of a transaction");
  return {};
}

Status replay_batch(std::string_view bytes, RowWriter& into) {
  return LoggedBatch(bytes).replay(into);
}

}  // namespace penstock
