#include "state/log/sweep.h"

#include <vector>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

bool Sweep::carry(View& view) {
  std::size_t bytes = 0;
  // copied, because a scan must not outlive a change
  std::vector<std::pair<std::string, std::string>> rows;
  std::string stopped_at;
  view.scan(next_key_, "\x7f", [&](std::string_view key, std::string_view value) {
    if (bytes >= kBytesPerCommit) {
      stopped_at = key;
      return false;
    }
    if (key != keys::kMetaPosition && key != keys::kMetaBase) {
      rows.emplace_back(key, value);
      bytes += key.size() + value.size();
    }
    return true;
  });
  for (const auto& [key, value] : rows) view.carry(key, value);
  next_key_ = stopped_at;
  done_ = stopped_at.empty();
  if (done_) {
    std::string base;
    put_i64(base, start_.value);
    view.put(keys::kMetaBase, base);
  }
  return done_;
}

}  // namespace penstock
