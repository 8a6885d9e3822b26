// Checks that no job starts before its run_at: a C++ handler that compares the clock with the job's
// arguments. It gets every kEvery-th job of a benchmark; the others run on `noop`, which costs the
// worker less.
#pragma once

#include <atomic>
#include <cstddef>

#include "bench/rig/bench_queue.h"
#include "penstock/worker.h"

namespace penstock {

class RunAtCheck {
 public:
  static constexpr std::size_t kEvery = 1'000;
  static constexpr const char* kType = "checked";

  [[nodiscard]] static const char* type_of(std::size_t number) {
    return number % kEvery == 0 ? kType : "noop";
  }
  // May run on any number of threads; the check must outlive it.
  [[nodiscard]] HandlerFunction handler();

  [[nodiscard]] std::size_t checked() const { return checked_; }
  [[nodiscard]] std::size_t early() const { return early_; }

 private:
  std::atomic<std::size_t> checked_{0};
  std::atomic<std::size_t> early_{0};
};

}  // namespace penstock
