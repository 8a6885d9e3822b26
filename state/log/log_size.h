// The approximate size of a partition's state log in bytes, from its base on, and what its live rows
// had when it was last trimmed, which tell its owner when to trim it. Both are passed from owner to
// owner in a row of each commit, because an owner that has a local copy of the rows reads only the end
// of the log. Used on the thread of the partition's loop.
//
// Not counted: what displaced owners append, and the releases of earlier owners.
#pragma once

#include <algorithm>
#include <cstdint>

#include "state/store/view.h"

namespace penstock {

class LogSize {
 public:
  // The view shows the log's rows; getting them took reading `read` bytes of the log. What this
  // owner has appended before (its claim) is counted already.
  void restored(View& view, std::uint64_t read);
  void appended(std::uint64_t bytes) { bytes_ += bytes; }
  // Adds the size to the commit that is being built; to be called last.
  void save(View& view) const;
  // The log was cut where a sweep began, when it had `before` bytes; the sweep has carried `live`.
  void cut(std::uint64_t before, std::uint64_t live) {
    bytes_ -= std::min(before, bytes_);
    live_ = live;
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Of the rows that were live when the log was last cut; 0: it never was.
  [[nodiscard]] std::uint64_t live() const { return live_; }

 private:
  std::uint64_t bytes_ = 0, live_ = 0;
};

}  // namespace penstock
