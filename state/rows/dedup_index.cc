#include "state/rows/dedup_index.h"

#include <algorithm>

namespace penstock {
namespace {
constexpr std::int64_t kBucketsPerWindow = 16;

// How many bytes of the tables one call sweeps: some milliseconds' work.
constexpr std::size_t kSweptBytes = std::size_t{4} << 20;

[[nodiscard]] PackedTable::Tags only(PackedTable::Tag tag) { return PackedTable::Tags{1} << tag; }
}  // namespace

DedupWindow::DedupWindow(Duration window)
    // Rounded up, so that an identity is never forgotten too early.
    : window_s_((window.count() + 999) / 1000),
      width_s_(std::max<std::int64_t>(1, window_s_ / kBucketsPerWindow)) {}

std::uint32_t DedupWindow::bucket(Time ended) const {
  const std::int64_t seconds = to_ms(ended) / 1000;
  // At least 1, because 0 marks an empty slot.
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, seconds - seconds % width_s_));
}

std::uint32_t DedupWindow::oldest_kept(Time now) const {
  // A bucket is forgotten as a whole, so the last identity that can be in it decides.
  const std::int64_t seconds = to_ms(now) / 1000 - window_s_ - width_s_;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, seconds));
}

// A second more: times are cut to seconds.
Duration DedupWindow::longest() const { return std::chrono::seconds(window_s_ + width_s_ + 1); }

DedupIndex::DedupIndex() {
  static_assert(kTables == PackedTable::kPhases);
  for (std::size_t phase = 0; phase < kTables; ++phase) tables_[phase] = PackedTable(phase);
}

bool DedupIndex::check_and_admit(const Digest& digest) {
  return table(digest).find_or_set(key(digest), kLiveTag, free_);
}

bool DedupIndex::contains(const Digest& digest) const {
  return (only(table(digest).find(key(digest))) & free_) == 0;
}

void DedupIndex::end(const Digest& digest, std::uint32_t bucket) {
  if (bucket < oldest_) return remove(digest);
  table(digest).set(key(digest), tag_of(bucket), free_);
}

void DedupIndex::remove(const Digest& digest) { table(digest).remove(key(digest)); }

void DedupIndex::forget_before(std::uint32_t bucket) {
  oldest_ = std::max(oldest_, bucket);
  for (Tag tag = 1; tag < kLiveTag; ++tag) {
    if (buckets_[tag] < oldest_) free_ |= only(tag);
  }
  for (std::size_t bytes = 0; bytes < kSweptBytes;) {
    const std::size_t before = swept_;
    sweep_table();
    if (sweeping_ == 0) return;
    bytes += tables_[before].bytes();
  }
}

// One table, of a round that sweeps the tags that are forgotten when it begins.
void DedupIndex::sweep_table() {
  if (sweeping_ == 0) {
    for (Tag tag = 1; tag < kLiveTag; ++tag) {
      if (buckets_[tag] != 0 && buckets_[tag] < oldest_) sweeping_ |= only(tag);
    }
    swept_ = 0;
  }
  if (sweeping_ == 0) return;
  tables_[swept_].sweep(free_);
  if (++swept_ < kTables) return;
  for (Tag tag = 1; tag < kLiveTag; ++tag) {
    if ((sweeping_ & only(tag)) != 0) buckets_[tag] = 0;
  }
  sweeping_ = 0;
}

DedupIndex::Tag DedupIndex::tag_of(std::uint32_t bucket) {
  if (buckets_[last_tag_] == bucket) return last_tag_;
  const auto found = std::find(buckets_.begin(), buckets_.end(), bucket);
  last_tag_ = found == buckets_.end() ? unused_tag() : static_cast<Tag>(found - buckets_.begin());
  buckets_[last_tag_] = bucket;
  free_ &= ~only(last_tag_);
  return last_tag_;
}

DedupIndex::Tag DedupIndex::unused_tag() {
  for (;;) {
    for (Tag tag = 1; tag < kLiveTag; ++tag) {
      if (buckets_[tag] == 0) return tag;
    }
    // Rarely: a window has about half as many buckets as there are tags.
    const bool any_forgotten = std::any_of(buckets_.begin() + 1, buckets_.end(),
                                           [&](std::uint32_t bucket) { return bucket < oldest_; });
    any_forgotten ? sweep_table() : join_two_buckets();
  }
}

// The identities of the oldest bucket are remembered as long as those of the next one: there are
// too many buckets, because the window has been changed several times.
void DedupIndex::join_two_buckets() {
  const auto oldest = std::min_element(buckets_.begin() + 1, buckets_.end());
  const auto next = std::min_element(buckets_.begin() + 1, buckets_.end(),
                                     [&](std::uint32_t one, std::uint32_t other) {
                                       return one != *oldest && (other == *oldest || one < other);
                                     });
  const auto from = static_cast<Tag>(oldest - buckets_.begin());
  for (PackedTable& table : tables_) table.change(from, static_cast<Tag>(next - buckets_.begin()));
  *oldest = 0;
  free_ |= only(from);
}

std::size_t DedupIndex::bytes() const {
  std::size_t bytes = 0;
  for (const PackedTable& table : tables_) bytes += table.bytes();
  return bytes;
}

}  // namespace penstock
