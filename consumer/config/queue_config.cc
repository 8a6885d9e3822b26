#include "consumer/config/queue_config.h"

#include <algorithm>
#include <array>
#include <string>

#include "consumer/config/config_retry.h"
#include "consumer/config/handler_spec.h"
#include "topics/names.h"
#include "topics/record/job_record.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

constexpr ChoiceTable<Order, 4> kOrders{{{"created", Order::kCreated},
                                         {"strict", Order::kStrict},
                                         {"ready", Order::kReady},
                                         {"fair", Order::kFair}}};
constexpr ChoiceTable<FairShare, 2> kFairShares{
    {{"by_account", FairShare::kByAccount}, {"flat", FairShare::kFlat}}};
constexpr ChoiceTable<Events, 3> kEvents{
    {{"off", Events::kOff}, {"terminal", Events::kTerminal}, {"all", Events::kAll}}};
constexpr ChoiceTable<UnknownTypes, 2> kUnknownTypes{
    {{"wait", UnknownTypes::kWait}, {"dead", UnknownTypes::kDead}}};
constexpr ChoiceTable<BetweenIterations, 2> kBetweenIterations{
    {{"keep", BetweenIterations::kKeep}, {"release", BetweenIterations::kRelease}}};

constexpr std::size_t kMaxShownUrlBytes = 80;

HttpHandler read_http_handler(const ConfigObject& object, const ConfigValue& url) {
  HttpHandler handler;
  url.read(handler.url);
  if (!handler.url.empty() && !is_handler_url(handler.url)) {
    url.refuse_plainly("found \"" + excerpt(shown_url(handler.url), kMaxShownUrlBytes) +
                       "\", expected a URL such as \"http://127.0.0.1:3000/jobs\"");
  }
  object.read_nullable("secret_file", handler.secret_file);
  if (const ConfigValue* children = object.find("children")) {
    children->refuse_plainly("found it with \"http\", expected it only with \"exec\"");
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
    secret->refuse_plainly("found it with \"exec\", expected it only with \"http\"");
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
                           ? "found both \"http\" and \"exec\", expected only one of them"
                           : "found neither \"http\" nor \"exec\", expected only one of them");
  return std::nullopt;
}

void read_keep(const ConfigValue& value, TypePolicy& policy) {
  const ConfigObject object = value.object({.known = {"succeeded", "dead"}});
  object.read("succeeded", policy.keep_succeeded, Zero::kAllowed);
  object.read("dead", policy.keep_dead, Zero::kAllowed);
}

void check_type_name(std::string_view name, const ConfigValue& value) {
  if (is_type_name(name)) return;
  value.refuse_plainly("found a type named \"" + std::string(name) +
                       "\", expected a name of 1 to 128 of A-Z a-z 0-9 . _ : -");
}

void read_flow(const ConfigObject& object, TypePolicy& policy, LimitAgreement& agreement) {
  if (const ConfigValue* unique = object.find("unique")) policy.unique = read_unique(*unique);
  if (const ConfigValue* limits = object.find("limits")) {
    policy.limits = read_limits(*limits, agreement);
  }
  if (const ConfigValue* batch = object.find("batch")) policy.batch = read_batch(*batch);
  if (const ConfigValue* longest = object.find("max_runtime")) {
    longest->read(policy.max_runtime.emplace(), Zero::kRefused);
  }
  object.read_choice("between_iterations", policy.between_iterations, kBetweenIterations);
}

TypePolicy read_type(FileScope& file, std::string_view name, const ConfigValue& value,
                     Order order) {
  TypePolicy policy;
  check_type_name(name, value);
  const ConfigObject object =
      value.object({.known = {"handler", "timeout", "retry", "keep", "unique", "limits", "batch",
                              "max_runtime", "between_iterations"}});
  if (const ConfigValue* handler = object.find("handler")) policy.handler = read_handler(*handler);
  object.read("timeout", policy.timeout, Zero::kRefused);
  if (const ConfigValue* retry = object.find("retry")) {
    policy.retry = read_retry(*retry);
  }
  if (const ConfigValue* keep = object.find("keep")) read_keep(*keep, policy);
  read_flow(object, policy, file.limits);
  if (const ConfigValue* longest = object.find("max_runtime");
      longest != nullptr && order == Order::kStrict) {
    longest->refuse_plainly(
        "found it in a queue with \"order\": \"strict\", where no job may yield; "
        "expected it only with the other orders");
  }
  return policy;
}

}  // namespace

QueuePolicy read_queue(FileScope& file, std::string_view name, const ConfigValue& value) {
  QueuePolicy queue;
  queue.name = name;
  if (const Status good = check_queue_name(file.prefix, name); !good) {
    value.refuse_plainly(good.error().message);
  }
  const ConfigObject object =
      value.object({.known = {"partitions", "account_concurrency", "order", "fair", "dedup_window",
                              "lease", "standbys", "events", "unknown_types", "types"}});
  object.read("partitions", queue.partitions, Range<int>{1, kMaxPartitions});
  object.read("account_concurrency", queue.account_concurrency,
              Range<int>{1, kMaxAccountConcurrency});
  object.read_choice("order", queue.order, kOrders);
  object.read_choice("fair", queue.fair, kFairShares);
  if (const ConfigValue* fair = object.find("fair");
      fair != nullptr && queue.order != Order::kFair) {
    fair->refuse_plainly(
        "found it in a queue with another order, expected it only with \"order\": \"fair\"");
  }
  object.read("dedup_window", queue.dedup_window, Zero::kRefused);
  object.read("lease", queue.lease, Range<Duration>{kShortestLease, kLongestLease});
  object.read("standbys", queue.standbys, Range<int>{0, kMaxStandbys});
  object.read_choice("events", queue.events, kEvents);
  object.read_choice("unknown_types", queue.unknown_types, kUnknownTypes);
  if (const ConfigValue* types = object.find("types")) {
    for (const auto& [type, policy] : types->any_object().members()) {
      queue.types.emplace(type, read_type(file, type, policy, queue.order));
    }
  }
  return queue;
}

}  // namespace penstock
