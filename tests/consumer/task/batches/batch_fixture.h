// Types with batches, and what is handed over of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "state/log/log_entry.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {

struct Batching : Tasking {
  void type(const std::string& name, BatchPolicy batch, std::vector<LimitPolicy> limits = {}) {
    TypePolicy policy;
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    policy.keep_succeeded = 1h;
    policy.batch = batch;
    policy.limits = std::move(limits);
    types.add(name, policy);
  }
  void item(const std::string& id, const std::string& more = "",
            const std::string& account = "acme", const std::string& type = "b") {
    record(account, R"({"type":")" + type + R"(","id":")" + id + "\"" +
                        (more.empty() ? "" : "," + more) + "}");
  }
  void items(int from, int to, const std::string& more = "") {
    for (int i = from; i <= to; ++i) item(std::to_string(i), more);
  }
  // Of what is started now, the items of each attempt: "a b | c".
  std::string hand_over() {
    const std::size_t before = host.starts.size();
    (void)start();
    std::string text;
    for (std::size_t i = before; i < host.starts.size(); ++i) {
      if (i > before) text += " | ";
      std::string ids;
      for (const AttemptItem& one : host.starts[i].items) ids += (ids.empty() ? "" : " ") + one.id;
      text += ids;
    }
    return text;
  }
  [[nodiscard]] int attempt(const std::string& id) {
    return task->queries().find("acme", id, now())->row.attempt;
  }
  [[nodiscard]] std::string reason(const std::string& id) {
    return task->queries().find("acme", id, now())->row.reason;
  }
};

inline constexpr auto kNo = std::nullopt;

}  // namespace penstock
