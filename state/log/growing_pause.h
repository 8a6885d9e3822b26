// How long to wait before something that has failed is tried again: the pause doubles each time, up
// to a maximum. A pure value.
#pragma once

#include <algorithm>
#include <chrono>

namespace penstock {

class GrowingPause {
 public:
  using Span = std::chrono::nanoseconds;
  constexpr GrowingPause(Span first, Span most) : first_(first), most_(most) {}

  // An attempt has failed: returns the pause from now.
  [[nodiscard]] Span failed() {
    pause_ = failures_ == 0 ? first_ : std::min(2 * pause_, most_);
    ++failures_;
    return pause_;
  }
  void reset() { failures_ = 0; }
  [[nodiscard]] int failures() const { return failures_; }  // consecutive ones

 private:
  Span first_, most_, pause_{};
  int failures_ = 0;
};

}  // namespace penstock
