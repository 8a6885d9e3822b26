#include "api/routes/operations.h"

#include <nlohmann/json.hpp>

#include "api/request/problem.h"
#include "consumer/config/limit_table.h"
#include "consumer/control/pause_table.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

ApiReply unavailable(const Status& status) {
  ApiReply reply = reply_of(Problem{.status = 503, .detail = status.error().message});
  reply.headers["Retry-After"] = "1";
  return reply;
}

std::optional<Problem> bad_name(const std::string& name) {
  const Status good = check_set_limit_name(name);
  if (good) return std::nullopt;
  return Problem{.status = 422, .detail = good.error().message, .member = "name"};
}

// Of a name as filled in, its own use; of one as written, that of all names that are filled in.
void add_use(Json& entry, const std::string& name, const std::vector<LimitUse>& uses) {
  std::uint64_t used = 0, waiting = 0;
  for (const LimitUse& use : uses) {
    if (use.name != name && use.written != name) continue;
    used += use.used;
    waiting += use.waiting;
  }
  entry["used"] = used;
  entry["waiting"] = waiting;
}

// A pause with an empty type or account must not apply to the whole queue.
std::optional<Problem> bad_target(const ApiRequest& request, const PauseTarget& target) {
  for (const char* const name : {"type", "account"}) {
    if (request.parameters.contains(name) && request.parameter(name).empty()) {
      return Problem{.detail = std::string("found an empty ") + name +
                               ", expected its name; leave it out to mean the whole queue",
                     .member = name};
    }
  }
  const Status good = check_pause_target(target);
  if (good) return std::nullopt;
  return Problem{.detail = good.error().message,
                 .member = target.account.empty() ? "type" : "account"};
}

}  // namespace

ApiReply Operations::limits(const std::vector<LimitUse>& uses) {
  const Result<Control> control = control_.read();
  if (!control) return unavailable(tl::unexpected(control.error()));
  Json limits = Json::array();
  for (const auto& [name, limit] : limit_table(config_, *control)) {
    Json entry = limit_json(name, limit);
    add_use(entry, name, uses);
    limits.push_back(std::move(entry));
  }
  return reply_of(200, {{"limits", std::move(limits)}});
}

ApiReply Operations::set_limit(const ApiRequest& request, const std::string& name) {
  if (const auto problem = bad_name(name)) return reply_of(*problem);
  std::string member;
  const auto limit = parse_limit_override(request.body, &member);
  if (!limit) {
    return reply_of(
        Problem{.status = 422, .detail = limit.error().message, .member = std::move(member)});
  }
  return put_limit(name, *limit);
}

ApiReply Operations::reset_limit(const std::string& name) {
  if (const auto problem = bad_name(name)) return reply_of(*problem);
  return put_limit(name, std::nullopt);
}

ApiReply Operations::put_limit(const std::string& name, const std::optional<LimitOverride>& limit) {
  const auto value = limit ? std::optional(to_json(*limit)) : std::nullopt;
  if (const Status set = control_.set(limit_key(name), value); !set) return unavailable(set);
  return reply_of(200, {{"name", name}, {"set", limit_json(limit)}});
}

ApiReply Operations::pauses() {
  const Result<Control> control = control_.read();
  if (!control) return unavailable(tl::unexpected(control.error()));
  Json pauses = Json::array();
  for (const PauseEntry& entry : pause_table(*control)) pauses.push_back(pause_json(entry));
  return reply_of(200, {{"pauses", std::move(pauses)}});
}

ApiReply Operations::pause(const ApiRequest& request, const std::string& queue,
                           const std::string& op) {
  if (!config_.queue(queue)) return no_such_queue(queue);
  const PauseTarget target{queue, std::string(request.parameter("type")),
                           std::string(request.parameter("account"))};
  if (const auto problem = bad_target(request, target)) return reply_of(*problem);
  const auto value = op == "pause"
                         ? std::optional(to_json(Pause{request_time(), requester(request)}))
                         : std::nullopt;
  if (const Status set = control_.set(pause_key(target), value); !set) return unavailable(set);
  return reply_of(
      200, {{"op", op}, {"queue", queue}, {"type", target.type}, {"account", target.account}});
}

}  // namespace penstock
