// Rows for people and for pipes: aligned columns under a heading on a terminal, otherwise one line
// a row with a tab between the values and no heading. Cells are made printable. For one thread.
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
  // As many rows are aligned with each other; a longer table goes on with wider columns at most.
  static constexpr std::size_t kMaxHeldRows = 1'000;

  Table(Output& output, std::vector<std::string> titles);
  ~Table();  // writes what is left
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void add(std::vector<Cell> row);  // one cell a title
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
