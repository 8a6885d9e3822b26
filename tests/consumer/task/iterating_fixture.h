// Long jobs, and how long their iterations take.
#pragma once

#include <string>

#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {

struct Iterating : WithLimits {
  TypePolicy policy;

  Iterating() {
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
  }

  void long_type(const std::string& name) { types.add(name, policy); }
  void ran(const std::string& id, Duration length, const std::string& cursor = "1") {
    clock += length;
    end(id, NextIteration{cursor});
  }
  [[nodiscard]] int attempt_of(const std::string& id) {
    const auto info = task->queries().find("acme", id, now());
    return info ? info->row.attempt : -1;
  }
};

}  // namespace penstock
