#include "tests/simulation/reference_store.h"

#include <iterator>

#include "state/rows/digest.h"
#include "state/store/batch.h"

namespace penstock::simulation {

std::uint64_t row_hash(std::string_view key, std::string_view value) {
  return (bytes_hash(key) * 31 + bytes_hash(value)) * 0x9e3779b97f4a7c15ULL;
}

class ReferenceWriter final : public RowWriter {
 public:
  explicit ReferenceWriter(ReferenceStore& store) : store_(store) {}

  void put(std::string_view key, std::string_view value) override {
    const auto found = store_.rows_.find(key);
    const bool fresh = found == store_.rows_.end();
    if (fresh) {
      store_.rows_.emplace(key, value);
    } else {
      store_.digest_ ^= row_hash(key, found->second);
      found->second = value;
    }
    store_.digest_ ^= row_hash(key, value);
    if (store_.observer_) store_.observer_->row_put(key, value, fresh);
  }
  void erase(std::string_view key) override { erase_at(store_.rows_.find(key)); }
  void erase_range(std::string_view from, std::string_view to) override {
    for (auto at = store_.rows_.lower_bound(from); at != store_.rows_.end() && at->first < to;) {
      at = erase_at(at);
    }
  }

 private:
  ReferenceStore::Rows::iterator erase_at(ReferenceStore::Rows::iterator at) {
    if (at == store_.rows_.end()) return at;
    store_.digest_ ^= row_hash(at->first, at->second);
    return store_.rows_.erase(at);
  }
  ReferenceStore& store_;
};

namespace {

class RowsIterator final : public RowIterator {
 public:
  RowsIterator(const ReferenceStore::Rows& rows, std::string_view from, std::string_view to)
      : at_(rows.lower_bound(from)), end_(to < from ? at_ : rows.lower_bound(to)) {}
  [[nodiscard]] bool valid() const override { return at_ != end_; }
  [[nodiscard]] std::string_view key() const override { return at_->first; }
  [[nodiscard]] std::string_view value() const override { return at_->second; }
  void next() override { ++at_; }
  void seek(std::string_view key) override {
    while (valid() && at_->first < key) ++at_;
  }

 private:
  ReferenceStore::Rows::const_iterator at_;
  ReferenceStore::Rows::const_iterator end_;
};

}  // namespace

bool ReferenceStore::get(std::string_view key, std::string* value) {
  const auto found = rows_.find(key);
  if (found == rows_.end()) return false;
  *value = found->second;
  return true;
}

std::unique_ptr<RowIterator> ReferenceStore::scan(std::string_view from, std::string_view to) {
  return std::make_unique<RowsIterator>(rows_, from, to);
}

Status ReferenceStore::apply(std::string_view batch, const LogPosition& position) {
  ReferenceWriter writer(*this);
  if (Status status = replay_batch(batch, writer); !status) return status;
  position_ = position;
  return {};
}

Status ReferenceStore::discard() {
  rows_.clear();
  digest_ = 0;
  position_.reset();
  return {};
}

std::size_t ReferenceStore::rows_of(char kind) const {
  const std::string from(1, kind), to(1, static_cast<char>(kind + 1));
  return static_cast<std::size_t>(std::distance(rows_.lower_bound(from), rows_.lower_bound(to)));
}

}  // namespace penstock::simulation
