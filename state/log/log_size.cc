#include "state/log/log_size.h"

#include <string>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

void LogSize::restored(View& view, std::uint64_t read) {
  std::string row;
  if (!view.get(keys::kMetaLogBytes, &row)) {
    bytes_ += read;
    return;
  }
  Cursor cursor(row);
  bytes_ += cursor.u64();
  // Rows of earlier versions have the first number only.
  if (!cursor.at_end()) live_ = cursor.u64();
}

void LogSize::save(View& view) const {
  std::string row;
  // Includes the commit that contains the row, which is in the log by the time that anybody reads
  // the row.
  put_u64(row, bytes_ + view.batch().size());
  put_u64(row, live_);
  view.put_unseen(keys::kMetaLogBytes, row);
}

}  // namespace penstock
