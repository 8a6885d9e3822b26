#include "api/request/problem.h"

#include <algorithm>

#include "api/http/http_reply.h"

namespace penstock {
namespace {

constexpr int kNotFound = 404, kBadRequest = 400, kUnavailable = 503;

std::string list_of(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text.empty() ? "none" : text;
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Problem wrong_media_type(const ApiRequest& request, std::string_view expected) {
  return Problem{.status = 415,
                 .detail = "found Content-Type \"" + request.content_type + "\", expected " +
                           std::string(expected)};
}

ApiReply reply_of(int status, const nlohmann::ordered_json& body) {
  return {.status = status, .type = kJson, .body = json_text(body)};
}

ApiReply reply_of(const Problem& problem) {
  nlohmann::ordered_json body{{"type", "about:blank"},
                              {"title", status_title(problem.status)},
                              {"status", problem.status},
                              {"detail", problem.detail}};
  if (!problem.member.empty()) body["member"] = problem.member;
  for (const auto& [name, value] : problem.more.items()) body[name] = value;
  return {.status = problem.status, .type = kProblemJson, .body = json_text(body)};
}

ApiReply reply_of(const SourceError& error) {
  switch (error.fault) {
    case SourceFault::kNoQueue:
      return reply_of(Problem{.status = kNotFound, .detail = error.detail, .member = "queue"});
    case SourceFault::kBadAfter:
      return reply_of(Problem{.status = kBadRequest, .detail = error.detail, .member = "after"});
    case SourceFault::kNoAnswer:
      break;
  }
  ApiReply reply = reply_of(Problem{.status = kUnavailable, .detail = error.detail});
  reply.headers["Retry-After"] = "1";
  return reply;
}

ApiReply no_such_queue(std::string_view queue) {
  return reply_of(
      Problem{.status = kNotFound,
              .detail = "this worker has no queue \"" + std::string(queue) + "\" in its config",
              .member = "queue"});
}

ApiReply no_such_path(const ApiRequest& request) {
  return reply_of(Problem{.status = kNotFound, .detail = "there is nothing at " + request.path});
}

ApiReply wrong_method(const ApiRequest& request, const char* allowed) {
  ApiReply reply = reply_of(Problem{
      .status = 405, .detail = request.path + " takes " + allowed + ", not " + request.method});
  reply.headers["Allow"] = allowed;
  return reply;
}

std::optional<Problem> unknown_parameter(const ApiRequest& request,
                                         std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : request.parameters) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Problem{
          .detail = "found the query parameter \"" + name + "\", expected: " + list_of(known),
          .member = name};
    }
    if (request.parameters.count(name) > 1) {
      return Problem{.detail = "found the query parameter \"" + name + "\" more than once",
                     .member = name};
    }
  }
  return std::nullopt;
}

}  // namespace penstock
