// Rows for people and for pipes: on a terminal, aligned columns under a heading; otherwise, one
// line per row with tabs between the values and no heading. Cells are made printable. Used from one
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

  void add(std::vector<Cell> row);  // one cell per title
  void flush();

 private:
  void write(const std::vector<Cell>& row);
  void widen(const std::vector<Cell>& row);

  Output& output_;
  std::vector<Cell> titles_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<Cell>> rows_;
  bool headed_ = false;
};

}  // namespace penstock
