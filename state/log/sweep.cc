#include "state/log/sweep.h"

#include <vector>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

bool Sweep::carry(View& view) {
  std::size_t bytes = 0;
  // Copied, because a scan must not outlive a change. The end of the scan is beyond all kinds of
  // rows, which are ASCII letters.
  std::vector<std::pair<std::string, std::string>> rows;
  std::string stopped_at;
  view.scan(next_key_, "\x7f", [&](std::string_view key, std::string_view value) {
    // Checked before the row is added, so that each commit carries at least one row and the sweep
    // makes progress regardless of the size of a row.
    if (bytes >= kBytesPerCommit) {
      stopped_at = key;
      return false;
    }
    // The position is local and never in the log. The base of the last sweep must not
    // follow the new one, which is written below.
    if (key != keys::kMetaPosition && key != keys::kMetaBase) {
      rows.emplace_back(key, value);
      bytes += key.size() + value.size();
    }
    return true;
  });
  for (const auto& [key, value] : rows) view.carry(key, value);
  carried_bytes_ += bytes;
  next_key_ = stopped_at;
  done_ = stopped_at.empty();
  // The base goes into the last commit alone: until everything has been carried, the log may not be
  // cut at `start_`.
  if (done_) {
    std::string base;
    put_i64(base, start_.value);
    view.put(keys::kMetaBase, base);
  }
  return done_;
}

}  // namespace penstock
