#include "state/rows/packed_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little, "cells are read as integers");

__extension__ using Wide = unsigned __int128;

constexpr int kTagBits = 5, kDistanceBits = 4;
constexpr int kLowBits = 8 - kDistanceBits;  // of the remainder, in the cell's hint
constexpr std::uint64_t kTagMask = (1U << kTagBits) - 1;
constexpr std::uint64_t kLowMask = (1U << kLowBits) - 1;
constexpr std::uint8_t kEmpty = 0xff;                            // the hint of an empty cell
constexpr std::size_t kMaxDistance = (1U << kDistanceBits) - 2;  // the next one is that of kEmpty
constexpr std::size_t kReach = 63;  // the byte of a line that says how far its keys reach

// A fuller table passes on so many keys that they do not find a cell within reach.
constexpr std::size_t kMaxLoadPercent = 95;
// By how much a table grows: while it is small, memory matters less than copying.
constexpr std::size_t kWideGrowth = 4, kGrowth = 10;

[[nodiscard]] bool is_in(PackedTable::Tags tags, PackedTable::Tag tag) {
  return ((tags >> tag) & 1U) != 0;
}

// Eight bytes at once. Both return those that are meant by their highest bits.
constexpr std::uint64_t kOnes = 0x0101010101010101, kHighest = 0x80 * kOnes;
[[nodiscard]] std::uint64_t equal_bytes(std::uint64_t word, std::uint8_t byte) {
  const std::uint64_t different = word ^ (byte * kOnes);
  return ~(((different & ~kHighest) + ~kHighest) | different) & kHighest;
}
// Whose upper half is less than `number`, which is at most 15.
[[nodiscard]] std::uint64_t bytes_below(std::uint64_t word, std::size_t number) {
  const std::uint64_t halves = (word >> 4U) & (0x0f * kOnes);
  return ~((halves | kHighest) - number * kOnes) & kHighest;
}

}  // namespace

// How a line is divided into cells. First come the hints of all cells, which alone are looked at
// until one agrees, then what else there is of each.
template <bool kNarrow>
struct PackedTable::Cells {
  static constexpr std::size_t kPerLine = kNarrow ? 9 : 7;
  static constexpr std::size_t kBytes = kNarrow ? 6 : 8;  // after the hint
  static constexpr int kRemainderBits = static_cast<int>(8 * kBytes) - kTagBits + kLowBits;
  static_assert(kPerLine * (1 + kBytes) == kReach);

  [[nodiscard]] static constexpr std::size_t offset(std::size_t cell) {
    return kPerLine + cell * kBytes;
  }
  // Calls function(cell), until it returns true, for each cell that `choose` finds among the hints,
  // of which it is given up to eight at a time. Returns whether there was such a cell.
  template <typename Choose, typename Function>
  [[nodiscard]] static bool any(const Line& line, const Choose& choose, const Function& function) {
    std::uint64_t hints = 0;
    std::memcpy(&hints, line.bytes.data(), sizeof hints);
    // The eighth byte of wide cells is not a hint.
    constexpr std::uint64_t kHints = kPerLine < 8 ? ~std::uint64_t{0} >> 8U : ~std::uint64_t{0};
    for (std::uint64_t found = choose(hints) & kHints; found != 0; found &= found - 1) {
      if (function(static_cast<std::size_t>(std::countr_zero(found)) / 8)) return true;
    }
    return kPerLine > 8 && (choose(line.bytes[8]) & 0x80U) != 0 && function(8);
  }
  [[nodiscard]] static bool is_empty(const Line& line, std::size_t cell) {
    return line.bytes[cell] == kEmpty;
  }
  [[nodiscard]] static std::uint64_t rest(const Line& line, std::size_t cell) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, line.bytes.data() + offset(cell), kBytes);
    return bits;
  }
  [[nodiscard]] static Tag tag(const Line& line, std::size_t cell) {
    return static_cast<Tag>(line.bytes[offset(cell)] & kTagMask);
  }
  [[nodiscard]] static std::size_t distance(const Line& line, std::size_t cell) {
    return line.bytes[cell] >> kLowBits;
  }
  [[nodiscard]] static std::uint64_t remainder(const Line& line, std::size_t cell) {
    return (rest(line, cell) >> kTagBits << kLowBits) | (line.bytes[cell] & kLowMask);
  }
  static void store(Line& line, std::size_t cell, std::uint64_t remainder, std::size_t distance,
                    Tag tag) {
    line.bytes[cell] = static_cast<unsigned char>((distance << kLowBits) | (remainder & kLowMask));
    const std::uint64_t bits = (remainder >> kLowBits << kTagBits) | tag;
    std::memcpy(line.bytes.data() + offset(cell), &bits, kBytes);
  }
};

PackedTable::Geometry::Geometry(std::size_t lines)
    : width(((std::uint64_t{1} << kKeyBits) + lines - 1) / lines),
      inverse(static_cast<std::uint64_t>((Wide{1} << 64) / width)),
      narrow(std::bit_width(width - 1) <= Cells<true>::kRemainderBits) {
  static_assert(kKeyBits <= Cells<false>::kRemainderBits);
}

