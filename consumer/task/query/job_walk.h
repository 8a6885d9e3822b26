// A walk over all jobs of a partition, one bounded piece after the other, for lists that are longer
// than a loop may look at at once: those in line (the running ones among them), then those that
// wait for their time, of unknown type, and ended; within each by the keys of their rows. A job
// that has no row yet stands where its row will be. Used by the partition's one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/task/core/core.h"
#include "consumer/task/query/queries.h"

namespace penstock {

class JobWalk {
 public:
  static constexpr int kMaxRowsPerPiece = 512;
  static constexpr std::size_t kMaxBytesPerPiece = 1 << 20;

  struct Piece {
    std::string after;                    // a key that a piece returned; empty: from the start
    std::string account;                  // only this account's; empty: all
    std::vector<std::string> containing;  // rows without one of these texts are passed over
    bool live = true, ended = true;
    int max_rows = kMaxRowsPerPiece;
  };
  using Function = Queries::JobFunction;  // false: the piece ends behind this job

  JobWalk(Core& core, Queries& queries) : core_(core), queries_(queries) {}

  // The walk goes on behind the key that is returned; nothing: it is over.
  [[nodiscard]] std::optional<std::string> walk(const Piece& piece, Now now,
                                                const Function& function);
  [[nodiscard]] static bool is_key(std::string_view key);

 private:
  struct Walker;

  [[nodiscard]] const LiveJob* in_memory(std::string_view key, const JobRow& row);

  Core& core_;
  Queries& queries_;
};

}  // namespace penstock
