#include "consumer/line_rest.h"

#include <utility>

#include "state/keys.h"
#include "topics/planted.h"

namespace penstock {

void LineRest::left() { any_ = again_ = true; }

// The first row of the next line; nothing: the round is over.
std::optional<std::string> LineRest::next_row() {
  const std::string all(1, keys::kLine);
  std::optional<std::string> row;
  view_.scan(from_.empty() ? all : from_, keys::after_prefix(all),
             [&](std::string_view key, std::string_view) {
               row = key;
               return false;
             });
  return row;
}

void LineRest::bring(const std::function<void(Line&)>& found) {
  if (planted(Bug::kRestForgotten)) any_ = false;
  for (std::size_t left = kMaxLinesPerStep; left > 0 && can_bring(); --left) {
    const std::optional<std::string> row = next_row();
    if (!row) {
      from_.clear();
      any_ = std::exchange(again_, false);
      continue;
    }
    const keys::LineKey key = keys::parse_line(*row);
    from_ = keys::after_prefix(keys::line_prefix(key.account, key.line));
    Flow* const flow = lines_.find(key.account);
    if (flow && Lines::find(*flow, key.line)) continue;
    Line& line = Lines::make(lines_.make(key.account), key.line);
    line.more = true;
    found(line);
  }
}

}  // namespace penstock
