#include "cli/top/screen_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <utility>

#include "topics/values/printable.h"

namespace penstock {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::size_t kColumnGap = 2, kMinTextColumns = 6;

struct CodePoint {
  std::uint32_t value;
  std::string_view bytes;
};

// The first one of valid UTF-8.
CodePoint first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  std::uint32_t value = size == 1 ? lead : lead & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size && i < text.size(); ++i)
    value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
  return {value, text.substr(0, size)};
}

using Range = std::pair<std::uint32_t, std::uint32_t>;

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, std::uint32_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [value](const Range& range) {
    return value >= range.first && value <= range.second;
  });
}

// Marks of direction, separators of lines and paragraphs, and invisible characters.
constexpr std::array<Range, 6> kHidden{{{0x061c, 0x061c},
                                        {0x200b, 0x200f},
                                        {0x2028, 0x202e},
                                        {0x2060, 0x206f},
                                        {0xfeff, 0xfeff},
                                        {0xfff9, 0xfffb}}};
constexpr std::array<Range, 8> kCombining{{{0x0300, 0x036f},
                                           {0x0483, 0x0489},
                                           {0x0591, 0x05bd},
                                           {0x064b, 0x065f},
                                           {0x1ab0, 0x1aff},
                                           {0x20d0, 0x20ff},
                                           {0xfe00, 0xfe0f},
                                           {0xfe20, 0xfe2f}}};
constexpr std::array<Range, 10> kWide{{{0x1100, 0x115f},
                                       {0x2e80, 0xa4cf},
                                       {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},
                                       {0xffe0, 0xffe6},
                                       {0x1f300, 0x1f64f},
                                       {0x1f680, 0x1faff},
                                       {0x20000, 0x3fffd}}};

std::size_t width_of_point(std::uint32_t value) {
  return is_in(kCombining, value) ? 0 : is_in(kWide, value) ? 2 : 1;
}

std::string right_in(std::string_view text, std::size_t columns) {
  const std::size_t own = columns_of(text);
  return own >= columns ? std::string(text) : std::string(columns - own, ' ') + std::string(text);
}

// Takes from the widest columns of text until the row fits, or all are as narrow as they may be.
void shrink(std::vector<std::size_t>& widths, const std::vector<ScreenColumn>& columns,
            std::size_t width) {
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
           kColumnGap * (widths.size() - 1);
  };
  for (std::size_t over = total(); over > width; over = total()) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (columns[i].is_number || widths[i] <= kMinTextColumns) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

}  // namespace

std::string screen_text(std::string_view text) {
  const std::string safe = printable(text);
  std::string shown;
  for (std::string_view rest = safe; !rest.empty();) {
    const CodePoint point = first_of(rest);
    if (is_in(kHidden, point.value)) {
      std::array<char, 16> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(point.value));
      shown += escaped.data();
    } else {
      shown += point.bytes;
    }
    rest.remove_prefix(point.bytes.size());
  }
  return shown;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint point = first_of(text);
    columns += width_of_point(point.value);
    text.remove_prefix(point.bytes.size());
  }
  return columns;
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string shown;
  std::size_t used = 1;  // by the mark
  while (!text.empty()) {
    const CodePoint point = first_of(text);
    used += width_of_point(point.value);
    if (used > columns) break;
    shown += point.bytes;
    text.remove_prefix(point.bytes.size());
  }
  return shown + std::string(kCut);
}

std::string filled_to(std::string_view text, std::size_t columns) {
  std::string shown = cut_to(text, columns);
  shown.append(columns - columns_of(shown), ' ');
  return shown;
}

std::vector<std::string> screen_table(const std::vector<ScreenColumn>& columns,
                                      const std::vector<std::vector<std::string>>& rows,
                                      std::size_t width) {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (const ScreenColumn& column : columns) {
    titles.push_back(column.title);
    widths.push_back(columns_of(column.title));
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  shrink(widths, columns, width);
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) line.append(kColumnGap, ' ');
      line += columns[i].is_number ? right_in(row[i], widths[i]) : filled_to(row[i], widths[i]);
    }
    while (line.ends_with(' ')) line.pop_back();
    lines.push_back(cut_to(line, width));
  };
  add(titles);
  for (const auto& row : rows) add(row);
  return lines;
}

}  // namespace penstock
