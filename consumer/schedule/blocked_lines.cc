#include "consumer/schedule/blocked_lines.h"

#include <tuple>

namespace penstock {

bool BlockedLines::Less::operator()(const std::pair<Time, Line*>& a,
                                    const std::pair<Time, Line*>& b) const {
  return std::tie(a.first, a.second->flow->account, a.second->name) <
         std::tie(b.first, b.second->flow->account, b.second->name);
}

void BlockedLines::block(Line& line, Time until) {
  unblock(line);
  line.blocked_until = until;
  if (until != kUntilBatchEnds) lines_.insert({until, &line});
}

void BlockedLines::unblock(Line& line) {
  if (line.blocked_until == Time{}) return;
  // Not there if the line was blocked until its batch ends.
  lines_.erase({line.blocked_until, &line});
  line.blocked_until = Time{};
}

Line* BlockedLines::take_due(Time now) {
  if (lines_.empty() || lines_.begin()->first > now) return nullptr;
  Line& line = *lines_.begin()->second;
  unblock(line);
  return &line;
}

std::optional<Time> BlockedLines::next() const {
  if (lines_.empty()) return std::nullopt;
  return lines_.begin()->first;
}

}  // namespace penstock
