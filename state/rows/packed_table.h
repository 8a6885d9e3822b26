// A set of keys of 62 bits, each with a tag, in 7.5 to 8 bytes a key where there are many.
//
// The keys are divided evenly among lines of 64 bytes, in their order, so that a line stands for
// the upper bits of its keys, and a cell has only what is left (the remainder), the tag, and how
// many lines the cell lies behind its key's own (its distance), because a line that is full passes
// its keys on to the next ones. A line's last byte says how far its own keys reach.
//
//   line := hint{9} rest:6{9} reach:u8       if the remainder has at most 47 bits: from 32,768 lines on
//         | hint{7} rest:8{7} reach:u8       a smaller table has larger cells
//   hint := remainder:4 distance:4           the lowest bits come first
//   rest := tag:5 remainder                  if the hint is not that of an empty cell
//
// This is exact: two keys are never mistaken for each other. (Compact hash tables are described by
// J. Cleary, "Compact Hash Tables Using Bidirectional Linear Probing", 1984.) A table grows by
// a tenth, so that it is 86 to 95 % full, and is copied in the order of its keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "topics/values/huge_pages.h"

namespace penstock {

class PackedTable {
 public:
  static constexpr int kKeyBits = 62;
  using Tag = std::uint8_t;
  static constexpr Tag kNone = 0, kLastTag = 31;  // of a key that is not there; the greatest one
  // Tags, by the bits of their numbers.
  using Tags = std::uint32_t;

  static constexpr std::size_t kPhases = 16;
  // Tables of different phases do not grow at the same time, although their keys are equally many.
  explicit PackedTable(std::size_t phase = 0) : phase_(phase) {}

  // kNone if the key is not there.
  [[nodiscard]] Tag find(std::uint64_t key) const;
  // Gives the key this tag, whether or not it was there. If there is no room, keys with a tag in
  // `free` are removed first.
  void set(std::uint64_t key, Tag tag, Tags free);
  // The same, unless the key is there with a tag that is not free. Returns whether it was.
  [[nodiscard]] bool find_or_set(std::uint64_t key, Tag tag, Tags free);
  void remove(std::uint64_t key);
  void prefetch(std::uint64_t key) const {
    const std::size_t home = geometry_.place(key).home;
    const std::size_t end = std::min(home + 4, lines_.size());
    for (std::size_t line = home; line < end; ++line) __builtin_prefetch(&lines_[line], 1);
  }

  // Removes the keys whose tag is free, and shrinks the table if it has become much too large.
  void sweep(Tags free);
  // Gives the keys that have one tag another one.
  void change(Tag from, Tag to);

  [[nodiscard]] std::size_t bytes() const { return lines_.size() * sizeof(Line); }

 private:
  // Empty at first: nine hints of empty cells, the most that a line has, and a reach of 0, so that
  // looking for a key does not go on to the next line.
  struct alignas(64) Line {
    std::array<unsigned char, 64> bytes{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  };
  using Lines = std::vector<Line, HugePages<Line>>;

  // How keys are divided among lines.
  struct Place {
    std::size_t home = 0;         // the line that the key belongs to
    std::uint64_t remainder = 0;  // the key minus the first one of that line
  };
  struct Geometry {
    explicit Geometry(std::size_t lines);
    std::uint64_t width;    // keys per line
    std::uint64_t inverse;  // 2^64 / width, rounded down
    bool narrow;            // whether the remainders fit into cells of 7 bytes

    [[nodiscard]] Place place(std::uint64_t key) const;
  };
  template <bool kNarrow>
  struct Cells;
  struct Spot {
    std::size_t line = 0;
    std::size_t cell = 0;
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  // The key's cell; the line is kNowhere if there is none.
  [[nodiscard]] Spot spot(const Place& place) const;
  template <bool kNarrow>
  [[nodiscard]] Spot spot_in(const Place& place) const;
  [[nodiscard]] Tag tag_at(const Spot& spot) const;
  void set_tag(const Spot& spot, Tag tag);
  void clear(const Spot& spot);
  // Of a key that is not there.
  void insert(std::uint64_t key, Tag tag, Tags free);
  // Returns false if it found no place for one key, which is then in `place` and `tag`.
  template <bool kNarrow>
  [[nodiscard]] bool insert_in(Place& place, Tag& tag);
  template <bool kNarrow>
  void store(const Spot& spot, const Place& place, std::size_t distance, Tag tag);
  // Calls function(tag, spot) for each cell that is not empty.
  template <typename Function>
  void each(const Function& function) const;

  [[nodiscard]] std::size_t next(std::size_t line) const {
    return line + 1 < lines_.size() ? line + 1 : 0;
  }
  [[nodiscard]] std::size_t home_of(std::size_t line, std::size_t distance) const {
    return line >= distance ? line - distance : line + lines_.size() - distance;
  }
  [[nodiscard]] std::size_t most_used() const;
  void make_room(Tags free);
  [[nodiscard]] std::size_t grown() const;
  void resize(std::size_t lines, Tags free);
  template <bool kFromNarrow, bool kToNarrow>
  void copy_to(PackedTable& to, Tags free) const;

  std::size_t phase_;
  Lines lines_ = Lines(1);
  Geometry geometry_{1};
  std::size_t used_ = 0;  // cells that are not empty
};

}  // namespace penstock
