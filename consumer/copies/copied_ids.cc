#include "consumer/copies/copied_ids.h"

#include <vector>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

void CopiedIds::restored(std::string_view digests) {
  for (Cursor cursor(digests); !cursor.at_end();) {
    Digest digest;
    digest.high = cursor.u64();
    digest.low = cursor.u64();
    static_cast<void>(seen_.check_and_admit(digest));
  }
}

bool CopiedIds::is_first(const Digest& digest) {
  if (seen_.check_and_admit(digest)) return false;
  put_digest(unsaved_, digest);
  return true;
}

void CopiedIds::begin_anew() {
  seen_ = {};
  unsaved_.clear();
  rows_ = Rows::kStale;
}

void CopiedIds::save(View& view, std::uint64_t seq, bool needed) {
  if (rows_ == Rows::kStale) {
    erase(view);
    rows_ = Rows::kOwn;
  }
  if (!needed) {
    if (rows_ == Rows::kOwn) erase(view);
    rows_ = Rows::kErased;
  } else if (!unsaved_.empty()) {
    view.put(keys::replay_ids(replay_, seq), unsaved_);
  }
  unsaved_.clear();
}

// One by one: a sweep carries what the view shows, and would bring back rows whose end it hides.
void CopiedIds::erase(View& view) const {
  const std::string prefix = keys::replay_ids_prefix(replay_);
  std::vector<std::string> rows;
  view.scan(prefix, keys::after_prefix(prefix), [&](std::string_view key, std::string_view) {
    rows.emplace_back(key);
    return true;
  });
  if (!rows.empty()) view.erase_rows(rows);
}

}  // namespace penstock
