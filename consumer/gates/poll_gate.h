// Where lines wait for something whose end the task is not told of: they look again every
// kLookEvery. One such gate is for lines whose first job was in flight when the previous process
// crashed, until the crash notice has been read. (Reading it wakes them. That another owner has
// read it, or that it was lost, is noticed by looking.) Another is for lines whose jobs would
// overlap with the code of an attempt that was killed.
#pragma once

#include <string>

#include "consumer/schedule/gate.h"

namespace penstock {

class PollGate final : public Gate {
 public:
  static constexpr Duration kLookEvery{100};

  // `now` is the task's time, which it keeps; `what`: as Gate::what() has it.
  PollGate(const Time& now, std::string what) : now_(now), what_(std::move(what)) {}

  void close() {
    if (now_ >= opens_) opens_ = now_ + kLookEvery;
  }
  [[nodiscard]] std::int64_t room() const override { return now_ >= opens_ ? kOpen : 0; }
  [[nodiscard]] std::optional<Time> opens_at() const override { return opens_; }
  [[nodiscard]] std::string what() const override { return what_; }

 private:
  const Time& now_;
  const std::string what_;
  Time opens_{};
};

}  // namespace penstock
