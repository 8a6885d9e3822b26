// Rows for people and for pipes: on a terminal, aligned columns under a heading; otherwise, one
// line per row with tabs between the values and no heading. A row may have a line of its own below it,
// which is indented. Everything is made printable. Used from one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/output.h"

namespace penstock {

struct Cell {
  std::string text;
  std::optional<Colour> colour = {};
};

class Table {
 public:
  // The number of rows that are aligned with each other; in a longer table, columns may become
  // wider.
  static constexpr std::size_t kMaxHeldRows = 1'000;

  Table(Output& output, std::vector<std::string> titles);
  ~Table();  // writes the remaining rows
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // One cell per title. `below` is the line below the row; empty: there is none.
  void add(std::vector<Cell> row, std::string_view below = {});
  void flush();

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string below;
  };

  void write(const std::vector<Cell>& row);
  void widen(const std::vector<Cell>& row);

  Output& output_;
  std::vector<Cell> titles_;
  std::vector<std::size_t> widths_;
  std::vector<Row> rows_;
  bool headed_ = false;
};

}  // namespace penstock
