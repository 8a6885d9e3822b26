// How long one item of a bulk takes, per type, measured by the attempts of its chunks: so a
// producer that splits the next large action knows how many items make a chunk of a few seconds. In
// memory alone: a new owner measures again.
//
// Used by the partition's one thread.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "state/rows/job_row.h"

namespace penstock {

class ItemTimes {
 public:
  // Counting a chunk's items requires parsing its arguments, so it is done no more often than this
  // per type.
  static constexpr Duration kEvery{1000};

  // An attempt has run the chunk from its beginning to its end and has succeeded. Chunks have their
  // items in the array `items` of their arguments; others are not counted.
  void measured(const JobRow& chunk, std::chrono::microseconds took, Time now);

  // A moving average.
  [[nodiscard]] const std::map<std::string, std::chrono::microseconds>& by_type() const {
    return by_type_;
  }

 private:
  std::map<std::string, std::chrono::microseconds> by_type_;
  std::map<std::string, Time> next_;
};

}  // namespace penstock