// The division by `width`, as a multiplication by its inverse, whose result may be one too small.
PackedTable::Place PackedTable::Geometry::place(std::uint64_t key) const {
  auto home = static_cast<std::uint64_t>((Wide{key} * inverse) >> 64);
  std::uint64_t remainder = key - home * width;
  if (remainder >= width) {
    ++home;
    remainder -= width;
  }
  return {home, remainder};
}

template <bool kNarrow>
PackedTable::Spot PackedTable::spot_in(const Place& place) const {
  using In = Cells<kNarrow>;
  const std::uint64_t wanted = place.remainder >> kLowBits;
  const auto low = static_cast<std::size_t>(place.remainder & kLowMask);
  const std::size_t reach = lines_[place.home].bytes[kReach];
  Spot spot{place.home, 0};
  for (std::size_t distance = 0; distance <= reach; ++distance, spot.line = next(spot.line)) {
    const Line& line = lines_[spot.line];
    const auto hint = static_cast<std::uint8_t>((distance << kLowBits) | low);
    const bool found = In::any(
        line, [hint](std::uint64_t hints) { return equal_bytes(hints, hint); },
        [&](std::size_t cell) {
          spot.cell = cell;
          return In::rest(line, cell) >> kTagBits == wanted;
        });
    if (found) return spot;
  }
  return {kNowhere, 0};
}

PackedTable::Spot PackedTable::spot(const Place& place) const {
  return geometry_.narrow ? spot_in<true>(place) : spot_in<false>(place);
}

PackedTable::Tag PackedTable::tag_at(const Spot& spot) const {
  const Line& line = lines_[spot.line];
  return geometry_.narrow ? Cells<true>::tag(line, spot.cell) : Cells<false>::tag(line, spot.cell);
}

void PackedTable::set_tag(const Spot& spot, Tag tag) {
  const std::size_t offset =
      geometry_.narrow ? Cells<true>::offset(spot.cell) : Cells<false>::offset(spot.cell);
  unsigned char& byte = lines_[spot.line].bytes[offset];
  byte = static_cast<unsigned char>((byte & ~kTagMask) | tag);
}

PackedTable::Tag PackedTable::find(std::uint64_t key) const {
  const Spot at = spot(geometry_.place(key));
  return at.line == kNowhere ? kNone : tag_at(at);
}

void PackedTable::set(std::uint64_t key, Tag tag, Tags free) {
  const Spot at = spot(geometry_.place(key));
  at.line == kNowhere ? insert(key, tag, free) : set_tag(at, tag);
}

bool PackedTable::find_or_set(std::uint64_t key, Tag tag, Tags free) {
  const Spot at = spot(geometry_.place(key));
  if (at.line == kNowhere) {
    insert(key, tag, free);
    return false;
  }
  if (!is_in(free, tag_at(at))) return true;
  set_tag(at, tag);
  return false;
}

// The reach of its line stays, because another key may lie there; it is set anew by a resize.
void PackedTable::remove(std::uint64_t key) {
  const Spot at = spot(geometry_.place(key));
  if (at.line != kNowhere) clear(at);
}

void PackedTable::clear(const Spot& spot) {
  lines_[spot.line].bytes[spot.cell] = kEmpty;
  --used_;
}

template <bool kNarrow>
void PackedTable::store(const Spot& spot, const Place& place, std::size_t distance, Tag tag) {
  Cells<kNarrow>::store(lines_[spot.line], spot.cell, place.remainder, distance, tag);
  unsigned char& reach = lines_[place.home].bytes[kReach];
  reach = std::max(reach, static_cast<unsigned char>(distance));
}

// In a line that is full, the key takes the cell of the one that lies nearest to its own line, if
// that is nearer than the key's, and this one goes on to the next line ("Robin Hood hashing"): so no
// key lies far away, as long as the table is not too full.
template <bool kNarrow>
bool PackedTable::insert_in(Place& place, Tag& tag) {
  using In = Cells<kNarrow>;
  const std::size_t distances = std::min(kMaxDistance + 1, lines_.size());
  Spot spot{place.home, 0};
  const auto take = [&](std::size_t cell) {
    spot.cell = cell;
    return true;
  };
  for (std::size_t distance = 0; distance < distances; ++distance, spot.line = next(spot.line)) {
    const Line& line = lines_[spot.line];
    if (In::any(
            line, [](std::uint64_t hints) { return equal_bytes(hints, kEmpty); }, take)) {
      store<kNarrow>(spot, place, distance, tag);
      ++used_;
      return true;
    }
    const auto nearer = [&](std::size_t than) {
      return In::any(
          line, [than](std::uint64_t hints) { return bytes_below(hints, than); }, take);
    };
    if (!nearer(std::min<std::size_t>(distance, 1)) && !nearer(distance)) continue;
    const std::size_t its_distance = In::distance(line, spot.cell);
    const Place its_place{home_of(spot.line, its_distance), In::remainder(line, spot.cell)};
    const Tag its_tag = In::tag(line, spot.cell);
    store<kNarrow>(spot, place, distance, tag);
    place = its_place;
    tag = its_tag;
    distance = its_distance;
  }
  return false;
}

