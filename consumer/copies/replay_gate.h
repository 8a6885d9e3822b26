// Where the copies of a paused replay wait.
#pragma once

#include <string>

#include "consumer/schedule/gate.h"

namespace penstock {

class ReplayGate final : public Gate {
 public:
  explicit ReplayGate(std::string name) : name_(std::move(name)) {}

  // `why`: what an operator or the replay itself has said; it may be empty.
  void set(bool is_closed, std::string why) {
    closed_ = is_closed;
    why_ = std::move(why);
  }
  [[nodiscard]] std::int64_t room() const override { return closed_ ? 0 : kOpen; }
  [[nodiscard]] std::string what() const override {
    return "the replay \"" + name_ + "\" to be resumed: it is paused" +
           (why_.empty() ? "" : " (" + why_ + ")");
  }

 private:
  std::string name_, why_;
  bool closed_ = false;
};

}  // namespace penstock
