#include "api/routes/routes.h"

#include <utility>

#include "api/openapi/openapi.h"
#include "api/page/page.h"
#include "api/request/problem.h"
#include "api/routes/metrics_text.h"
#include "topics/values/rfc3339.h"

namespace penstock {

using Request = const ApiRequest&;

Routes::Routes(Source& source, JobSink& sink, Operations operations, DeadAccess dead,
               ReplayRoutes::MakeDesk replays, WorkerIdentity worker)
    : source_(source),
      worker_(std::move(worker)),
      sending_(sink),
      history_(source),
      queries_(source, history_),
      gateway_(source, sending_),
      actions_(source, sending_),
      operations_(std::move(operations)),
      dead_(source, std::move(dead)),
      replays_(std::move(replays)),
      workers_(source, worker_) {
  add_health();
  add_queries();
  add_jobs();
  add_operations();
  replays_.add_to(table_);
  add_page_to(table_);
  add_openapi();
}

void Routes::add_health() {
  table_.add({"GET", "/healthz", Scope::kOpen, "health", "Whether the process works"},
             [this](Request) { return alive(); });
  table_.add({"GET", "/readyz", Scope::kOpen, "readiness",
              "Whether the worker has its partitions and they run"},
             [this](Request) { return ready(); });
  table_.add({"GET", "/metrics", Scope::kMetrics, "metrics", "Prometheus metrics"},
             [this](Request) { return metrics(); });
}

void Routes::add_openapi() {
  table_.add({.method = "GET",
              .pattern = "/openapi.json",
              .scope = Scope::kRead,
              .id = "openapi",
              .summary = "This document",
              .lists_queues = true},
             [this](Request) {
               // Made when it is asked for, because it describes every route, also those of later.
               return reply_of(200, openapi_document(table_, worker_.version));
             });
}

void Routes::add_queries() {
  table_.add({.method = "GET",
              .pattern = "/v1/queues",
              .scope = Scope::kRead,
              .id = "listQueues",
              .summary = "The queues and their figures",
              .reply = "Queues",
              .lists_queues = true},
             [this](Request request) { return queries_.queues(request); });
  table_.add({.method = "GET",
              .pattern = "/v1/queues/{queue}",
              .scope = Scope::kRead,
              .id = "getQueue",
              .summary = "One queue's figures",
              .reply = "Queue"},
             [this](Request request) { return queries_.queue(request); });
  table_.add({.method = "GET",
              .pattern = "/v1/queues/{queue}/history",
              .scope = Scope::kRead,
              .id = "getHistory",
              .summary = "The queue's figures of the last hour",
              .reply = "History"},
             [this](Request request) { return queries_.history(request); });
  table_.add({.method = "GET",
              .pattern = "/v1/queues/{queue}/accounts",
              .scope = Scope::kRead,
              .id = "listAccounts",
              .summary = "The accounts with the most waiting jobs, or with the oldest",
              .parameters = {"by", "limit"},
              .reply = "Accounts"},
             [this](Request request) { return queries_.accounts(request); });
  table_.add({.method = "GET",
              .pattern = "/v1/queues/{queue}/bulks",
              .scope = Scope::kRead,
              .id = "listBulks",
              .summary = "The queue's bulks",
              .parameters = {"account", "limit", "after"},
              .reply = "Bulks"},
             [this](Request request) { return queries_.bulks(request); });
  table_.add({.method = "GET",
              .pattern = "/v1/breakers",
              .scope = Scope::kRead,
              .id = "listBreakers",
              .summary = "The circuit breakers that are open",
              .reply = "Breakers",
              .lists_queues = true},
             [this](Request request) { return queries_.breakers(request); });
  table_.add(
      {.method = "GET",
       .pattern = "/v1/events",
       .scope = Scope::kRead,
       .id = "streamEvents",
       .summary = "The figures of all queues, every second, as server-sent events",
       .lists_queues = true},
      [](Request) {
        return ApiReply{
            .status = 200, .type = "text/event-stream", .body = ": begun\n\n", .stream = true};
      });
  table_.add({.method = "GET",
              .pattern = "/v1/workers",
              .scope = Scope::kRead,
              .id = "listWorkers",
              .summary = "The workers and their partitions",
              .reply = "Workers"},
             [this](Request request) { return workers_.list(request); });
}

void Routes::add_jobs() {
  table_.add({.method = "GET",
              .pattern = "/v1/queues/{queue}/jobs",
              .scope = Scope::kRead,
              .id = "listJobs",
              .summary = "The jobs that the filters select",
              .parameters = {"state", "type", "account", "bulk", "error", "id", "from", "to",
                             "limit", "after"},
              .reply = "Jobs"},
             [this](Request request) { return queries_.jobs(request); });
  table_.add({.method = "POST",
              .pattern = "/v1/queues/{queue}/jobs",
              .scope = Scope::kProduce,
              .id = "enqueue",
              .summary = "Enqueues a job, an array of jobs, or lines of jobs",
              .parameters = {"wait", "timeout"},
              .body = "JobsToEnqueue",
              .reply = "Enqueued",
              .statuses = {202}},
             [this](Request request) { return gateway_.enqueue(request); });
  table_.add({.method = "POST",
              .pattern = "/v1/queues/{queue}/jobs/actions",
              .scope = Scope::kOperate,
              .id = "changeJobs",
              .summary = "Cancels, retries, reschedules or deletes the jobs that filters select",
              .body = "Action",
              .reply = "ActionResult",
              .statuses = {200, 202}},
             [this](Request request) { return actions_.act(request); });
  table_.add({.method = "GET",
              .pattern = "/v1/queues/{queue}/jobs/{id*}",
              .scope = Scope::kRead,
              .id = "getJob",
              .summary = "One job, and why it is not running",
              .parameters = {"account", "wait", "timeout"},
              .reply = "Job"},
             [this](Request request) {
               return queries_.job(request, [this] { return sending_.stopping(); });
             });
  table_.add({.method = "DELETE",
              .pattern = "/v1/queues/{queue}/jobs/{id*}",
              .scope = Scope::kOperate,
              .id = "deleteJob",
              .summary = "Deletes a job",
              .parameters = {"account"},
              .reply = "CommandSent",
              .statuses = {202}},
             [this](Request request) { return gateway_.command(request, "delete"); });
  const auto add = [this](const char* op, const char* pattern, const char* id, const char* summary,
                          const char* body) {
    table_.add({.method = "POST",
                .pattern = pattern,
                .scope = Scope::kOperate,
                .id = id,
                .summary = summary,
                .parameters = {"account"},
                .body = body,
                .reply = "CommandSent",
                .statuses = {202}},
               [this, op](Request request) { return gateway_.command(request, op); });
  };
  add("cancel", "/v1/queues/{queue}/jobs/{id*}/cancel", "cancelJob", "Cancels a job", "");
  add("retry", "/v1/queues/{queue}/jobs/{id*}/retry", "retryJob",
      "Begins a new series of attempts now", "");
  add("reschedule", "/v1/queues/{queue}/jobs/{id*}/reschedule", "rescheduleJob",
      "Makes a waiting job wait until another time", "When");
}

void Routes::add_operations() {
  table_.add({.method = "GET",
              .pattern = "/v1/queues/{queue}/dead",
              .scope = Scope::kRead,
              .id = "listDead",
              .summary = "The records of the queue's dead topic",
              .parameters = {"reason", "type", "account", "from", "to", "limit", "after"},
              .reply = "Dead"},
             [this](Request request) { return dead_.list(request, request.value("queue")); });
  table_.add({.method = "POST",
              .pattern = "/v1/queues/{queue}/dead/resend",
              .scope = Scope::kOperate,
              .id = "resendDead",
              .summary = "Sends records of the dead topic back, each once",
              .body = "Resend",
              .reply = "Resent",
              .statuses = {200, 202}},
             [this](Request request) { return dead_.resend(request, request.value("queue")); });
  const auto add_pause = [this](const char* op, const char* pattern, const char* id,
                                const char* summary) {
    table_.add({.method = "POST",
                .pattern = pattern,
                .scope = Scope::kOperate,
                .id = id,
                .summary = summary,
                .parameters = {"type", "account", "by"},
                .reply = "PauseSet"},
               [this, op](Request request) {
                 return operations_.pause(request, request.value("queue"), op);
               });
  };
  add_pause("pause", "/v1/queues/{queue}/pause", "pause",
            "Pauses a queue, or one of its types or accounts");
  add_pause("resume", "/v1/queues/{queue}/resume", "resume",
            "Resumes a queue, or one of its types or accounts");
  table_.add({.method = "GET",
              .pattern = "/v1/pauses",
              .scope = Scope::kRead,
              .id = "listPauses",
              .summary = "What is paused",
              .reply = "Pauses"},
             [this](Request) { return operations_.pauses(); });
  table_.add({.method = "GET",
              .pattern = "/v1/limits",
              .scope = Scope::kRead,
              .id = "listLimits",
              .summary = "The limits: as configured, and as set",
              .reply = "Limits"},
             [this](Request) { return operations_.limits(source_.limit_uses()); });
  table_.add(
      {.method = "PUT",
       .pattern = "/v1/limits/{name*}",
       .scope = Scope::kOperate,
       .id = "setLimit",
       .summary = "Sets a limit",
       .body = "LimitToSet",
       .reply = "LimitSet"},
      [this](Request request) { return operations_.set_limit(request, request.value("name")); });
  table_.add({.method = "DELETE",
              .pattern = "/v1/limits/{name*}",
              .scope = Scope::kOperate,
              .id = "resetLimit",
              .summary = "Resets a limit to what the config says",
              .reply = "LimitSet"},
             [this](Request request) { return operations_.reset_limit(request.value("name")); });
}

std::string Routes::event(const Caller& caller) {
  const nlohmann::ordered_json data{{"at", format_rfc3339(request_time())},
                                    {"queues", queries_.all_queues(caller)}};
  return "event: status\ndata: " + json_text(data) + "\n\n";
}

ApiReply Routes::alive() {
  const std::string stuck = source_.stuck();
  if (stuck.empty()) return {.status = 200, .type = "text/plain", .body = "ok\n"};
  return reply_of(Problem{.status = 503, .detail = stuck});
}

ApiReply Routes::ready() {
  const std::string reason = source_.not_ready();
  if (reason.empty()) return {.status = 200, .type = "text/plain", .body = "ready\n"};
  return reply_of(Problem{.status = 503, .detail = reason});
}

ApiReply Routes::metrics() {
  return {.status = 200,
          .type = kMetricsType,
          .body = metrics_text(source_.status(), source_.not_ready().empty(), worker_.version)};
}

}  // namespace penstock
