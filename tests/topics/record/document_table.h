// A table of docs/ that a test walks: the rows between `<!-- name -->` and `<!-- /name -->`, by
// their first cell.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace penstock {

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) {
    const std::size_t from = cell.find_first_not_of(' ');
    if (from != cell.npos)
      cells.push_back(cell.substr(from, cell.find_last_not_of(' ') - from + 1));
  }
  return cells;
}

inline std::map<std::string, std::vector<std::string>> document_table(const std::string& document,
                                                                      const std::string& name) {
  std::map<std::string, std::vector<std::string>> rows;
  std::ifstream file(std::string(PENSTOCK_DOCS "/") + document);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "<!-- " + name + " -->") inside = true;
    if (line == "<!-- /" + name + " -->") inside = false;
    if (!inside || !line.starts_with('|') || line.starts_with("|-")) continue;
    std::vector<std::string> cells = cells_of(line);
    const std::string what = cells.front();
    cells.erase(cells.begin());
    rows.emplace(what, cells);
  }
  return rows;
}

}  // namespace penstock
