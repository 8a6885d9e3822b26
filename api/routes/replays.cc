#include "api/routes/replays.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/request/json_body.h"
#include "api/request/problem.h"
#include "consumer/operate/replay_dry_run.h"

namespace penstock {
namespace {

using ReplaysJson = nlohmann::ordered_json;

Time request_time() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

std::string requester(const ApiRequest& request) {
  const std::string_view by = request.parameter("by");
  return by.empty() ? "HTTP" : std::string(by);
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

ApiReply ReplayRoutes::answer(const ApiRequest& request, const std::string& queue,
                              std::string_view rest) {
  if (rest.empty()) {
    if (request.method == "POST") return start(request, queue);
    return request.is_read() ? list(request, queue) : wrong_method(request, "GET, POST");
  }
  rest.remove_prefix(1);
  const std::size_t slash = rest.find('/');
  const ReplayTarget target{queue, std::string(rest.substr(0, slash))};
  if (slash != std::string_view::npos) {
    static const std::map<std::string_view, ReplayChange> kChanges = {
        {"pause", ReplayChange::kPause},
        {"resume", ReplayChange::kResume},
        {"cancel", ReplayChange::kCancel}};
    const auto found = kChanges.find(rest.substr(slash + 1));
    if (found == kChanges.end()) return no_such_path(request);
    if (request.method != "POST") return wrong_method(request, "POST");
    return change(request, target, found->second);
  }
  if (const auto problem = unknown_parameter(request, {})) return reply_of(*problem);
  if (request.is_read()) return view_reply(desk_().show(target));
  if (request.method == "DELETE") return view_reply(desk_().remove(target));
  return wrong_method(request, "GET, DELETE");
}

ApiReply ReplayRoutes::list(const ApiRequest& request, const std::string& queue) {
  if (const auto problem = unknown_parameter(request, {})) return reply_of(*problem);
  const auto views = desk_().list(queue);
  if (!views) return problem_reply(views.error());
  ReplaysJson replays = ReplaysJson::array();
  for (const ReplayView& view : *views) replays.push_back(to_json(view, request_time(), false));
  return reply_of(200, {{"replays", std::move(replays)}});
}

ApiReply ReplayRoutes::start(const ApiRequest& request, const std::string& queue) {
  if (const auto problem = unknown_parameter(request, {"dry_run", "by"})) return reply_of(*problem);
  const std::string_view dry = request.parameter("dry_run");
  if (!dry.empty() && dry != "true" && dry != "false") {
    return reply_of(
        Problem{.detail = "found dry_run=" + std::string(dry) + ", expected true or false",
                .member = "dry_run"});
  }
  AskedReplay asked;
  if (const auto problem = read_body(request, dry != "true", asked)) return reply_of(*problem);
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

ApiReply ReplayRoutes::change(const ApiRequest& request, const ReplayTarget& target,
                              ReplayChange change) {
  if (const auto problem = unknown_parameter(request, {"by"})) return reply_of(*problem);
  return view_reply(desk_().change(target, change, requester(request), request_time()));
}

}  // namespace penstock
