// Types with limits, and their jobs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/consumer/task/task_fixture.h"

namespace penstock {

struct WithLimits : Tasking {
  Control control;

  static LimitPolicy limit(const std::string& name, std::optional<int> slots,
                           std::optional<Rate> rate = {}, int burst = 1) {
    return {parse_limit_name(name).value(), slots, rate, burst};
  }
  void type(const std::string& name, std::vector<LimitPolicy> limits) {
    TypePolicy policy;
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    policy.limits = std::move(limits);
    types.add(name, policy);
  }
  void job_of(const std::string& type, const std::string& account, const std::string& id,
              const std::string& more = "") {
    record(account, R"({"type":")" + type + R"(","id":")" + id + "\"" +
                        (more.empty() ? "" : "," + more) + "}");
  }
  void set(const std::string& key, const std::optional<std::string>& value) {
    ASSERT_TRUE(control.apply(key, value));
    task->set_control(&control, now());
  }
};

}  // namespace penstock
