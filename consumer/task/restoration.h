// Reads, in steps, what a task needs of its rows before it begins: the identities of jobs that
// ended recently, its shared limits, its breakers, its replays, and the lines of its accounts. Until this has
// ended, the task admits, starts and sends nothing, so nothing meets a state of which only a part
// is known. The loop's other partitions continue meanwhile, and leases are renewed.
//
// Belongs to the partition's one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "consumer/copies/replays.h"
#include "consumer/gates/breakers.h"
#include "consumer/limits/limits.h"
#include "consumer/policy/type_table.h"
#include "consumer/schedule/lines/line_rebuild.h"
#include "consumer/schedule/lines/lines.h"
#include "state/rows/dedup_index.h"
#include "state/store/view.h"

namespace penstock {

class Restoration {
 public:
  // Identities are small: this many count as one row.
  static constexpr std::size_t kIdentitiesPerRow = 8;

  // What is filled. All of it outlives the restoration.
  struct Parts {
    View& view;
    const TypeTable& types;
    DedupIndex& dedup;
    Limits& limits;
    Breakers& breakers;
    Replays& replays;
    Lines& lines;
  };

  // Identities in buckets below `oldest_bucket` are no longer remembered.
  Restoration(const Parts& parts, std::uint32_t oldest_bucket);

  // Visits at most `max_rows` rows and returns whether there is more to do. Calls `found` for each
  // line (LineRebuild).
  [[nodiscard]] bool step(std::size_t max_rows, const LineRebuild::Found& found);
  [[nodiscard]] bool left_lines() const { return lines_.left_some(); }

 private:
  enum class Stage : std::uint8_t { kIdentities, kLimits, kBreakers, kReplays, kLines };

  [[nodiscard]] bool restore_stage(std::size_t max_rows, const LineRebuild::Found& found);
  [[nodiscard]] bool restore_identities(std::size_t max_identities);

  Parts parts_;
  std::uint32_t oldest_bucket_;
  Stage stage_ = Stage::kIdentities;
  std::string from_;       // the row at which the stage continues; empty: at its first
  std::size_t taken_ = 0;  // bytes of that row's value that have been read
  LineRebuild lines_;
};

}  // namespace penstock
