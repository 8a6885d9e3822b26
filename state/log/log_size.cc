#include "state/log/log_size.h"

#include <string>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

void LogSize::restored(View& view, std::uint64_t read) {
  std::string row;
  bytes_ += view.get(keys::kMetaLogBytes, &row) ? Cursor(row).u64() : read;
}

void LogSize::save(View& view) const {
  std::string row;
  // Includes the commit that contains the row, which is in the log by the time that anybody reads
  // the row.
  put_u64(row, bytes_ + view.batch().size());
  view.put_unseen(keys::kMetaLogBytes, row);
}

}  // namespace penstock
