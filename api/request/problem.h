// Errors in the format of RFC 9457: {"type","title","status","detail"}, plus "member" for the
// parameter or member at fault, and any further members. Each kind of problem has a type of its
// own, "urn:penstock:problem:KIND", which stays the same, and a section of docs/problems.md. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/request/message.h"
#include "api/source/source.h"

namespace penstock {

struct Problem {
  int status = 400;
  std::string detail;       // one line: what was wrong and what to do
  std::string member = {};  // a query parameter, or a JSON pointer into the body; empty: none
  nlohmann::ordered_json more = nlohmann::ordered_json::object();  // further members
  const char* kind = "";  // such as "no-such-job"; empty: the kind that the status has by itself
};

inline constexpr const char* kProblemTypePrefix = "urn:penstock:problem:";
// Every kind, with its title.
[[nodiscard]] const std::vector<std::pair<std::string_view, std::string_view>>& problem_kinds();

[[nodiscard]] ApiReply reply_of(const Problem& problem);
[[nodiscard]] ApiReply reply_of(const SourceError& error);
// 404 for a queue that is not in the configuration.
[[nodiscard]] ApiReply no_such_queue(std::string_view queue);
// 404 for a path, and 405 for a method that it does not take; `allowed` as in "GET, POST".
[[nodiscard]] ApiReply no_such_path(const ApiRequest& request);
[[nodiscard]] ApiReply wrong_method(const ApiRequest& request, const char* allowed);
// 415; `expected` as in "application/json or application/x-ndjson".
[[nodiscard]] Problem wrong_media_type(const ApiRequest& request, std::string_view expected);
[[nodiscard]] ApiReply reply_of(int status, const nlohmann::ordered_json& body);

// An error if a query parameter is unknown to the endpoint or is given twice.
[[nodiscard]] std::optional<Problem> unknown_parameter(const ApiRequest& request,
                                                       const std::vector<std::string>& known);

// The JSON text. Bytes that are not UTF-8 are replaced, so this never fails.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace penstock
