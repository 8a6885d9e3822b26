// What `penstock top` shows: lines of a screen, made from what a worker has answered. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/program/output.h"

namespace penstock {

// The answers of one look, as docs/http.md describes them.
struct TopStatus {
  std::string at;      // the time of the look, "12:40:05"
  std::string worker;  // the address that was asked
  nlohmann::ordered_json queues = nlohmann::ordered_json::array();
  // A queue's name, and its accounts.
  std::vector<std::pair<std::string, nlohmann::ordered_json>> accounts = {};
  nlohmann::ordered_json workers = nlohmann::ordered_json::object();  // GET /v1/workers
  std::string trouble = {};  // why there is no newer answer
  bool is_first = false;     // nothing has been asked yet
};

enum class TopPage : std::uint8_t { kQueues, kAccounts, kFailures, kWorkers };
inline constexpr int kTopPages = 4;

struct TopView {
  TopPage page = TopPage::kQueues;
  int first_row = 0;
};

struct ScreenLine {
  enum class Style : std::uint8_t { kPlain, kTitle, kHeading, kDim, kAlarm };
  std::string text;
  Style style = Style::kPlain;
};

// At most `size.rows` lines of at most `size.columns` columns.
[[nodiscard]] std::vector<ScreenLine> top_lines(const TopStatus& status, const TopView& view,
                                                TerminalSize size);
// The number of rows of the page's table.
[[nodiscard]] int top_rows(const TopStatus& status, TopPage page);
// How many of them are seen at once.
[[nodiscard]] int top_rows_shown(TerminalSize size);

}  // namespace penstock
