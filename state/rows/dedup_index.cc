#include "state/rows/dedup_index.h"

#include <algorithm>
#include <bit>

namespace penstock {
namespace {
constexpr std::size_t kSmallest = 64;
constexpr std::int64_t kBucketsAWindow = 16;
}  // namespace

DedupWindow::DedupWindow(Duration window)
    // Rounded up, so that an identity is never forgotten too early.
    : window_s_((window.count() + 999) / 1000),
      width_s_(std::max<std::int64_t>(1, window_s_ / kBucketsAWindow)) {}

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

DedupIndex::DedupIndex() : slots_(kSmallest), mask_(kSmallest - 1) {}

std::size_t DedupIndex::find(const Digest& digest) const {
  const auto high = static_cast<std::uint32_t>(digest.high);
  std::size_t at = digest.low & mask_;
  // Forgotten slots count as used here: an identity behind them would not be found otherwise. The
  // search ends, because a part of the slots is always empty.
  while (slots_[at].bucket != 0 && (slots_[at].low != digest.low || slots_[at].high != high)) {
    at = (at + 1) & mask_;
  }
  return at;
}

void DedupIndex::set(std::size_t at, const Digest& digest, std::uint32_t bucket) {
  if (slots_[at].bucket == 0) ++used_;
  slots_[at] = {digest.low, static_cast<std::uint32_t>(digest.high), bucket};
  // Last, because it moves the slots.
  if (used_ * 100 > slots_.size() * kMaxLoadPercent) rebuild(fitting_slots());
}

bool DedupIndex::check_and_admit(const Digest& digest) {
  const std::size_t at = find(digest);
  if (slots_[at].bucket != 0 && remembered(slots_[at])) return true;
  // The slot may be one that has been forgotten: it is used again.
  set(at, digest, kLive);
  return false;
}

bool DedupIndex::contains(const Digest& digest) const {
  const Slot& slot = slots_[find(digest)];
  return slot.bucket != 0 && remembered(slot);
}

void DedupIndex::end(const Digest& digest, std::uint32_t bucket) {
  set(find(digest), digest, bucket);
}

void DedupIndex::remove(const Digest& digest) {
  std::size_t hole = find(digest);
  if (slots_[hole].bucket == 0) return;
  // Close the hole: pull back every later slot of the run that may lie here.
  for (std::size_t next = (hole + 1) & mask_; slots_[next].bucket != 0; next = (next + 1) & mask_) {
    const std::size_t home = slots_[next].low & mask_;
    if (((next - home) & mask_) >= ((next - hole) & mask_)) {
      slots_[hole] = slots_[next];
      hole = next;
    }
  }
  slots_[hole] = {};
  --used_;
}

void DedupIndex::reserve(std::size_t identities) {
  const std::size_t wanted = std::bit_ceil(identities * 100 / kMaxLoadPercent + 1);
  if (wanted > slots_.size()) rebuild(wanted);
}

void DedupIndex::rebuild(std::size_t slots) {
  Slots old(slots);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  used_ = 0;
  for (const Slot& slot : old) {
    // The only place where forgotten slots are reclaimed.
    if (slot.bucket == 0 || !remembered(slot)) continue;
    std::size_t at = slot.low & mask_;
    while (slots_[at].bucket != 0) at = (at + 1) & mask_;
    slots_[at] = slot;
    ++used_;
  }
}

// Sized by what is still remembered, so a table that is full of forgotten slots shrinks.
std::size_t DedupIndex::fitting_slots() const {
  const auto kept =
      static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        return slot.bucket != 0 && remembered(slot);
      }));
  // An eighth more than needed, so that a table whose slots are nearly all remembered is not
  // rebuilt again soon.
  return std::max(kSmallest, std::bit_ceil(kept * 100 / kMaxLoadPercent + kept / 8 + 1));
}

}  // namespace penstock
