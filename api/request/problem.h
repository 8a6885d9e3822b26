// Refusals as RFC 9457 has them: {"type","title","status","detail"}, with "member" for the
// parameter or member at fault and whatever else a refusal tells. Pure.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/request/message.h"
#include "api/source/source.h"

namespace penstock {

struct Problem {
  int status = 400;
  std::string detail;       // one line: what was wrong, what to do
  std::string member = {};  // a query parameter, or a JSON pointer into the body; empty: none
  nlohmann::ordered_json more = nlohmann::ordered_json::object();  // further members
};

[[nodiscard]] ApiReply reply_of(const Problem& problem);
[[nodiscard]] ApiReply reply_of(const SourceError& error);
// 404, of a queue that the configuration does not have.
[[nodiscard]] ApiReply no_such_queue(std::string_view queue);
[[nodiscard]] ApiReply reply_of(int status, const nlohmann::ordered_json& body);

// Refuses a query parameter that the endpoint does not know, or one that is given twice.
[[nodiscard]] std::optional<Problem> unknown_parameter(
    const ApiRequest& request, std::initializer_list<std::string_view> known);

// JSON text in which what is not UTF-8 is replaced, so that it never fails.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace penstock
