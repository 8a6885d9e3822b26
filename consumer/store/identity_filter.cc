#include "consumer/store/identity_filter.h"

#include <algorithm>
#include <utility>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

IdentityFilter::Bits::Bits(std::uint64_t identities)
    : capacity_(std::max<std::size_t>(kMinCapacity, kGrowth * identities)),
      blocks_(capacity_ * kBitsPerIdentity / 512 + 1) {}

// Nine bits of the digest for each probe; those that choose the block are not among them.
void IdentityFilter::Bits::add(const Digest& digest) {
  Block& block = blocks_[block_of(digest)];
  std::uint64_t bits = digest.low * 0x9E3779B97F4A7C15U;
  for (std::size_t i = 0; i < kProbes; ++i) {
    if (i == kProbes / 2) bits = digest.low * 0xC2B2AE3D27D4EB4FU;
    block[bits >> 61] |= std::uint64_t{1} << ((bits >> 55) & 63);
    bits <<= 9;
  }
  ++added_;
}

bool IdentityFilter::Bits::has(const Digest& digest) const {
  const Block& block = blocks_[block_of(digest)];
  std::uint64_t bits = digest.low * 0x9E3779B97F4A7C15U;
  for (std::size_t i = 0; i < kProbes; ++i) {
    if (i == kProbes / 2) bits = digest.low * 0xC2B2AE3D27D4EB4FU;
    if (!(block[bits >> 61] >> ((bits >> 55) & 63) & 1)) return false;
    bits <<= 9;
  }
  return true;
}

void IdentityFilter::restored(std::uint64_t rows) {
  current_ = Bits();
  // Without rows there is nothing to read: the empty filter is right.
  answers_ = rows == 0;
  building_ = rows > 0;
  next_ = building_ ? Bits(rows) : Bits();
  from_ = std::string(1, keys::kIdentity);
}

void IdentityFilter::added(const Digest& digest) {
  // To both: the scan of step() may have passed the place of the new row already.
  if (answers_) current_.add(digest);
  if (building_) next_.add(digest);
}

void IdentityFilter::step(std::uint64_t rows) {
  if (!building_) {
    // Erased identities stay in a filter, so a full one is replaced by one that is made from the
    // rows.
    next_ = Bits(rows);
    from_ = std::string(1, keys::kIdentity);
    building_ = true;
  }
  std::size_t read = 0;
  std::string last;
  view_.scan(from_, keys::after_prefix(std::string(1, keys::kIdentity)),
             [&](std::string_view key, std::string_view) {
               Cursor digest(key.substr(1));
               const std::uint64_t high = digest.u64();
               next_.add({high, digest.u64()});
               last = key;
               return ++read < kMaxRowsPerStep;
             });
  if (read == kMaxRowsPerStep) {
    from_ = last + '\0';
    return;
  }
  current_ = std::exchange(next_, Bits());
  building_ = false;
  answers_ = true;
}

}  // namespace penstock
