// A request and its reply, independent of the HTTP server: what the routes and endpoints work with.
// Values.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topics/values/types.h"

namespace penstock {

// Who sent a request: the name of the token, or "anonymous" where none is asked for, and the
// address of the connection.
struct Caller {
  std::string name = "anonymous";
  std::string address = {};
  std::vector<std::string> queues = {};  // that the token is bound to; empty: all
  bool operates = true;                  // it may do more than read and produce

  [[nodiscard]] bool sees(std::string_view queue) const {
    return queues.empty() || std::find(queues.begin(), queues.end(), queue) != queues.end();
  }
};

struct ApiRequest {
  std::string method;
  std::string path;  // as sent: %-encoded
  std::multimap<std::string, std::string> parameters;
  std::string content_type;
  std::string body;
  std::string idempotency_key = {}, accept_encoding = {}, if_none_match = {};  // header values
  std::map<std::string, std::string, std::less<>> values = {};  // of the path, by name, decoded
  Caller caller = {};

  [[nodiscard]] bool is_read() const { return method == "GET" || method == "HEAD"; }
  // The first value of that parameter; empty if there is none.
  [[nodiscard]] std::string_view parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
  // The part of the path that the route calls so; empty if it has none.
  [[nodiscard]] const std::string& value(std::string_view name) const {
    static const std::string kNone;
    const auto found = values.find(name);
    return found == values.end() ? kNone : found->second;
  }
};

// The name to record with an operation: the token's name, and what `by` says.
[[nodiscard]] inline std::string requester(const ApiRequest& request) {
  const std::string by(request.parameter("by"));
  if (request.caller.name == Caller().name) return by.empty() ? "HTTP" : by;
  return by.empty() ? request.caller.name : by + " (" + request.caller.name + ")";
}

// The wall clock, for what a request asks relative to now.
[[nodiscard]] inline Time request_time() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

inline constexpr const char* kJson = "application/json";
inline constexpr const char* kJsonLines = "application/x-ndjson";
inline constexpr const char* kProblemJson = "application/problem+json";

struct ApiReply {
  int status = 200;
  std::string type = kJson;
  std::string body;
  std::map<std::string, std::string> headers = {};
  bool stream = false;  // the body goes on after `body` (api/live/event_streams.h)
};

}  // namespace penstock