void PackedTable::insert(std::uint64_t key, Tag tag, Tags free) {
  if (used_ >= most_used()) make_room(free);
  for (;;) {
    Place place = geometry_.place(key);
    const bool done = geometry_.narrow ? insert_in<true>(place, tag) : insert_in<false>(place, tag);
    if (done) return;
    // By chance, no line within the longest distance has a cell left for this key.
    key = place.home * geometry_.width + place.remainder;
    resize(lines_.size() + lines_.size() / kGrowth + 1, free);
  }
}

template <typename Function>
void PackedTable::each(const Function& function) const {
  const std::size_t per_line = geometry_.narrow ? Cells<true>::kPerLine : Cells<false>::kPerLine;
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    for (std::size_t cell = 0; cell < per_line; ++cell) {
      const Spot spot{line, cell};
      if (lines_[line].bytes[cell] != kEmpty) function(tag_at(spot), spot);
    }
  }
}

std::size_t PackedTable::most_used() const {
  const std::size_t per_line = geometry_.narrow ? Cells<true>::kPerLine : Cells<false>::kPerLine;
  return lines_.size() * per_line * kMaxLoadPercent / 100;
}

void PackedTable::make_room(Tags free) {
  // Removing keys is cheaper than growing, if there are enough to be removed.
  std::size_t removable = 0;
  each([&](Tag tag, const Spot&) { removable += is_in(free, tag) ? 1U : 0U; });
  if (removable > used_ / kGrowth) return sweep(free);
  resize(grown(), free);
}

std::size_t PackedTable::grown() const {
  if (geometry_.narrow) return lines_.size() + lines_.size() / kGrowth + 1;
  const std::size_t wide = lines_.size() + lines_.size() / kWideGrowth + 1;
  if (!Geometry(wide).narrow) return wide;
  // The first size whose cells are narrow, and up to one growth more: tables of different phases
  // grow at different times from then on.
  constexpr std::size_t kFirst = std::size_t{1} << (kKeyBits - Cells<true>::kRemainderBits);
  return kFirst + kFirst / kGrowth * phase_ / kPhases;
}

void PackedTable::sweep(Tags free) {
  each([&](Tag tag, const Spot& spot) {
    if (is_in(free, tag)) clear(spot);
  });
  if (used_ < most_used() / 2) resize(lines_.size() * used_ / most_used() * 5 / 4 + 1, free);
}

void PackedTable::change(Tag from, Tag to) {
  each([&](Tag tag, const Spot& spot) {
    if (tag == from) set_tag(spot, to);
  });
}

// Both tables are read and written from their beginnings to their ends. The keys come nearly in
// their order, so each one's line is filled up from its first cell, and no key lies far away.
template <bool kFromNarrow, bool kToNarrow>
void PackedTable::copy_to(PackedTable& to, Tags free) const {
  using From = Cells<kFromNarrow>;
  using To = Cells<kToNarrow>;
  std::vector<unsigned char> filled(to.lines_.size());
  std::vector<std::pair<std::uint64_t, Tag>> rest;
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    for (std::size_t cell = 0; cell < From::kPerLine; ++cell) {
      const Tag tag = From::tag(lines_[line], cell);
      if (From::is_empty(lines_[line], cell) || is_in(free, tag)) continue;
      const std::size_t home = home_of(line, From::distance(lines_[line], cell));
      const std::uint64_t key = home * geometry_.width + From::remainder(lines_[line], cell);
      const Place place = to.geometry_.place(key);
      const std::size_t end = std::min(place.home + kMaxDistance + 1, filled.size());
      std::size_t at = place.home;
      while (at < end && filled[at] == To::kPerLine) ++at;
      if (at == end) {
        rest.emplace_back(key, tag);
      } else {
        to.store<kToNarrow>({at, filled[at]++}, place, at - place.home, tag);
        ++to.used_;
      }
    }
  }
  // Those few that go on at the table's beginning, or would lie too far away.
  for (const auto& [key, tag] : rest) to.insert(key, tag, Tags{0});
}

void PackedTable::resize(std::size_t lines, Tags free) {
  PackedTable to(phase_);
  to.lines_.resize(lines);
  to.geometry_ = Geometry(lines);
  if (geometry_.narrow) {
    to.geometry_.narrow ? copy_to<true, true>(to, free) : copy_to<true, false>(to, free);
  } else {
    to.geometry_.narrow ? copy_to<false, true>(to, free) : copy_to<false, false>(to, free);
  }
  *this = std::move(to);
}

}  // namespace penstock
