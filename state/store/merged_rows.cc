#include "state/store/merged_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace penstock {
namespace {

// How many rows before its use the bytes of a row are fetched.
constexpr std::size_t kAhead = 8;
// The bytes of a key that its numbers contain.
constexpr std::size_t kInNumbers = 1 + 2 * sizeof(std::uint64_t);

// Eight bytes from `at` on, as a number that sorts like them; missing bytes count as zeros.
std::uint64_t number_at(std::string_view key, std::size_t at) {
  std::uint64_t number = 0;
  if (key.size() > at)
    std::memcpy(&number, key.data() + at, std::min(key.size() - at, sizeof(number)));
  return std::endian::native == std::endian::little ? __builtin_bswap64(number) : number;
}

unsigned char first_byte(std::string_view key) {
  return key.empty() ? 0 : static_cast<unsigned char>(key.front());
}

}  // namespace

class MergedRows::Collector final : public RowWriter {
 public:
  explicit Collector(MergedRows& rows) : rows_(rows) {}

  void put(std::string_view key, std::string_view value) override {
    add(key, value.data(), static_cast<std::uint32_t>(value.size()));
  }
  void erase(std::string_view key) override { add(key, nullptr, kErased); }
  void erase_range(std::string_view from, std::string_view to) override {
    if (from >= to) return;
    ranges_.push_back({from, to, rows_.next_number_++});
    (void)kind_of(from);  // which is written with the range
  }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

 private:
  void add(std::string_view key, const char* value, std::uint32_t value_size) {
    kind_of(key).add({number_at(key, 1), number_at(key, 9), key.data(), value,
                      static_cast<std::uint32_t>(key.size()), value_size, rows_.next_number_++});
  }

  [[nodiscard]] Kind& kind_of(std::string_view key) { return rows_.kinds_[first_byte(key)]; }

  MergedRows& rows_;
  std::vector<Range> ranges_;
};

// Both must be of the same kind.
int MergedRows::Change::compare(const Change& other) const {
  if (high != other.high) return high < other.high ? -1 : 1;
  if (low != other.low) return low < other.low ? -1 : 1;
  // The numbers contain all bytes of two short keys, padded with zeros: equal numbers leave only
  // the lengths to tell the keys apart.
  if (key_size > kInNumbers || other.key_size > kInNumbers)
    return key_view().compare(other.key_view());
  return static_cast<int>(key_size) - static_cast<int>(other.key_size);
}

void MergedRows::Kind::add(const Change& change) {
  // Strictly less: a key that is changed twice needs the sort, which brings its changes together.
  in_order = in_order && (changes.empty() || changes.back().compare(change) < 0);
  changes.push_back(change);
}

// By key, and for each key by time. Sorts numbers, which have a third of a change's size.
void MergedRows::Kind::sort(std::vector<std::pair<std::uint64_t, std::uint32_t>>& scratch) {
  if (in_order) return;
  scratch.clear();
  scratch.reserve(changes.size());
  for (const Change& change : changes) {
    scratch.emplace_back(change.high, static_cast<std::uint32_t>(scratch.size()));
  }
  std::sort(scratch.begin(), scratch.end(), [this](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const int order = changes[a.second].compare(changes[b.second]);
    // std::sort is not stable, and the last change of a key is the one that counts.
    return order != 0 ? order < 0 : a.second < b.second;
  });
  std::vector<Change> sorted;
  sorted.reserve(changes.size());
  for (const auto& [high, at] : scratch) sorted.push_back(changes[at]);
  changes = std::move(sorted);
  in_order = true;
}

Status MergedRows::add(std::string_view batch) {
  const std::uint32_t number = next_number_;
  Collector collector(*this);
  batches_.emplace_back(batch);
  if (Status status = batches_.back().replay(collector); !status) {
    // The changes point into the batch that is removed next.
    for (auto& [name, kind] : kinds_) {
      std::erase_if(kind.changes, [&](const Change& change) { return change.number >= number; });
    }
    batches_.pop_back();
    return status;
  }
  for (const Range& range : collector.ranges()) take_range(range);
  bytes_ += batch.size() + sizeof(LoggedBatch) + (next_number_ - number) * sizeof(Change);
  return {};
}

// Ranges mostly erase everything up to a time that increases, so the newest one contains the
// earlier ones.
void MergedRows::take_range(const Range& range) {
  std::erase_if(ranges_,
                [&](const Range& old) { return old.from >= range.from && old.to <= range.to; });
  ranges_.push_back(range);
}

bool MergedRows::erased_by_a_range(const Change& change) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return change.number < range.number && change.key_view() >= range.from &&
           change.key_view() < range.to;
  });
}

void MergedRows::write_kind(Kind& kind, RowWriter& into, bool bare) {
  kind.sort(scratch_);
  for (std::size_t i = 0; i < kind.changes.size(); ++i) {
    const Change& change = kind.changes[i];
    // In sorted order, their bytes are scattered over the batches, and waiting for them would be
    // the largest cost.
    if (i + kAhead < kind.changes.size()) __builtin_prefetch(kind.changes[i + kAhead].key);
    const bool last = i + 1 == kind.changes.size() || change.compare(kind.changes[i + 1]) != 0;
    if (!last || erased_by_a_range(change)) continue;
    if (change.value_size != kErased) {
      into.put(change.key_view(), {change.value, change.value_size});
    } else if (!bare) {
      // Even if these batches wrote the row: the store may have an older one.
      into.erase(change.key_view());
    }
  }
}

void MergedRows::write_ranges(RowWriter& into, const Kinds& kinds) {
  std::vector<Range> sorted = ranges_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Range& a, const Range& b) { return a.from < b.from; });
  for (std::size_t i = 0; i < sorted.size();) {
    Range merged = sorted[i];
    for (++i; i < sorted.size() && sorted[i].from <= merged.to; ++i) {
      merged.to = std::max(merged.to, sorted[i].to);
    }
    const unsigned char kind = first_byte(merged.from);
    if (kinds.first <= kind && kind <= kinds.last) into.erase_range(merged.from, merged.to);
  }
}

std::vector<MergedRows::Kinds> MergedRows::divided(std::size_t many) const {
  std::vector<Kinds> parts;
  bool open = false;  // the last part takes the next kind too
  for (const auto& [name, kind] : kinds_) {
    const bool alone = kind.changes.size() >= many && kind.in_order;
    if (open && !alone) {
      parts.back().last = name;
    } else {
      parts.push_back({name, name});
    }
    open = !alone;
  }
  return parts;
}

void MergedRows::write(RowWriter& into, bool bare, const Kinds& kinds) {
  // First, because within one write, a range would erase the rows that precede it.
  if (!bare) write_ranges(into, kinds);
  for (auto kind = kinds_.lower_bound(kinds.first); kind != kinds_.end(); ++kind) {
    if (kind->first > kinds.last) break;
    write_kind(kind->second, into, bare);
  }
}

void MergedRows::clear() {
  for (auto& [name, kind] : kinds_) {
    // The vectors go on using their memory: a running partition merges commits all the time.
    kind.changes.clear();
    kind.in_order = true;
  }
  ranges_.clear();
  batches_.clear();
  next_number_ = 0;
  bytes_ = 0;
}

}  // namespace penstock
