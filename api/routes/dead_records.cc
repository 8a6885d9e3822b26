#include "api/routes/dead_records.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "api/dead/dead_json.h"
#include "api/dead/record_sender.h"
#include "api/gateway/gateway.h"
#include "api/request/json_body.h"
#include "api/request/problem.h"
#include "topics/names.h"
#include "topics/values/whole_number.h"

namespace penstock {

struct DeadRecords::Query {
  DeadFilter filter = {};
  std::optional<DeadPosition> after = {};
  int limit = 0;
  bool dry_run = false;
};

namespace {

using Json = nlohmann::ordered_json;

Problem bad(const std::string& member, std::string detail) {
  return Problem{.status = 422, .detail = std::move(detail), .member = member};
}

std::optional<Problem> add_reasons(DeadFilter& filter, std::string_view list,
                                   const std::string& member) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (const Status added = filter.add_reason(list.substr(0, comma)); !added)
      return bad(member, added.error().message);
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
  }
  return std::nullopt;
}

std::optional<Problem> set_time(std::optional<Time>& time, std::string_view text,
                                const std::string& member) {
  const auto read = parse_dead_time(text);
  if (!read) return bad(member, read.error().message);
  time = *read;
  return std::nullopt;
}

std::optional<Problem> set_after(std::optional<DeadPosition>& after, std::string_view text,
                                 const std::string& member) {
  after = DeadPosition::parse(text);
  if (after) return std::nullopt;
  return bad(member, "found \"" + std::string(text) + "\", expected the `after` of an answer");
}

std::optional<Problem> set_limit(int& limit, std::string_view text, int most,
                                 const std::string& member) {
  const auto read = whole_number<int>(text);
  if (read && *read >= 1 && *read <= most) {
    limit = *read;
    return std::nullopt;
  }
  return bad(member, "found " + std::string(text) + ", expected a number from 1 to " +
                         std::to_string(most));
}

// Sets what both endpoints have in common; `text` is not empty.
template <typename Query>
std::optional<Problem> set(Query& query, const std::string& name, std::string_view text, int most,
                           const std::string& member) {
  if (name == "reason") return add_reasons(query.filter, text, member);
  if (name == "type") query.filter.type = text;
  if (name == "account") query.filter.account = text;
  if (name == "from") return set_time(query.filter.from, text, member);
  if (name == "to") return set_time(query.filter.to, text, member);
  if (name == "after") return set_after(query.after, text, member);
  if (name == "limit") return set_limit(query.limit, text, most, member);
  return std::nullopt;
}

constexpr std::array kNames{"reason", "type", "account", "from", "to", "after", "limit"};

// A member's value as the text that the parameter of this name would have; empty: it has another
// type.
std::string text_of(const std::string& name, const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  const bool number = name == "limit" || name == "from" || name == "to";
  if (number && value.is_number_unsigned()) return value.dump();
  if (name != "reason" || !value.is_array()) return {};
  std::string list;
  for (const nlohmann::json& reason : value) {
    if (!reason.is_string()) return {};
    list += (list.empty() ? "" : ",") + reason.get<std::string>();
  }
  return list;
}

template <typename Query>
std::optional<Problem> read_body(Query& query, const ApiRequest& request) {
  if (request.body.empty()) return std::nullopt;  // everything
  nlohmann::json json;
  if (auto problem = read_object(request, json)) return problem;
  for (const auto& [name, value] : json.items()) {
    const std::string member = "/" + name;
    if (name == "dry_run") {
      if (!value.is_boolean())
        return bad(member, "found " + value.dump() + ", expected true or false");
      query.dry_run = value.template get<bool>();
      continue;
    }
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
      return bad(member, "no such member; reason, type, account, from, to, limit, after, dry_run");
    const std::string text = text_of(name, value);
    // An empty filter would mean everything, which nobody writes on purpose.
    if (text.empty()) return bad(member, "found a value of the wrong type, or an empty one");
    if (auto problem = set(query, name, text, kMaxResent, member)) return problem;
  }
  return std::nullopt;
}

