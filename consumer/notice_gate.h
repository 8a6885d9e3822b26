// Where lines wait whose first job was in flight when the process before this one died, until the
// notice of that has been read. Reading it brings the job here (Task::crash_notice), which wakes
// its line; a notice that somebody else has read, or that was lost, is found out by looking again.
#pragma once

#include <string>

#include "consumer/gate.h"

namespace penstock {

class NoticeGate final : public Gate {
 public:
  static constexpr Duration kLookEvery{100};

  // `now` is the task's time, which it keeps.
  explicit NoticeGate(const Time& now) : now_(now) {}

  void close() {
    if (now_ >= opens_) opens_ = now_ + kLookEvery;
  }
  [[nodiscard]] std::int64_t room() const override { return now_ >= opens_ ? kOpen : 0; }
  [[nodiscard]] std::optional<Time> opens_at() const override { return opens_; }
  [[nodiscard]] std::string what() const override {
    return "the notice of a worker process that died while it ran to be read";
  }

 private:
  const Time& now_;
  Time opens_{};
};

}  // namespace penstock
