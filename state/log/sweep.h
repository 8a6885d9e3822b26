// The sweep of a trim: carries every live row forward once, a bounded amount per commit, so that
// the log can be cut where the sweep began. Used on the thread of the partition's loop.
//
// It begins at S, the offset of the last counted commit. Its last commit writes `base = S`; when
// that commit counts, the log is cut exactly at S. A reader that begins at S then sees every row
// that was live at S, because it was carried, and every later change. Everything that counted
// before S is settled in the store when the sweep begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "state/store/view.h"
#include "topics/values/types.h"

namespace penstock {

class Sweep {
 public:
  static constexpr std::size_t kBytesPerCommit = 512 << 10;

  // `log_bytes`: of the log when the sweep begins.
  Sweep(Offset start, std::uint64_t log_bytes) : start_(start), log_bytes_(log_bytes) {}

  // Carries the next rows into the commit that is being built. True if they were the last ones.
  [[nodiscard]] bool carry(View& view);

  // The commit that carries the base; once it counts, the log may be cut before start().
  void last_commit(std::uint64_t seq) { last_seq_ = seq; }
  [[nodiscard]] std::optional<std::uint64_t> last_seq() const { return last_seq_; }
  [[nodiscard]] Offset start() const { return start_; }
  [[nodiscard]] bool carrying() const { return !done_; }
  [[nodiscard]] std::uint64_t log_bytes() const { return log_bytes_; }
  // Of the rows that have been carried so far.
  [[nodiscard]] std::uint64_t carried_bytes() const { return carried_bytes_; }

 private:
  Offset start_;
  std::uint64_t log_bytes_;
  std::uint64_t carried_bytes_ = 0;
  std::string next_key_;  // the first key that has not been carried
  bool done_ = false;
  std::optional<std::uint64_t> last_seq_;
};

}  // namespace penstock
