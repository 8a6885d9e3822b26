#include "cli/check/config_view.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "consumer/config/handler_spec.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

template <typename Enum, std::size_t N>
Json word_of(Enum value, const std::array<std::string_view, N>& words) {
  return words.at(static_cast<std::size_t>(value));
}

// In the order of the enumerations.
constexpr std::array<std::string_view, 4> kOrderWords{"created", "strict", "ready", "fair"};
constexpr std::array<std::string_view, 2> kFairWords{"by_account", "flat"};
constexpr std::array<std::string_view, 3> kEventWords{"off", "terminal", "all"};
constexpr std::array<std::string_view, 2> kUnknownTypeWords{"wait", "dead"};
constexpr std::array<std::string_view, 5> kScopeWords{"queued", "running", "queued_and_running",
                                                      "until_done", "ttl"};
constexpr std::array<std::string_view, 5> kConflictWords{"drop", "replace", "debounce",
                                                         "keep_latest", "dead"};
constexpr std::array<std::string_view, 3> kBackoffWords{"fixed", "exponential", "polynomial"};
constexpr std::array<std::string_view, 2> kCollectWords{"fifo", "set"};
constexpr std::array<std::string_view, 2> kBatchErrorWords{"retry", "split"};
constexpr std::array<std::string_view, 2> kBetweenWords{"keep", "release"};

// Properties whose values are not to be printed.
constexpr std::array<std::string_view, 4> kSecretParts{"password", "secret", ".pem", "token"};

bool is_secret(std::string_view property) {
  return std::any_of(kSecretParts.begin(), kSecretParts.end(), [property](std::string_view part) {
    return property.find(part) != property.npos;
  });
}

Json kafka_json(const Config& config) {
  Json json = Json::object();
  for (const auto& [name, value] : config.kafka) json[name] = is_secret(name) ? "(secret)" : value;
  return json;
}

struct HandlerJson {
  Json operator()(const HttpHandler& handler) const {
    Json json{{"http", shown_url(handler.url)}};
    if (!handler.secret_file.empty()) json["secret_file"] = handler.secret_file;
    return json;
  }
  Json operator()(const ExecHandler& handler) const {
    return {{"exec", handler.argv}, {"children", handler.children}};
  }
  Json operator()(const NoopHandler&) const { return "noop"; }
  Json operator()(const SleepHandler& handler) const {
    return "sleep:" + duration_text(handler.length);
  }
  Json operator()(const FailHandler& handler) const {
    return "fail:" + Json(handler.probability).dump();
  }
};

Json patterns_json(const std::vector<ErrorPattern>& patterns) {
  Json json = Json::array();
  for (const ErrorPattern& pattern : patterns) json.push_back(pattern.text);
  return json;
}

Json retry_policy_json(const RetryPolicy& retry) {
  Json json{{"attempts", retry.attempts}};
  if (retry.backoff == Backoff::kDelays) {
    json["delays"] = Json::array();
    for (const Duration delay : retry.delays) json["delays"].push_back(duration_text(delay));
  } else {
    json["backoff"] = word_of(retry.backoff, kBackoffWords);
    json["base"] = duration_text(retry.base);
    if (retry.backoff == Backoff::kExponential) json["factor"] = retry.factor;
    if (retry.backoff == Backoff::kPolynomial) json["degree"] = retry.degree;
    json["max"] = duration_text(retry.max);
  }
  json["jitter"] = retry.jitter;
  if (!retry.retry_on.empty()) json["retry_on"] = patterns_json(retry.retry_on);
  if (!retry.discard_on.empty()) json["discard_on"] = patterns_json(retry.discard_on);
  if (retry.breaker)
    json["breaker"] = {{"failures", retry.breaker->failures},
                       {"probe", duration_text(retry.breaker->probe)}};
  return json;
}

Json unique_policy_json(const UniquePolicy& unique) {
  Json json{{"scope", word_of(unique.scope, kScopeWords)}};
  if (!unique.by.empty()) {
    json["by"] = Json::array();
    for (const JsonPointer& pointer : unique.by) json["by"].push_back(pointer.text);
  }
  if (unique.scope != UniqueScope::kRunning)
    json["on_conflict"] = word_of(unique.on_conflict, kConflictWords);
  if (unique.scope == UniqueScope::kTtl) json["ttl"] = duration_text(unique.ttl);
  return json;
}

Json limit_policy_json(const LimitPolicy& limit) {
  Json json{{"name", limit.name.text}};
  if (limit.slots) json["slots"] = *limit.slots;
  if (limit.rate) {
    json["rate"] = rate_text(*limit.rate);
    json["burst"] = limit.burst;
  }
  return json;
}

Json batch_policy_json(const BatchPolicy& batch) {
  Json json{{"max", batch.max},
            {"collect", word_of(batch.collect, kCollectWords)},
            {"delay", duration_text(batch.delay)},
            {"on_error", word_of(batch.on_error, kBatchErrorWords)}};
  if (batch.target) json["target"] = duration_text(*batch.target);
  return json;
}

Json type_json(const TypePolicy& type) {
  Json json = Json::object();
  if (type.handler) json["handler"] = std::visit(HandlerJson(), *type.handler);
  json["timeout"] = duration_text(type.timeout);
  json["retry"] = retry_policy_json(type.retry);
  json["keep"] = {{"succeeded", duration_text(type.keep_succeeded)},
                  {"dead", duration_text(type.keep_dead)}};
  if (type.unique) json["unique"] = unique_policy_json(*type.unique);
  if (!type.limits.empty()) {
    json["limits"] = Json::array();
    for (const LimitPolicy& limit : type.limits) json["limits"].push_back(limit_policy_json(limit));
  }
  if (type.batch) json["batch"] = batch_policy_json(*type.batch);
  if (type.max_runtime) json["max_runtime"] = duration_text(*type.max_runtime);
  json["between_iterations"] = word_of(type.between_iterations, kBetweenWords);
  return json;
}

Json queue_policy_json(const QueuePolicy& queue) {
  Json json{{"partitions", queue.partitions},
            {"account_concurrency", queue.account_concurrency},
            {"order", word_of(queue.order, kOrderWords)}};
  if (queue.order == Order::kFair) json["fair"] = word_of(queue.fair, kFairWords);
  json["dedup_window"] = duration_text(queue.dedup_window);
  json["lease"] = duration_text(queue.lease);
  json["standbys"] = queue.standbys;
  json["events"] = word_of(queue.events, kEventWords);
  json["unknown_types"] = word_of(queue.unknown_types, kUnknownTypeWords);
  json["types"] = Json::object();
  for (const auto& [name, type] : queue.types) json["types"][name] = type_json(type);
  return json;
}

}  // namespace

Json config_json(const Config& config) {
  Json json{{"kafka", kafka_json(config)},
            {"state_dir", config.state_dir},
            {"prefix", config.prefix},
            {"http", {{"listen", config.http.listen}, {"open_metrics", config.http.open_metrics}}},
            {"queues", Json::object()}};
  if (!config.http.token_file.empty()) json["http"]["token_file"] = config.http.token_file;
  for (const QueuePolicy& queue : config.queues)
    json["queues"][queue.name] = queue_policy_json(queue);
  return json;
}

}  // namespace penstock
