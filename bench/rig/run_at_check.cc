#include "bench/rig/run_at_check.h"

#include <chrono>

namespace penstock {

HandlerFunction RunAtCheck::handler() {
  return [this](Attempt& attempt) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::chrono::milliseconds run_at(attempt.args().at("run_at").get<std::int64_t>());
    if (now < run_at) ++early_;
    ++checked_;
    return done();
  };
}

}  // namespace penstock