std::optional<Time> remembers_from(const Config& config, const std::string& queue) {
  const QueuePolicy* const policy = config.queue(queue);
  if (policy == nullptr) return std::nullopt;
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) -
         policy->dedup_window;
}

Json after_of(const DeadPage& page) { return page.after ? Json(page.after->text()) : Json(); }

ApiReply unavailable(const std::string& detail, Json more = Json::object()) {
  ApiReply reply = reply_of(Problem{.status = 503, .detail = detail, .more = std::move(more)});
  reply.headers["Retry-After"] = "1";
  return reply;
}

}  // namespace

Result<DeadPage> DeadRecords::read(const std::string& queue, const Query& query,
                                   const OnDead& on_dead) {
  const DeadBounds bounds{static_cast<std::size_t>(query.limit), kMaxDeadScanned, kMaxDeadTime};
  return read_dead(access_.log(), QueueNames(access_.config.prefix, queue).dead_topic(),
                   query.filter, query.after, bounds, on_dead, [this] { return stopping_.load(); });
}

ApiReply DeadRecords::list(const ApiRequest& request, const std::string& queue) {
  if (!source_.has_queue(queue)) return no_such_queue(queue);
  Query query;
  query.limit = kDefaultListedDead;
  for (const char* const name : kNames) {
    if (request.parameter(name).empty()) continue;
    auto problem = set(query, name, request.parameter(name), kMaxListedDead, name);
    if (!problem) continue;
    problem->status = 400;
    return reply_of(*problem);
  }
  Json dead = Json::array();
  const auto page = read(queue, query, [&](const DeadEntry& entry) -> Status {
    dead.push_back(dead_json(entry, queue));
    return {};
  });
  if (!page) return unavailable(page.error().message);
  return reply_of(200, {{"dead", std::move(dead)}, {"after", after_of(*page)}});
}

ApiReply DeadRecords::resend(const ApiRequest& request, const std::string& queue) {
  if (!source_.has_queue(queue)) return no_such_queue(queue);
  Query query;
  query.limit = kDefaultResent;
  if (const auto problem = read_body(query, request)) return reply_of(*problem);

  std::unique_ptr<RecordSender> sender;
  if (!query.dry_run) {
    auto opened =
        RecordSender::open(access_.log(), QueueNames(access_.config.prefix, queue).topic());
    if (!opened) return unavailable(opened.error().message);
    sender = *std::move(opened);
  }
  Json errors = Json::array();
  Resend resend({.sender = sender.get(),
                 .ask = [&](const std::string& account,
                            const std::string& id) { return standing(queue, account, id); },
                 .remembers_from = remembers_from(access_.config, queue),
                 .on_failed =
                     [&](const DeadEntry& entry, const NotSent& why) {
                       if (errors.size() >= kMaxErrorsShown) return;
                       errors.push_back({{"partition", entry.partition},
                                         {"offset", entry.offset.value},
                                         {"reason", why.reason},
                                         {"detail", why.detail}});
                     }});
  const auto page = read(queue, query, [&](const DeadEntry& entry) { return resend.take(entry); });
  const Status finished = resend.finish();
  Json body = resend_json(resend.counts());
  body["errors"] = std::move(errors);
  body["after"] = page ? after_of(*page) : Json();
  body["dry_run"] = query.dry_run;
  if (!page) return unavailable(page.error().message, std::move(body));
  if (!finished) return unavailable(finished.error().message, std::move(body));
  return reply_of(query.dry_run ? 200 : 202, body);
}

Standing DeadRecords::standing(const std::string& queue, const std::string& account,
                               const std::string& id) {
  const auto match = source_.find(queue, id, account);
  if (!match) return Standing::kUnknown;
  if (match->jobs.empty()) return match->not_here.empty() ? Standing::kNone : Standing::kUnknown;
  return match->jobs.front().state == JobState::kDead ? Standing::kDead : Standing::kThere;
}

}  // namespace penstock
