// About how many bytes a partition's state log has, from its base on: what its owner trims it by.
// It goes from owner to owner in a row of each commit, because an owner that begins with a local
// copy of the rows reads only the end of the log.
//
// What displaced owners append is not counted, nor are the releases of earlier ones.
#pragma once

#include <cstdint>

#include "state/store/view.h"

namespace penstock {

class LogSize {
 public:
  // The rows are those of the log, of which `read` bytes were read to get them. What this owner has
  // appended before (its claim) stays counted.
  void restored(View& view, std::uint64_t read);
  void appended(std::uint64_t bytes) { bytes_ += bytes; }
  // Into the commit that is being built, last.
  void save(View& view) const;
  // The log was cut where a sweep began: about the live rows are left.
  void cut(std::uint64_t live) { bytes_ = live; }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace penstock
