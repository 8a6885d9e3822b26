#include "consumer/schedule/lines/line_rebuild.h"

#include <optional>

#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {

bool LineRebuild::step(std::size_t max_lines, const Found& found) {
  // Lines of shares are told of only when all are known: the order in which their first jobs came
  // is not that of their keys.
  if (!found_all_) {
    find_some(max_lines, found);
    return !found_all_ || !shared_.empty();
  }
  for (; max_lines > 0 && !shared_.empty(); --max_lines) {
    Line& line = *shared_.begin()->second;
    shared_.erase(shared_.begin());
    found(line);
  }
  return !shared_.empty();
}

void LineRebuild::find_some(std::size_t max_lines, const Found& found) {
  const std::string all(1, keys::kLine);
  std::size_t visited = 0;
  found_all_ = true;
  const auto visit = [&](std::string_view key,
                         std::string_view value) -> std::optional<std::string> {
    if (visited++ == max_lines) {
      found_all_ = false;
      from_ = key;
      return std::nullopt;
    }
    const keys::LineKey row = keys::parse_line(key);
    // The scan ends here: LineRest finds the lines of this account and of those behind it.
    left_some_ = !lines_.has_room_for(row.account);
    if (left_some_) return std::nullopt;
    add(key, value, found);
    return keys::after_prefix(keys::line_prefix(row.account, row.line));
  };
  view_.scan_skipping(from_.empty() ? all : from_, keys::after_prefix(all), visit);
}

void LineRebuild::add(std::string_view key, std::string_view value, const Found& found) {
  const keys::LineKey row = keys::parse_line(key);
  Line& line = Lines::make(lines_.make(row.account), row.line);
  PENSTOCK_CHECK(!line.more, "a line is found once");
  line.more = true;
  line.ready_place.first_since = row_ready_since(value);
  if (!line.share) return found(line);
  const Result<JobRow> job = JobRow::decode(value);
  PENSTOCK_CHECK(job.has_value(), "a job row follows its grammar");
  lines_.weigh(*line.share, job->weight);
  shared_.emplace(row.seq, &line);
}

}  // namespace penstock
