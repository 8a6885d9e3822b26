// How long one item of a bulk takes, per type, as measured by the attempts of its chunks: so that a
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
  // Counting a chunk's items means parsing its arguments: not more often than this for a type.
  static constexpr Duration kEvery{1000};

  // An attempt of the chunk that ran it from its beginning to its end has succeeded. Chunks have
  // their items in the array `items` of their arguments; others say nothing.
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
