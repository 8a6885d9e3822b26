// The ids of the copies that a replay has made in one partition, so that records that repeat an id
// become one copy. They are needed until the range has been read.
//
// What always holds: the ids are in the rows of the same commit as the copies that have them.
//
// Used by the partition's one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "state/rows/dedup_index.h"
#include "state/store/view.h"

namespace penstock {

class CopiedIds {
 public:
  explicit CopiedIds(std::string replay) : replay_(std::move(replay)) {}

  // One of its rows, as it is in the log.
  void restored(std::string_view digests);
  // Fetches what is_first() looks at while other work is done.
  void prefetch(const Digest& digest) const { seen_.prefetch(digest); }
  [[nodiscard]] bool is_first(const Digest& digest);
  // No further record can repeat one of them.
  void done() { seen_ = {}; }
  // What was copied under the replay's name before does not count any more.
  void begin_anew();

  [[nodiscard]] std::size_t unsaved_bytes() const { return unsaved_.size(); }
  // `needed`: the range has not been read yet.
  void save(View& view, std::uint64_t seq, bool needed);
  void erase(View& view) const;

 private:
  const std::string replay_;
  DedupIndex seen_;
  std::string unsaved_;
  // What the rows are: its own, those of an earlier replay of the name, or none.
  enum class Rows : std::uint8_t { kOwn, kStale, kErased } rows_ = Rows::kOwn;
};

}  // namespace penstock
