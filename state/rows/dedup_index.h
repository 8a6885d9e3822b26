// The identities that a partition remembers in memory: those of live jobs that have no row yet, and
// those of jobs that ended within the dedup window. (Jobs with a row are found by their row 'i'.)
//
// Open-addressed tables of 16-byte slots, each with 96 bits of the digest (the part that
// state/rows/digest.h calls the rest) and a bucket. A table is at most kMaxLoadPercent full, so
// an identity takes 20 to 40 bytes. Two identities are mistaken for one with probability
// n^2 / 2^97, which is 6e-12 for a billion of them. Forgotten slots are reclaimed when a table is
// rebuilt, so forgetting a bucket costs nothing. There are several tables, because everything waits
// while one is rebuilt.
#pragma once

#include <array>
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

  // Whether the identity is remembered. If it is not, it becomes live, in the same probe.
  [[nodiscard]] bool check_and_admit(const Digest& digest);
  [[nodiscard]] bool contains(const Digest& digest) const;
  // Fetches the identity's slot while other work is done, because it is rarely in a cache.
  void prefetch(const Digest& digest) const {
    const Table& table = tables_[table_of(digest)];
    __builtin_prefetch(&table.slots[digest.low & table.mask], 1);
  }
  // The identity's job ended in `bucket`, or was restored as having ended then. Inserts the
  // identity if it is missing.
  void end(const Digest& digest, std::uint32_t bucket);
  // From now on the identity has a row, or its job was not admitted after all.
  void remove(const Digest& digest);
  // Forgets the identities whose jobs ended in buckets below this one.
  void forget_before(std::uint32_t bucket) { oldest_ = bucket; }
  void reserve(std::size_t identities);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Slot {
    std::uint64_t low = 0;
    std::uint32_t high = 0;    // without the account's hash
    std::uint32_t bucket = 0;  // 0: empty
  };

  using Slots = std::vector<Slot, HugePages<Slot>>;

  static constexpr std::size_t kTables = 16;
  static constexpr std::size_t kSmallest = 8;  // slots of a table
  struct Table {
    Slots slots = Slots(kSmallest);
    std::size_t mask = kSmallest - 1;
    std::size_t used = 0;

    // The identity's slot, or the empty one for it.
    [[nodiscard]] std::size_t find(const Digest& digest) const;
    void set(std::size_t at, const Digest& digest, std::uint32_t bucket, std::uint32_t oldest);
    void remove(const Digest& digest);
    void rebuild(std::size_t wanted, std::uint32_t oldest);
    [[nodiscard]] std::size_t fitting_slots(std::uint32_t oldest) const;
  };

  // By its highest bits; the place in the table follows from the lowest.
  [[nodiscard]] static std::size_t table_of(const Digest& digest) { return digest.low >> 60U; }

  std::array<Table, kTables> tables_;
  std::uint32_t oldest_ = 1;
};

}  // namespace penstock
