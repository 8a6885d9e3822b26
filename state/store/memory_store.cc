#include "state/store/memory_store.h"

#include "state/store/batch.h"
#include "topics/values/check.h"

namespace penstock {

class MemoryWriter final : public RowWriter {
 public:
  explicit MemoryWriter(MemoryStore& store) : store_(store) {}

  void put(std::string_view key, std::string_view value) override {
    erase(key);
    store_.contents_.rows.emplace(key, value);
    store_.bytes_ += key.size() + value.size();
  }
  void erase(std::string_view key) override {
    auto& rows = store_.contents_.rows;
    if (const auto found = rows.find(key); found != rows.end()) {
      store_.bytes_ -= found->first.size() + found->second.size();
      rows.erase(found);
    }
  }
  void erase_range(std::string_view from, std::string_view to) override {
    auto& rows = store_.contents_.rows;
    const auto end = rows.lower_bound(to);
    for (auto row = rows.lower_bound(from); row != end; row = rows.erase(row)) {
      store_.bytes_ -= row->first.size() + row->second.size();
    }
  }

 private:
  MemoryStore& store_;
};

namespace {

class MapIterator final : public RowIterator {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;
  // An empty range where `to` comes before `from`.
  MapIterator(const Map& rows, std::string_view from, std::string_view to)
      : at_(rows.lower_bound(from)), end_(to < from ? at_ : rows.lower_bound(to)), rows_(rows) {}

  [[nodiscard]] bool valid() const override { return at_ != end_; }
  [[nodiscard]] std::string_view key() const override { return at_->first; }
  [[nodiscard]] std::string_view value() const override { return at_->second; }
  void next() override { ++at_; }
  void seek(std::string_view key) override {
    const auto found = rows_.lower_bound(key);
    const bool behind = end_ != rows_.end() && (found == rows_.end() || end_->first < found->first);
    at_ = behind ? end_ : found;
  }

 private:
  Map::const_iterator at_;
  Map::const_iterator end_;
  const Map& rows_;
};

}  // namespace

bool MemoryStore::get(std::string_view key, std::string* value) {
  const auto found = contents_.rows.find(key);
  if (found == contents_.rows.end()) return false;
  *value = found->second;
  return true;
}

std::unique_ptr<RowIterator> MemoryStore::scan(std::string_view from, std::string_view to) {
  return std::make_unique<MapIterator>(contents_.rows, from, to);
}

Status MemoryStore::apply(std::string_view batch, const LogPosition& position) {
  PENSTOCK_CHECK(restored_.empty(), "a restore is settled before commits follow");
  waiting_.push_back({std::string(batch), position});
  return write_all_but(lag_);
}

Status MemoryStore::write_all_but(std::size_t rest) {
  for (; waiting_.size() > rest; waiting_.pop_front()) {
    MemoryWriter writer(*this);
    if (const Status status = replay_batch(waiting_.front().rows, writer); !status) return status;
    contents_.position = waiting_.front().position;
    ++written_;
  }
  return {};
}

Status MemoryStore::restore(std::string_view batch, const LogPosition& position) {
  if (Status status = restored_.add(batch); !status) return status;
  restored_to_ = position;
  return restored_.bytes() < kMaxRestoredBytes ? Status() : settle();
}

Status MemoryStore::settle() {
  if (Status status = write_all_but(0); !status || restored_.empty()) return status;
  MemoryWriter writer(*this);
  // Without a position nothing has been written yet, so there is nothing to erase.
  restored_.write(writer, !contents_.position);
  restored_.clear();
  contents_.position = restored_to_;
  return {};
}

Status MemoryStore::discard() {
  waiting_.clear();
  restored_.clear();
  // The copy that is kept for an operator stays.
  contents_ = Contents{.rows = {}, .position = {}, .kept_aside = contents_.kept_aside};
  bytes_ = 0;
  return {};
}

Status MemoryStore::set_aside() {
  if (Status status = settle(); !status) return status;
  // An earlier copy stays: what has been restored since then is in the log.
  if (contents_.position && !aside_) aside_ = contents_;
  return discard();
}

Status MemoryStore::end_aside(bool keep) {
  if (aside_ && keep)
    contents_.kept_aside = "memory, " + std::to_string(aside_->rows.size()) + " rows";
  aside_.reset();
  return {};
}

}  // namespace penstock
