// A request and its reply, independent of the HTTP server: what the routes and endpoints work with.
// Values.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace penstock {

struct ApiRequest {
  std::string method;
  std::string path;  // decoded
  std::multimap<std::string, std::string> parameters;
  std::string content_type;
  std::string body;

  [[nodiscard]] bool is_read() const { return method == "GET" || method == "HEAD"; }
  // The first value of that parameter; empty if there is none.
  [[nodiscard]] std::string_view parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
};

inline constexpr const char* kJson = "application/json";
inline constexpr const char* kJsonLines = "application/x-ndjson";
inline constexpr const char* kProblemJson = "application/problem+json";

struct ApiReply {
  int status = 200;
  std::string type = kJson;
  std::string body;
  std::map<std::string, std::string> headers = {};
};

}  // namespace penstock
