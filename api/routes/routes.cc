#include "api/routes/routes.h"

#include "api/request/problem.h"
#include "api/routes/metrics_text.h"

namespace penstock {
namespace {

constexpr std::string_view kQueues = "/v1/queues", kLimits = "/v1/limits", kPauses = "/v1/pauses";

}  // namespace

ApiReply Routes::answer(const ApiRequest& request) {
  const std::string_view path = request.path;
  const bool fixed =
      path == "/healthz" || path == "/readyz" || path == "/metrics" || path == kQueues;
  if (fixed && !request.is_read()) return wrong_method(request, "GET");
  if (path == "/healthz") return {.status = 200, .type = "text/plain", .body = "ok\n"};
  if (path == "/readyz") return ready();
  if (path == "/metrics") return metrics();
  if (path == kQueues) return queries_.queues(request);
  if (path.starts_with(kQueues) && path.substr(kQueues.size()).starts_with('/')) {
    return answer_queue(request, path.substr(kQueues.size() + 1));
  }
  if (path == kPauses)
    return request.is_read() ? operations_.pauses(request) : wrong_method(request, "GET");
  if (path.starts_with(kLimits)) return answer_limits(request, path.substr(kLimits.size()));
  return no_such_path(request);
}

// `rest` is the path after "/v1/limits".
ApiReply Routes::answer_limits(const ApiRequest& request, std::string_view rest) {
  if (rest.empty())
    return request.is_read() ? operations_.limits(request) : wrong_method(request, "GET");
  if (!rest.starts_with('/')) return no_such_path(request);
  const std::string name(rest.substr(1));
  if (request.method == "PUT") return operations_.set_limit(request, name);
  if (request.method == "DELETE") return operations_.reset_limit(request, name);
  return wrong_method(request, "PUT, DELETE");
}

ApiReply Routes::ready() {
  const std::string reason = source_.not_ready();
  if (reason.empty()) return {.status = 200, .type = "text/plain", .body = "ready\n"};
  return reply_of(Problem{.status = 503, .detail = reason});
}

ApiReply Routes::metrics() {
  return {.status = 200,
          .type = kMetricsType,
          .body = metrics_text(source_.status(), source_.not_ready().empty(), version_)};
}

// `rest` is the path after "/v1/queues/".
ApiReply Routes::answer_queue(const ApiRequest& request, std::string_view rest) {
  const std::size_t slash = rest.find('/');
  const std::string queue(rest.substr(0, slash));
  const std::string_view what = slash == rest.npos ? std::string_view() : rest.substr(slash + 1);
  if (queue.empty()) return no_such_path(request);
  if (what == "jobs" && request.method == "POST") return gateway_.enqueue(request, queue);
  if (what == "jobs")
    return request.is_read() ? queries_.jobs(request, queue) : wrong_method(request, "GET, POST");
  if (what.starts_with("jobs/") && what.size() > 5)
    return answer_job(request, queue, what.substr(5));
  if (what == "pause" || what == "resume") {
    return request.method == "POST" ? operations_.pause(request, queue, std::string(what))
                                    : wrong_method(request, "POST");
  }
  if (what == "replays" || what.starts_with("replays/"))
    return replays_.answer(request, queue, what.substr(7));
  if (what == "dead")
    return request.is_read() ? dead_.list(request, queue) : wrong_method(request, "GET");
  if (what == "dead/resend") {
    return request.method == "POST" ? dead_.resend(request, queue) : wrong_method(request, "POST");
  }
  const bool whole = slash == rest.npos;
  if (!whole && what != "accounts" && what != "bulks") return no_such_path(request);
  if (!request.is_read()) return wrong_method(request, "GET");
  if (what == "bulks") return queries_.bulks(request, queue);
  return whole ? queries_.queue(request, queue) : queries_.accounts(request, queue);
}

// `rest` is an id or, for a POST, an id and an operation.
ApiReply Routes::answer_job(const ApiRequest& request, const std::string& queue,
                            std::string_view rest) {
  // For GET and DELETE, the whole rest is the id, even if it ends in "/cancel".
  if (request.is_read()) return queries_.job(request, queue, std::string(rest));
  if (request.method == "DELETE")
    return gateway_.command(request, queue, std::string(rest), "delete");
  // From the end, because an id may contain slashes itself.
  const std::size_t slash = rest.rfind('/');
  const std::string_view op = slash == rest.npos ? std::string_view() : rest.substr(slash + 1);
  if (op != "cancel" && op != "retry") return wrong_method(request, "GET, DELETE");
  if (request.method != "POST") return wrong_method(request, "POST");
  return gateway_.command(request, queue, std::string(rest.substr(0, slash)), std::string(op));
}

}  // namespace penstock
