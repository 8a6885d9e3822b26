#include "consumer/schedule/lines/line_rest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "state/rows/job_row.h"
#include "state/rows/keys.h"

namespace penstock {

void LineRest::left(Time since) {
  oldest_next_ = again_ ? std::min(oldest_next_, since) : since;
  if (!any_) oldest_ = since;
  any_ = again_ = true;
}

// The first row of the next account; nothing if the round has ended.
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
  for (std::size_t left = kMaxAccountsPerStep; left > 0 && can_bring(); --left) {
    const std::optional<std::string> row = next_row();
    if (!row) {
      from_.clear();
      // A row that was left during this round may lie before the point that the round had reached.
      any_ = std::exchange(again_, false);
      oldest_ = oldest_next_;
      continue;
    }
    const std::string account(keys::parse_line(*row).account);
    from_ = keys::after_prefix(keys::line_prefix(account));
    if (!lines_.find(account)) bring(account, found);
  }
}

// Lines of shares are found in the order in which their first jobs came, as after a restart.
void LineRest::bring(std::string_view account, const std::function<void(Line&)>& found) {
  struct Left {
    JobSeq first;
    std::string name;
    Time since{};
    int weight = 1;
  };
  std::vector<Left> lines;
  Flow& flow = lines_.make(account);
  const std::string prefix = keys::line_prefix(account);
  // One seek per line, however many jobs the account has.
  view_.scan_skipping(prefix, keys::after_prefix(prefix),
                      [&](std::string_view key, std::string_view value) {
                        const keys::LineKey row = keys::parse_line(key);
                        Left left{row.seq, std::string(row.line), row_ready_since(value)};
                        if (flow.shares) left.weight = JobRow::decode(value)->weight;
                        const std::string line = keys::line_prefix(account, left.name);
                        lines.push_back(std::move(left));
                        return std::optional<std::string>(keys::after_prefix(line));
                      });
  std::sort(lines.begin(), lines.end(),
            [](const Left& a, const Left& b) { return a.first < b.first; });
  for (const Left& left : lines) {
    Line& line = Lines::make(flow, left.name);
    line.more = true;
    line.ready_place.first_since = left.since;
    if (line.share) lines_.weigh(*line.share, left.weight);
    found(line);
  }
}

}  // namespace penstock
