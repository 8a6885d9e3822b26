// Virtual time: a queue of functions to call at given instants. Nothing happens between the
// instants; functions for the same instant are called in the order in which they were added.
// Belongs to the simulator's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "topics/simulated/world/random.h"
#include "topics/values/types.h"

namespace penstock::simulated {

class Timeline {
 public:
  [[nodiscard]] Instant now() const { return now_; }
  // An instant in the past counts as now.
  void at(Instant when, std::function<void()> what);
  void after(Nanos delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  // Calls the next function; false if there is none.
  bool step();
  // Calls every function that is due until `end`, then sets the time to `end`.
  void run_until(Instant end);
  // The instant of the next function; Instant::max() if there is none.
  [[nodiscard]] Instant next() const;
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  struct Due {
    Instant when;
    std::uint64_t number;
    std::uint32_t slot;
  };
  static bool later(const Due& a, const Due& b);
  std::uint32_t store(std::function<void()> what);

  Instant now_{};
  std::uint64_t numbers_ = 0, steps_ = 0;
  std::vector<Due> heap_;
  std::vector<std::function<void()>> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace penstock::simulated
