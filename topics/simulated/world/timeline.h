// Virtual time: a queue of things to do at instants. Nothing happens between them, and what is due
// at the same instant happens in the order in which it was asked for. One thread.
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
  // What is asked for in the past happens now.
  void at(Instant when, std::function<void()> what);
  void after(Nanos delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  // Does the next thing; false when there is none.
  bool step();
  // Does everything due until then, and stands at `end` afterwards.
  void run_until(Instant end);
  // The next thing's instant; Instant::max() when there is none.
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
