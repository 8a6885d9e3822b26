// The gate for lines that need a further shared limit when their partition has as many as it may
// have (SharedLimits::kMax), until one of those is forgotten.
//
// What always holds: a line that has a promise of this gate may make the limits that it needs; so
// there are at most kMax of them, plus those of one job, plus those that owners name in targets.
#pragma once

#include <string>

#include "consumer/limits/shared_limits.h"
#include "consumer/schedule/gate.h"

namespace penstock {

class LimitRoom final : public Gate {
 public:
  explicit LimitRoom(const SharedLimits& limits) : limits_(limits) {}

  [[nodiscard]] std::int64_t room() const override {
    return static_cast<std::int64_t>(limits_.max()) - static_cast<std::int64_t>(limits_.size());
  }
  [[nodiscard]] std::string what() const override {
    return "room for another shared limit: its partition has " + std::to_string(limits_.size()) +
           " in use, at most " + std::to_string(limits_.max());
  }
  [[nodiscard]] Blocker blocker() const override { return {Waits::kLimit}; }

 private:
  const SharedLimits& limits_;
};

}  // namespace penstock
