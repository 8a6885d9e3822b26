// A walk over all jobs of a partition in bounded pieces, for lists that are longer than a loop may
// read in one pass: first the jobs in line (the running ones among them), then those that wait for
// their time, those of unknown type, and the ended ones, each group by the keys of its rows. A job
// that has no row yet appears where its row will be. Used by the partition's one thread.
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
    std::vector<std::string> containing;  // rows that lack one of these texts are skipped
    bool live = true, ended = true;
    int max_rows = kMaxRowsPerPiece;
    bool brief = false;  // JobInfo::why may be left out: to find it can take long
  };
  using Function = Queries::JobFunction;  // false: the piece ends after this job

  JobWalk(Core& core, Queries& queries) : core_(core), queries_(queries) {}

  // Returns the key after which the walk continues; nothing: it has ended.
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
