// Follows a replay until it has finished, was paused or was cancelled, or until the user has seen
// enough. Draws a progress bar on a terminal; otherwise, prints a line now and then. Used from one
// thread.
#pragma once

#include <functional>

#include "cli/program/output.h"
#include "consumer/operate/replay_desk.h"

namespace penstock {

class ReplayFollow {
 public:
  // Counted in looks, of which there is about one per second.
  static constexpr int kTellEvery = 5;
  static constexpr int kNoReportFor = 10;

  struct Parts {
    std::function<ReplayAnswer<ReplayView>()> look;
    // Waits for the next look. False: the user follows it no more.
    std::function<bool()> wait;
  };
  ReplayFollow(Output& output, Parts parts) : output_(output), parts_(std::move(parts)) {}

  // Returns the last view; it is of a running replay only if the user follows it no more.
  [[nodiscard]] ReplayAnswer<ReplayView> run(ReplayView view);

 private:
  void tell_of_silence(const ReplayView& view);

  Output& output_;
  Parts parts_;
  bool told_of_silence_ = false;
};

}  // namespace penstock
