#include "api/request/problem.h"

#include <algorithm>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr int kNotFound = 404, kBadRequest = 400, kUnavailable = 503;

// The kind of a problem that says no more than its status.
std::string_view kind_of(int status) {
  switch (status) {
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not-found";
    case 405:
      return "method-not-allowed";
    case 408:
      return "request-timeout";
    case 409:
      return "conflict";
    case 413:
      return "too-large";
    case 414:
      return "path-too-long";
    case 415:
      return "unsupported-media-type";
    case 417:
      return "expectation-failed";
    case 421:
      return "misdirected-request";
    case 422:
      return "invalid-body";
    case 429:
      return "too-many-requests";
    case 431:
      return "head-too-large";
    case 500:
      return "internal-error";
    case 501:
      return "not-implemented";
    case 503:
      return "unavailable";
    case 504:
      return "not-in-time";
    case 505:
      return "http-version";
    default:
      return "bad-request";
  }
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text.empty() ? "none" : text;
}

}  // namespace

const std::vector<std::pair<std::string_view, std::string_view>>& problem_kinds() {
  static const std::vector<std::pair<std::string_view, std::string_view>> kKinds{
      {"bad-request", "The request cannot be understood"},
      {"bad-parameter", "A query parameter is not valid"},
      {"unauthorized", "A token is required"},
      {"forbidden", "The request is not allowed"},
      {"missing-scope", "The token does not allow this"},
      {"foreign-origin", "A web page of another origin may not send this"},
      {"not-found", "There is nothing at this path"},
      {"no-such-queue", "There is no such queue"},
      {"no-such-job", "There is no such job"},
      {"method-not-allowed", "The path does not take this method"},
      {"request-timeout", "The request did not arrive in time"},
      {"conflict", "The state does not permit this"},
      {"ambiguous-id", "Several accounts may have a job with this id"},
      {"bad-idempotency-key", "The Idempotency-Key is not valid"},
      {"too-large", "The request is too large"},
      {"path-too-long", "The path is too long"},
      {"unsupported-media-type", "The body is of another media type"},
      {"expectation-failed", "The Expect field is not supported"},
      {"misdirected-request", "The request is for another host"},
      {"invalid-body", "The body is not valid"},
      {"invalid-jobs", "A job breaks a rule of the job record"},
      {"too-many-requests", "Too many requests"},
      {"head-too-large", "The head of the request is too large"},
      {"internal-error", "The worker failed to answer"},
      {"not-implemented", "The transfer coding is not supported"},
      {"unavailable", "The request cannot be answered at the moment"},
      {"not-acknowledged", "Kafka has not acknowledged everything"},
      {"not-in-time", "The answer did not come in time"},
      {"http-version", "The version of HTTP is not supported"},
  };
  return kKinds;
}

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
  const std::string_view kind =
      problem.kind[0] != '\0' ? std::string_view(problem.kind) : kind_of(problem.status);
  const auto& kinds = problem_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [kind](const auto& entry) { return entry.first == kind; });
  PENSTOCK_CHECK(found != kinds.end(), "a kind of problem is in the table");
  nlohmann::ordered_json body{{"type", std::string(kProblemTypePrefix) + std::string(kind)},
                              {"title", found->second},
                              {"status", problem.status},
                              {"detail", problem.detail}};
  if (!problem.member.empty()) body["member"] = problem.member;
  for (const auto& [name, value] : problem.more.items()) body[name] = value;
  return {.status = problem.status, .type = kProblemJson, .body = json_text(body)};
}

ApiReply reply_of(const SourceError& error) {
  switch (error.fault) {
    case SourceFault::kNoQueue:
      return reply_of(Problem{
          .status = kNotFound, .detail = error.detail, .member = "queue", .kind = "no-such-queue"});
    case SourceFault::kBadAfter:
      return reply_of(Problem{.status = kBadRequest,
                              .detail = error.detail,
                              .member = "after",
                              .kind = "bad-parameter"});
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
              .member = "queue",
              .kind = "no-such-queue"});
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
                                         const std::vector<std::string>& known) {
  for (const auto& [name, value] : request.parameters) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Problem{
          .detail = "found the query parameter \"" + name + "\", expected: " + list_of(known),
          .member = name,
          .kind = "bad-parameter"};
    }
    if (request.parameters.count(name) > 1) {
      return Problem{.detail = "found the query parameter \"" + name + "\" more than once",
                     .member = name,
                     .kind = "bad-parameter"};
    }
  }
  return std::nullopt;
}

}  // namespace penstock
