#include "state/rows/dedup_index.h"

#include <algorithm>
#include <bit>

namespace penstock {
namespace {
constexpr std::int64_t kBucketsPerWindow = 16;
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

std::size_t DedupIndex::Table::find(const Digest& digest) const {
  const auto high = static_cast<std::uint32_t>(digest.high);
  std::size_t at = digest.low & mask;
  // Forgotten slots count as used here: an identity behind them would not be found otherwise. The
  // search ends, because a part of the slots is always empty.
  while (slots[at].bucket != 0 && (slots[at].low != digest.low || slots[at].high != high)) {
    at = (at + 1) & mask;
  }
  return at;
}

void DedupIndex::Table::set(std::size_t at, const Digest& digest, std::uint32_t bucket,
                            std::uint32_t oldest) {
  if (slots[at].bucket == 0) ++used;
  slots[at] = {digest.low, static_cast<std::uint32_t>(digest.high), bucket};
  // Last, because it moves the slots.
  if (used * 100 > slots.size() * kMaxLoadPercent) rebuild(fitting_slots(oldest), oldest);
}

void DedupIndex::Table::remove(const Digest& digest) {
  std::size_t hole = find(digest);
  if (slots[hole].bucket == 0) return;
  // Close the hole: pull back every later slot of the run that may lie here.
  for (std::size_t next = (hole + 1) & mask; slots[next].bucket != 0; next = (next + 1) & mask) {
    const std::size_t home = slots[next].low & mask;
    if (((next - home) & mask) >= ((next - hole) & mask)) {
      slots[hole] = slots[next];
      hole = next;
    }
  }
  slots[hole] = {};
  --used;
}

void DedupIndex::Table::rebuild(std::size_t wanted, std::uint32_t oldest) {
  Slots old(wanted);
  old.swap(slots);
  mask = slots.size() - 1;
  used = 0;
  for (const Slot& slot : old) {
    // The only place where forgotten slots are reclaimed.
    if (slot.bucket < oldest) continue;
    std::size_t at = slot.low & mask;
    while (slots[at].bucket != 0) at = (at + 1) & mask;
    slots[at] = slot;
    ++used;
  }
}

// Sized by what is still remembered, so a table that is full of forgotten slots shrinks.
std::size_t DedupIndex::Table::fitting_slots(std::uint32_t oldest) const {
  const auto kept = static_cast<std::size_t>(std::count_if(
      slots.begin(), slots.end(), [&](const Slot& slot) { return slot.bucket >= oldest; }));
  // An eighth more than needed, so that a table whose slots are nearly all remembered is not
  // rebuilt again soon.
  return std::max(kSmallest, std::bit_ceil(kept * 100 / kMaxLoadPercent + kept / 8 + 1));
}

bool DedupIndex::check_and_admit(const Digest& digest) {
  Table& table = tables_[table_of(digest)];
  const std::size_t at = table.find(digest);
  if (table.slots[at].bucket >= oldest_) return true;
  // The slot may be one that has been forgotten: it is used again.
  table.set(at, digest, kLive, oldest_);
  return false;
}

bool DedupIndex::contains(const Digest& digest) const {
  const Table& table = tables_[table_of(digest)];
  return table.slots[table.find(digest)].bucket >= oldest_;
}

void DedupIndex::end(const Digest& digest, std::uint32_t bucket) {
  Table& table = tables_[table_of(digest)];
  table.set(table.find(digest), digest, bucket, oldest_);
}

void DedupIndex::remove(const Digest& digest) { tables_[table_of(digest)].remove(digest); }

void DedupIndex::reserve(std::size_t identities) {
  // An eighth more, because the tables are not equally full.
  const std::size_t each = identities / kTables + identities / (8 * kTables) + 1;
  const std::size_t wanted = std::bit_ceil(each * 100 / kMaxLoadPercent + 1);
  for (Table& table : tables_) {
    if (wanted > table.slots.size()) table.rebuild(wanted, oldest_);
  }
}

std::size_t DedupIndex::bytes() const {
  std::size_t slots = 0;
  for (const Table& table : tables_) slots += table.slots.size();
  return slots * sizeof(Slot);
}

}  // namespace penstock
