#include "api/operations.h"

#include <nlohmann/json.hpp>

#include "api/problem.h"
#include "consumer/limit_table.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json limit_json(const std::optional<LimitOverride>& limit) {
  return limit ? Json::parse(to_json(*limit)) : Json();
}

ApiReply unavailable(const Status& status) {
  ApiReply reply = reply_of(Problem{.status = 503, .detail = status.error().message});
  reply.headers["Retry-After"] = "1";
  return reply;
}

std::optional<Problem> bad_name(const std::string& name) {
  if (!name.empty() && name.size() <= Operations::kMaxLimitName) return std::nullopt;
  return Problem{.status = 422,
                 .detail = "found a limit's name of " + std::to_string(name.size()) +
                           " bytes, expected 1 to " + std::to_string(Operations::kMaxLimitName),
                 .member = "name"};
}

std::optional<Problem> bad_target(const PauseTarget& target) {
  if (target.type.empty() || target.account.empty()) return std::nullopt;
  return Problem{
      .detail = "found a type and an account, expected one of them: pause the type, or the account",
      .member = "account"};
}

std::string who(const ApiRequest& request) {
  const std::string_view by = request.parameter("by");
  return by.empty() ? "HTTP" : std::string(by);
}

}  // namespace

ApiReply Operations::limits(const ApiRequest& request) {
  if (const auto problem = unknown_parameter(request, {})) return reply_of(*problem);
  const Result<Control> control = control_.read();
  if (!control) return unavailable(tl::unexpected(control.error()));
  Json limits = Json::array();
  for (const auto& [name, limit] : limit_table(config_, *control)) {
    limits.push_back({{"name", name},
                      {"shared", limit.is_shared ? Json(*limit.is_shared) : Json(nullptr)},
                      {"configured", limit_json(limit.configured)},
                      {"set", limit_json(limit.set)}});
  }
  return reply_of(200, {{"limits", std::move(limits)}});
}

ApiReply Operations::set_limit(const ApiRequest& request, const std::string& name) {
  if (const auto problem = unknown_parameter(request, {})) return reply_of(*problem);
  if (const auto problem = bad_name(name)) return reply_of(*problem);
  const auto limit = parse_limit_override(request.body);
  if (!limit) return reply_of(Problem{.status = 422, .detail = limit.error().message});
  return put_limit(name, *limit);
}

ApiReply Operations::reset_limit(const ApiRequest& request, const std::string& name) {
  if (const auto problem = unknown_parameter(request, {})) return reply_of(*problem);
  if (const auto problem = bad_name(name)) return reply_of(*problem);
  return put_limit(name, std::nullopt);
}

ApiReply Operations::put_limit(const std::string& name, const std::optional<LimitOverride>& limit) {
  const auto value = limit ? std::optional(to_json(*limit)) : std::nullopt;
  if (const Status set = control_.set(limit_key(name), value); !set) return unavailable(set);
  return reply_of(200, {{"name", name}, {"set", limit_json(limit)}});
}

ApiReply Operations::pause(const ApiRequest& request, const std::string& queue,
                           const std::string& op) {
  if (const auto problem = unknown_parameter(request, {"type", "account", "by"}))
    return reply_of(*problem);
  if (!config_.queue(queue)) {
    return reply_of(Problem{.status = 404,
                            .detail = "this worker has no queue \"" + queue + "\" in its config",
                            .member = "queue"});
  }
  const PauseTarget target{queue, std::string(request.parameter("type")),
                           std::string(request.parameter("account"))};
  if (const auto problem = bad_target(target)) return reply_of(*problem);
  const Time now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  const auto value =
      op == "pause" ? std::optional(to_json(Pause{now, who(request)})) : std::nullopt;
  if (const Status set = control_.set(pause_key(target), value); !set) return unavailable(set);
  return reply_of(
      200, {{"op", op}, {"queue", queue}, {"type", target.type}, {"account", target.account}});
}

}  // namespace penstock
