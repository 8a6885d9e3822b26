// The identities that a partition remembers, in memory: jobs that live but have no row yet, and
// jobs that ended within the dedup window. (Jobs with a row are found by their row 'i'.)
//
// An open-addressed table of 16-byte slots: the rest of the digest (state/rows/digest.h), 96
// bits, and a label. At most
// kMaxLoadPercent full, so 16 to 32 bytes an identity; two identities are taken for one with
// probability n^2 / 2^97, 6e-12 for a thousand million of them. Forgotten slots are reclaimed when
// the table is rebuilt, so forgetting a bucket costs nothing when it happens.
#pragma once

#include <cstdint>
#include <vector>

#include "state/rows/digest.h"
#include "topics/values/types.h"

namespace penstock {

// When identities are forgotten: those that ended in one bucket of time go together.
class DedupWindow {
 public:
  explicit DedupWindow(Duration window);

  // The bucket of an end at this time: seconds since 1970, rounded down to the bucket's width.
  [[nodiscard]] std::uint32_t bucket(Time ended) const;
  // An identity is remembered so long after its end, at most.
  [[nodiscard]] Duration longest() const;
  // Buckets below this are over.
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

  // Whether the identity is remembered; an identity that is not becomes live. One probe for both.
  [[nodiscard]] bool check_and_admit(const Digest& digest);
  [[nodiscard]] bool contains(const Digest& digest) const;
  // Has the identity's slot fetched while other work is done: it lies in no cache, as a rule.
  void prefetch(const Digest& digest) const { __builtin_prefetch(&slots_[digest.low & mask_], 1); }
  // The identity ended in `bucket` (or was restored as such). Inserts it when it is not there.
  void end(const Digest& digest, std::uint32_t bucket);
  // Its row tells of it from now on, or it never was.
  void remove(const Digest& digest);
  // What ended in buckets below this is forgotten.
  void forget_before(std::uint32_t bucket) { oldest_ = bucket; }
  void reserve(std::size_t identities);

  [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t low = 0;
    std::uint32_t high = 0;    // without the account's
    std::uint32_t bucket = 0;  // 0: empty
  };

  [[nodiscard]] std::size_t find(const Digest& digest) const;  // its slot, or the empty one for it
  [[nodiscard]] bool remembered(const Slot& slot) const { return slot.bucket >= oldest_; }
  void set(std::size_t at, const Digest& digest, std::uint32_t bucket);
  void rebuild(std::size_t slots);
  [[nodiscard]] std::size_t fitting_slots() const;

  std::vector<Slot> slots_;
  std::size_t mask_;
  std::size_t used_ = 0;
  std::uint32_t oldest_ = 1;
};

}  // namespace penstock
