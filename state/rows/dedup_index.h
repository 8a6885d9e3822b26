// The identities that a partition remembers in memory: those of live jobs that have no row yet, and
// those of jobs that ended within the dedup window. (Jobs with a row are found by their row 'i'.)
//
// An open-addressed table of 16-byte slots, each with 96 bits of the digest (the part that
// state/rows/digest.h calls the rest) and a bucket. The table is at most kMaxLoadPercent full, so
// an identity takes 20 to 40 bytes. Two identities are mistaken for one with probability
// n^2 / 2^97, which is 6e-12 for a billion of them. Forgotten slots are reclaimed when the table is
// rebuilt, so forgetting a bucket costs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "state/rows/digest.h"
#include "topics/values/huge_pages.h"
#include "topics/values/types.h"

namespace penstock {

// When identities are forgotten: those whose jobs ended in one bucket of time go together.
class DedupWindow {
 public:
  explicit DedupWindow(Duration window);

  // The bucket of an end at this time: seconds since 1970, rounded down to the bucket's width.
  [[nodiscard]] std::uint32_t bucket(Time ended) const;
  // The longest time for which an identity is remembered after its job has ended.
  [[nodiscard]] Duration longest() const;
  // Buckets below this one are forgotten.
  [[nodiscard]] std::uint32_t oldest_kept(Time now) const;

 private:
  std::int64_t window_s_;
  std::int64_t width_s_;
};

class DedupIndex {
 public:
  static constexpr std::uint32_t kLive = 0xffffffff;
  static constexpr std::size_t kMaxLoadPercent = 80;

  DedupIndex();

  // Whether the identity is remembered. If it is not, it becomes live, in the same probe.
  [[nodiscard]] bool check_and_admit(const Digest& digest);
  [[nodiscard]] bool contains(const Digest& digest) const;
  // Fetches the identity's slot while other work is done, because it is rarely in a cache.
  void prefetch(const Digest& digest) const { __builtin_prefetch(&slots_[digest.low & mask_], 1); }
  // The identity's job ended in `bucket`, or was restored as having ended then. Inserts the
  // identity if it is missing.
  void end(const Digest& digest, std::uint32_t bucket);
  // From now on the identity has a row, or its job was not admitted after all.
  void remove(const Digest& digest);
  // Forgets the identities whose jobs ended in buckets below this one.
  void forget_before(std::uint32_t bucket) { oldest_ = bucket; }
  void reserve(std::size_t identities);

  [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t low = 0;
    std::uint32_t high = 0;    // without the account's hash
    std::uint32_t bucket = 0;  // 0: empty
  };

  [[nodiscard]] std::size_t find(const Digest& digest) const;  // its slot, or the empty one for it
  [[nodiscard]] bool remembered(const Slot& slot) const { return slot.bucket >= oldest_; }
  void set(std::size_t at, const Digest& digest, std::uint32_t bucket);
  void rebuild(std::size_t slots);
  [[nodiscard]] std::size_t fitting_slots() const;

  using Slots = std::vector<Slot, HugePages<Slot>>;

  Slots slots_;
  std::size_t mask_;
  std::size_t used_ = 0;
  std::uint32_t oldest_ = 1;
};

}  // namespace penstock
