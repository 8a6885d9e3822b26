// Tells which identities certainly have no row. It is asked before every look-up of a new job's
// identity, so that a partition with rows admits as fast as one without.
//
// A blocked Bloom filter (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom
// Filters", 2007): each identity sets kProbes bits of one block of 512 bits, which is one cache
// line. It is filled from the rows in steps, and gives no answers until it has seen all of them.
// Identities are never removed from it. Once it contains as many as it was made for, a new one is
// made from the rows, again in steps, while the old one continues to answer.
//
// What always holds: an identity that has a row is never said to have none.
//
// Used by the partition's one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "state/rows/digest.h"
#include "state/store/view.h"
#include "topics/values/huge_pages.h"

namespace penstock {

class IdentityFilter {
 public:
  static constexpr std::size_t kMinCapacity = 1 << 12;  // identities
  // It is made for this many times the number of rows: a partition that fills up reads each of its
  // rows 1/3 times for it.
  static constexpr std::size_t kGrowth = 4;
  static constexpr std::size_t kBitsPerIdentity = 12;  // at capacity: 1 in 200 is looked up in vain
  static constexpr std::size_t kMaxRowsPerStep = 256;

  explicit IdentityFilter(View& view) : view_(view) {}

  // The rows are those of the log, `rows` in number: the filter starts again.
  void restored(std::uint64_t rows);
  // The identity has a row from now on.
  void added(const Digest& digest);
  [[nodiscard]] bool surely_absent(const Digest& digest) const {
    return answers_ && !current_.has(digest);
  }
  void prefetch(const Digest& digest) const { current_.prefetch(digest); }

  // Whether step() has something to do, given the number of rows.
  [[nodiscard]] bool has_work(std::uint64_t rows) const {
    return building_ || (answers_ && current_.is_full() && rows > 0);
  }
  // Reads a bounded number of rows.
  void step(std::uint64_t rows);

 private:
  class Bits {
   public:
    static constexpr std::size_t kProbes = 8;

    Bits() : Bits(0) {}
    explicit Bits(std::uint64_t identities);
    void add(const Digest& digest);
    [[nodiscard]] bool has(const Digest& digest) const;
    void prefetch(const Digest& digest) const { __builtin_prefetch(&blocks_[block_of(digest)]); }
    [[nodiscard]] bool is_full() const { return added_ >= capacity_; }

   private:
    using Block = std::array<std::uint64_t, 8>;

    [[nodiscard]] std::size_t block_of(const Digest& digest) const {
      return static_cast<std::size_t>((digest.low >> 32) * blocks_.size() >> 32);
    }

    std::size_t capacity_;
    std::size_t added_ = 0;
    std::vector<Block, HugePages<Block>> blocks_;
  };

  View& view_;
  Bits current_;
  Bits next_;
  bool answers_ = false;  // current_ has seen all rows
  bool building_ = false;
  std::string from_;  // the row at which the filling of next_ goes on
};

}  // namespace penstock
