// The identities that a partition remembers in memory: those of live jobs that have no row yet, and
// those of jobs that ended within the dedup window. (Jobs with a row are found by their row 'i'.)
//
// Packed tables (state/rows/packed_table.h) whose keys are 62 bits of the digest, after four have
// chosen the table. So 66 of the 96 bits of a digest that belong to the identity are compared (the
// part that state/rows/digest.h calls the rest): a new identity is mistaken for one of n remembered
// ones with probability n / 2^66, which is 1e-13 for ten million. An identity takes 7.5 to 8
// bytes in a partition that remembers five million or more, and 10 to 12 in a smaller one.
//
// A key's tag says when its job ended. There are fewer tags than times, so a tag is used again once
// the keys that had it have been removed, which is done in steps.
#pragma once

#include <array>
#include <cstdint>

#include "state/rows/digest.h"
#include "state/rows/packed_table.h"
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

  DedupIndex();

  // Whether the identity is remembered. If it is not, it becomes live, in the same probe.
  [[nodiscard]] bool check_and_admit(const Digest& digest);
  [[nodiscard]] bool contains(const Digest& digest) const;
  // Fetches the identity's place while other work is done, because it is rarely in a cache.
  void prefetch(const Digest& digest) const { table(digest).prefetch(key(digest)); }
  // The identity's job ended in `bucket` (not kLive), or was restored as having ended then. Inserts
  // the identity if it is missing.
  void end(const Digest& digest, std::uint32_t bucket);
  // From now on the identity has a row, or its job was not admitted after all.
  void remove(const Digest& digest);
  // Forgets the identities whose jobs ended in buckets below this one, for good. To be called now
  // and then, because each call also frees some of the memory of what has been forgotten.
  void forget_before(std::uint32_t bucket);

  [[nodiscard]] std::size_t bytes() const;

 private:
  using Tag = PackedTable::Tag;
  static constexpr Tag kLiveTag = PackedTable::kLastTag;
  static constexpr int kTableBits = 4;
  static constexpr std::size_t kTables = std::size_t{1} << kTableBits;

  // By its highest bits; two bits of the other half take their places in the key.
  [[nodiscard]] static std::size_t table_of(const Digest& digest) {
    return digest.low >> (64 - kTableBits);
  }
  [[nodiscard]] static std::uint64_t key(const Digest& digest) {
    return ((digest.low << kTableBits) >> 2U) | (digest.high & 3U);
  }
  [[nodiscard]] const PackedTable& table(const Digest& digest) const {
    return tables_[table_of(digest)];
  }
  [[nodiscard]] PackedTable& table(const Digest& digest) { return tables_[table_of(digest)]; }

  // The tag of the bucket, given to it if it has none.
  [[nodiscard]] Tag tag_of(std::uint32_t bucket);
  [[nodiscard]] Tag unused_tag();
  void sweep_table();
  void join_two_buckets();

  std::array<PackedTable, kTables> tables_;
  std::uint32_t oldest_ = 1;
  // The buckets of the tags between kNone and kLiveTag; 0: no key has this tag.
  std::array<std::uint32_t, kLiveTag> buckets_{};
  // The tags that count as no tag: those without a bucket, and those of forgotten buckets.
  PackedTable::Tags free_ = ~(PackedTable::Tags{1} << kLiveTag);
  Tag last_tag_ = PackedTable::kNone;  // the last one that was asked for
  // Forgotten tags that are being swept out of the tables, of which `swept_` are done.
  PackedTable::Tags sweeping_ = 0;
  std::size_t swept_ = 0;
};

}  // namespace penstock
