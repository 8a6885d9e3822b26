// Tasks with a type `u` that has uniqueness by the argument `k`; `v` tells newer arguments from
// older ones.
#pragma once

#include <nlohmann/json.hpp>

#include "state/rows/keys.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {

struct InUnique : Tasking {
  InUnique() {
    queue.account_concurrency = 100;
    queue.events = Events::kAll;
  }

  static TypePolicy policy(UniqueScope scope, OnConflict on_conflict = OnConflict::kDrop) {
    TypePolicy policy;
    policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    policy.unique = UniquePolicy{{parse_json_pointer("/k").value()},
                                 scope,
                                 on_conflict,
                                 scope == UniqueScope::kTtl ? Duration(1h) : Duration(0)};
    return policy;
  }
  void unique(UniqueScope scope, OnConflict on_conflict = OnConflict::kDrop) {
    types.add("u", policy(scope, on_conflict));
  }
  void newcomer(const std::string& id, int v = 0, const std::string& more = "", int k = 1) {
    record("acme", R"({"type":"u","id":")" + id + R"(","args":{"k":)" + std::to_string(k) +
                       R"(,"v":)" + std::to_string(v) + "}" + (more.empty() ? "" : "," + more) +
                       "}");
  }
  // What was handed to the last attempt of this job.
  [[nodiscard]] std::string args(const std::string& id) const {
    for (auto at = host.starts.rbegin(); at != host.starts.rend(); ++at) {
      if (at->id == id) return at->args;
    }
    return "(none)";
  }
  // Of the key {"k":1}.
  [[nodiscard]] std::string holders() {
    const Digest key = unique_digest("acme", R"(["mail","acme","u",{"by":{"/k":1}}])");
    std::string text;
    for (const std::string& holder : task->lock_holders(key, now()))
      text += (text.empty() ? "" : " ") + holder;
    return text;
  }
  // The events of a kind, as "id reason", of what has been committed.
  [[nodiscard]] std::vector<std::string> events(const std::string& kind) {
    commit();
    std::vector<std::string> found;
    for (const auto& message : messages("penstock.mail.events")) {
      const auto event = nlohmann::json::parse(*message.value);
      if (event["event"] == kind) {
        found.push_back(event["id"].get<std::string>() + " " +
                        event.value("reason", std::string()));
      }
    }
    return found;
  }
};

}  // namespace penstock
