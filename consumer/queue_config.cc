#include "consumer/queue_config.h"

#include <algorithm>
#include <array>
#include <string>

#include "consumer/duration.h"
#include "consumer/handler_spec.h"
#include "topics/job_record.h"
#include "topics/names.h"

namespace penstock {
namespace {

template <typename T, std::size_t N>
using ChoiceTable = std::array<std::pair<std::string_view, T>, N>;

constexpr ChoiceTable<Order, 3> kOrders{
    {{"created", Order::kCreated}, {"strict", Order::kStrict}, {"ready", Order::kReady}}};
constexpr std::array<std::string_view, 1> kLaterOrders{"fair"};
constexpr ChoiceTable<Events, 3> kEvents{
    {{"off", Events::kOff}, {"terminal", Events::kTerminal}, {"all", Events::kAll}}};
constexpr ChoiceTable<UnknownTypes, 2> kUnknownTypes{
    {{"wait", UnknownTypes::kWait}, {"dead", UnknownTypes::kDead}}};
constexpr ChoiceTable<Backoff, 2> kBackoffs{
    {{"exponential", Backoff::kExponential}, {"fixed", Backoff::kFixed}}};

constexpr double kMaxFactor = 1'000;

bool is_type_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == ':' || c == '-';
}

bool is_type_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxTypeBytes &&
         std::all_of(name.begin(), name.end(), is_type_letter);
}

HttpHandler read_http_handler(const ConfigObject& object, const ConfigValue& url) {
  HttpHandler handler;
  url.read(handler.url);
  if (!is_handler_url(handler.url)) url.refuse("a URL such as \"http://127.0.0.1:3000/jobs\"");
  object.read_nullable("secret_file", handler.secret_file);
  if (const ConfigValue* children = object.find("children")) {
    children->refuse_plainly("found it beside \"http\", expected it beside \"exec\" only");
  }
  return handler;
}

ExecHandler read_exec_handler(const ConfigObject& object, const ConfigValue& argv) {
  ExecHandler handler;
  argv.read(handler.argv);
  if (!is_handler_argv(handler.argv)) {
    argv.refuse(
        "an absolute path and its arguments, such as [\"/usr/bin/python3\", \"handler.py\"]");
  }
  object.read("children", handler.children, Range<int>{1, kMaxChildren});
  if (const ConfigValue* secret = object.find("secret_file")) {
    secret->refuse_plainly("found it beside \"exec\", expected it beside \"http\" only");
  }
  return handler;
}

std::optional<HandlerSpec> read_handler(const ConfigValue& value) {
  const ConfigObject object = value.object({.known = {"http", "secret_file", "exec", "children"}});
  const ConfigValue* http = object.find("http");
  const ConfigValue* exec = object.find("exec");
  if (http != nullptr && exec == nullptr) return read_http_handler(object, *http);
  if (exec != nullptr && http == nullptr) return read_exec_handler(object, *exec);
  value.refuse_plainly(http != nullptr
                           ? "found both \"http\" and \"exec\", expected one of them"
                           : "found neither \"http\" nor \"exec\", expected one of them");
  return std::nullopt;
}

void check_longest_wait(const ConfigObject& object, RetryPolicy& retry) {
  if (retry.max >= retry.base) return;
  if (const ConfigValue* max = object.find("max")) {
    return max->refuse("at least the base, " + duration_text(retry.base));
  }
  if (retry.backoff == Backoff::kFixed) {
    retry.max = retry.base;  // a fixed wait does not grow, so the default cap means nothing
  } else {
    object.find("base")->refuse("at most " + duration_text(retry.max) +
                                ", the default of \"max\", or a greater \"max\" beside it");
  }
}

RetryPolicy read_retry(const ConfigValue& value) {
  RetryPolicy retry;
  const ConfigObject object =
      value.object({.known = {"attempts", "backoff", "base", "factor", "max", "jitter"}});
  object.read("attempts", retry.attempts, Range<int>{1, kMaxAttempts});
  object.read_choice("backoff", retry.backoff, kBackoffs);
  object.read("base", retry.base, Zero::kAllowed);
  object.read("factor", retry.factor, Range<double>{1, kMaxFactor});
  object.read("max", retry.max, Zero::kAllowed);
  object.read("jitter", retry.jitter, Range<double>{0, 1});
  check_longest_wait(object, retry);
  return retry;
}

void read_keep(const ConfigValue& value, TypePolicy& policy) {
  const ConfigObject object = value.object({.known = {"succeeded", "dead"}});
  object.read("succeeded", policy.keep_succeeded, Zero::kAllowed);
  object.read("dead", policy.keep_dead, Zero::kAllowed);
}

TypePolicy read_type(std::string_view name, const ConfigValue& value) {
  TypePolicy policy;
  if (!is_type_name(name)) {
    value.refuse_plainly("found a type named \"" + std::string(name) +
                         "\", expected a name of 1 to 128 of A-Z a-z 0-9 . _ : -");
  }
  const ConfigObject object =
      value.object({.known = {"handler", "timeout", "retry", "keep"},
                    .later = {"unique", "limits", "batch", "max_runtime", "between_iterations"}});
  if (const ConfigValue* handler = object.find("handler")) policy.handler = read_handler(*handler);
  object.read("timeout", policy.timeout, Zero::kRefused);
  if (const ConfigValue* retry = object.find("retry")) policy.retry = read_retry(*retry);
  if (const ConfigValue* keep = object.find("keep")) read_keep(*keep, policy);
  return policy;
}

}  // namespace

QueuePolicy read_queue(std::string_view prefix, std::string_view name, const ConfigValue& value) {
  QueuePolicy queue;
  queue.name = name;
  if (const Status good = check_queue_name(prefix, name); !good) {
    value.refuse_plainly(good.error().message);
  }
  const ConfigObject object =
      value.object({.known = {"partitions", "account_concurrency", "order", "dedup_window",
                              "events", "unknown_types", "types"},
                    .later = {"fair"}});
  object.read("partitions", queue.partitions, Range<int>{1, kMaxPartitions});
  object.read("account_concurrency", queue.account_concurrency,
              Range<int>{1, kMaxAccountConcurrency});
  object.read_choice("order", queue.order, kOrders, kLaterOrders);
  object.read("dedup_window", queue.dedup_window, Zero::kRefused);
  object.read_choice("events", queue.events, kEvents);
  object.read_choice("unknown_types", queue.unknown_types, kUnknownTypes);
  if (const ConfigValue* types = object.find("types")) {
    for (const auto& [type, policy] : types->any_object().members()) {
      queue.types.emplace(type, read_type(type, policy));
    }
  }
  return queue;
}

}  // namespace penstock
