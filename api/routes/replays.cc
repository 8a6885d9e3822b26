#include "api/routes/replays.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "api/request/json_body.h"
#include "api/request/problem.h"
#include "consumer/operate/replay_dry_run.h"

namespace penstock {
namespace {

using ReplaysJson = nlohmann::ordered_json;

ReplayTarget target_of(const ApiRequest& request) {
  return {request.value("queue"), request.value("id")};
}

ApiReply problem_reply(const ReplayProblem& problem) {
  static constexpr int kStatus[] = {404, 409, 422, 503};
  ApiReply reply = reply_of(Problem{.status = kStatus[static_cast<std::size_t>(problem.kind)],
                                    .detail = problem.message,
                                    .member = problem.member});
  if (problem.kind == ReplayProblem::Kind::kUnavailable) reply.headers["Retry-After"] = "1";
  return reply;
}

ApiReply view_reply(const ReplayAnswer<ReplayView>& view, int status = 200) {
  return view ? reply_of(status, to_json(*view, request_time(), true))
              : problem_reply(view.error());
}

// The terms of a request's body, and the replay's name.
struct AskedReplay {
  std::string name;
  ReplayTerms terms;
};

std::optional<Problem> read_body(const ApiRequest& request, bool needs_name, AskedReplay& asked) {
  nlohmann::json json;
  if (auto problem = read_object(request, json)) return problem;
  if (const auto id = json.find("id"); id != json.end()) {
    if (!id->is_string())
      return Problem{.status = 422, .detail = "\"id\": expected a text", .member = "/id"};
    asked.name = id->get<std::string>();
    json.erase("id");
  } else if (needs_name) {
    return Problem{.status = 422, .detail = "\"id\" is missing: name the replay", .member = "/id"};
  }
  std::string at_fault;
  auto terms = parse_replay_terms(json, &at_fault);
  if (!terms)
    return Problem{.status = 422, .detail = terms.error().message, .member = std::move(at_fault)};
  // Whoever can send a request here could otherwise run any program on every worker.
  if (!terms->through.empty()) {
    return Problem{.status = 422,
                   .detail =
                       "a program is named on the command line only: use `penstock replay "
                       "start --through`",
                   .member = "/through"};
  }
  asked.terms = *std::move(terms);
  return std::nullopt;
}

}  // namespace

void ReplayRoutes::add_to(RouteTable& table) {
  table.add({.method = "GET",
             .pattern = "/v1/queues/{queue}/replays",
             .scope = Scope::kRead,
             .id = "listReplays",
             .summary = "The queue's replays",
             .reply = "Replays"},
            [this](const ApiRequest& request) { return list(request); });
  table.add({.method = "POST",
             .pattern = "/v1/queues/{queue}/replays",
             .scope = Scope::kOperate,
             .id = "startReplay",
             .summary = "Starts a replay, or counts what it would copy",
             .parameters = {"dry_run", "by"},
             .body = "ReplayToStart",
             .reply = "Replay",
             .statuses = {200, 201}},
            [this](const ApiRequest& request) { return start(request); });
  table.add({.method = "GET",
             .pattern = "/v1/queues/{queue}/replays/{id}",
             .scope = Scope::kRead,
             .id = "getReplay",
             .summary = "One replay",
             .reply = "Replay"},
            [this](const ApiRequest& request) { return show(request); });
  table.add({.method = "DELETE",
             .pattern = "/v1/queues/{queue}/replays/{id}",
             .scope = Scope::kOperate,
             .id = "deleteReplay",
             .summary = "Deletes a replay that has finished or was cancelled",
             .reply = "Replay"},
            [this](const ApiRequest& request) { return remove(request); });
  const auto add = [this, &table](ReplayChange to, const char* pattern, const char* id,
                                  const char* summary) {
    table.add({.method = "POST",
               .pattern = pattern,
               .scope = Scope::kOperate,
               .id = id,
               .summary = summary,
               .parameters = {"by"},
               .reply = "Replay"},
              [this, to](const ApiRequest& request) { return change(request, to); });
  };
  add(ReplayChange::kPause, "/v1/queues/{queue}/replays/{id}/pause", "pauseReplay",
      "Pauses a replay");
  add(ReplayChange::kResume, "/v1/queues/{queue}/replays/{id}/resume", "resumeReplay",
      "Resumes a replay");
  add(ReplayChange::kCancel, "/v1/queues/{queue}/replays/{id}/cancel", "cancelReplay",
      "Cancels a replay");
}

ApiReply ReplayRoutes::show(const ApiRequest& request) {
  return view_reply(desk_().show(target_of(request)));
}

ApiReply ReplayRoutes::remove(const ApiRequest& request) {
  return view_reply(desk_().remove(target_of(request)));
}

ApiReply ReplayRoutes::list(const ApiRequest& request) {
  const auto views = desk_().list(request.value("queue"));
  if (!views) return problem_reply(views.error());
  ReplaysJson replays = ReplaysJson::array();
  for (const ReplayView& view : *views) replays.push_back(to_json(view, request_time(), false));
  return reply_of(200, {{"replays", std::move(replays)}});
}

ApiReply ReplayRoutes::start(const ApiRequest& request) {
  const std::string& queue = request.value("queue");
  const std::string_view dry = request.parameter("dry_run");
  if (!dry.empty() && dry != "true" && dry != "false") {
    return reply_of(
        Problem{.detail = "found dry_run=" + std::string(dry) + ", expected true or false",
                .member = "dry_run"});
  }
  AskedReplay asked;
  if (const auto problem = read_body(request, dry != "true", asked)) return reply_of(*problem);
  if (!asked.terms.to_queue.empty() && !request.caller.sees(asked.terms.to_queue)) {
    return reply_of(
        Problem{.status = 403,
                .detail = "the token is for other queues than \"" + asked.terms.to_queue + "\"",
                .member = "/to_queue",
                .kind = "missing-scope"});
  }
  if (dry == "true") return count(queue, asked.terms);
  const auto view =
      desk_().start({queue, asked.name}, asked.terms, requester(request), request_time());
  return view_reply(view, view && view->made ? 201 : 200);
}

ApiReply ReplayRoutes::count(const std::string& queue, const ReplayTerms& terms) {
  struct Turn {
    explicit Turn(std::atomic<int>& of) : runs(of), number(++of) {}
    ~Turn() { --runs; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    std::atomic<int>& runs;
    const int number;
  };
  const Turn turn(dry_runs_);
  if (turn.number > kMaxDryRuns) {
    return problem_reply({ReplayProblem::Kind::kUnavailable,
                          "other dry runs are being made: try again when they are over"});
  }
  ReplayDesk desk = desk_();
  const auto found = dry_run(
      desk, queue, terms, {.records = kMaxDryRunRecords, .time = kMaxDryRunTime, .stopped = [this] {
                             return stopping_.load();
                           }});
  return found ? reply_of(200, to_json(*found)) : problem_reply(found.error());
}

ApiReply ReplayRoutes::change(const ApiRequest& request, ReplayChange change) {
  return view_reply(desk_().change(target_of(request), change, requester(request), request_time()));
}

}  // namespace penstock
