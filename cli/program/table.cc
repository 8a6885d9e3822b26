#include "cli/program/table.h"

#include <algorithm>
#include <utility>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::string_view kIndent = "  ";

// The number of columns of UTF-8 text, where every code point counts as one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

Table::Table(Output& output, std::vector<std::string> titles)
    : output_(output), widths_(titles.size(), 0) {
  for (std::string& title : titles) titles_.push_back({std::move(title), Colour::kBold});
}

Table::~Table() { flush(); }

void Table::add(std::vector<Cell> row, std::string_view below) {
  PENSTOCK_CHECK(row.size() == titles_.size(), "a row has one cell for each title");
  for (Cell& cell : row) cell.text = printable(cell.text);
  rows_.push_back({std::move(row), printable(below)});
  if (rows_.size() >= kMaxHeldRows) flush();
}

void Table::flush() {
  if (rows_.empty()) return;
  const bool heads = output_.terminal().out && !std::exchange(headed_, true);
  if (heads) widen(titles_);
  for (const Row& row : rows_) widen(row.cells);
  if (heads) write(titles_);
  for (const Row& row : rows_) {
    write(row.cells);
    if (!row.below.empty())
      output_.line(std::string(kIndent) + output_.painted(row.below, Colour::kDim));
  }
  rows_.clear();
}

void Table::widen(const std::vector<Cell>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    widths_[i] = std::max(widths_[i], width_of(row[i].text));
  }
}

void Table::write(const std::vector<Cell>& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool last = i + 1 == row.size();
    line += output_.painted(row[i].text, row[i].colour);
    if (last) break;
    if (output_.terminal().out) {
      line.append(widths_[i] + kGap - width_of(row[i].text), ' ');
    } else {
      line += '\t';
    }
  }
  output_.line(line);
}

}  // namespace penstock
