#include "api/gateway/job_actions.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "api/gateway/deliveries.h"
#include "api/request/job_filter.h"
#include "api/request/json_body.h"
#include "api/request/when.h"
#include "api/source/job_json.h"

namespace penstock {
namespace {

using ActionJson = nlohmann::ordered_json;
using ActionClock = std::chrono::steady_clock;

Problem bad_member(const std::string& name, std::string detail) {
  return {.status = 422, .detail = std::move(detail), .member = "/" + name};
}

}  // namespace

struct JobActions::Action {
  AskedCommand command;
  JobQuery query;
  bool live_only = false;  // a cancel does nothing to a job that has ended
  bool dry_run = false, all = false;
  int limit = kDefaultLimit;

  static tl::expected<Action, Problem> read(const ApiRequest& request) {
    nlohmann::json body;
    if (auto problem = read_object(request, body)) return tl::unexpected(*std::move(problem));
    Action action;
    action.query.queue = request.value("queue");
    bool has_limit = false;
    for (const auto& [name, value] : body.items()) {
      has_limit = has_limit || name == "limit";
      if (auto problem = action.set(name, value)) return tl::unexpected(*std::move(problem));
    }
    if (auto problem = action.settle(body)) return tl::unexpected(*std::move(problem));
    if (action.dry_run && !has_limit) action.limit = kMaxCounted;
    return action;
  }

 private:
  std::optional<Problem> set(const std::string& name, const nlohmann::json& value) {
    const auto& filters = job_filters();
    if (std::find(filters.begin(), filters.end(), name) != filters.end()) {
      if (!value.is_string()) return bad_member(name, "\"" + name + "\": expected a text");
      // An empty one would select everything, such as when a script's variable is not set.
      if (value.get<std::string>().empty())
        return bad_member(name, "\"" + name + "\" is empty: leave it out to select any");
      auto problem = set_filter(query, name, value.get<std::string>(), "/" + name);
      if (problem) problem->status = 422;
      return problem;
    }
    if (name == "op" || name == "after") {
      if (!value.is_string()) return bad_member(name, "\"" + name + "\": expected a text");
      (name == "op" ? command.op : query.after) = value.get<std::string>();
      return std::nullopt;
    }
    if (name == "dry_run" || name == "all") {
      if (!value.is_boolean()) return bad_member(name, "\"" + name + "\": expected true or false");
      (name == "all" ? all : dry_run) = value.get<bool>();
      return std::nullopt;
    }
    if (name == "limit") {
      if (value.is_number_integer() && value >= 1 && value <= kMaxCounted) {
        limit = value.get<int>();
        return std::nullopt;
      }
      return bad_member(name,
                        "\"limit\": expected an integer from 1 to " + std::to_string(kMaxLimit));
    }
    if (name == "run_at" || name == "in") return std::nullopt;  // settle() reads them
    return bad_member(name, "found the member \"" + name +
                                "\", expected op, state, type, account, bulk, error, id, from, "
                                "to, run_at, in, dry_run, limit, after or all");
  }

  // What depends on several members.
  std::optional<Problem> settle(const nlohmann::json& body) {
    static const std::set<std::string> kOps{"cancel", "retry", "reschedule", "delete"};
    if (!kOps.contains(command.op))
      return bad_member("op", "\"op\": expected cancel, retry, reschedule or delete");
    if (command.op == "reschedule") {
      auto time = asked_time(body, request_time());
      if (!time) return time.error();
      command.run_at = *time;
    } else if (body.contains("run_at") || body.contains("in")) {
      return bad_member(body.contains("in") ? "in" : "run_at", "a time is for a reschedule only");
    }
    if (!dry_run && limit > kMaxLimit)
      return bad_member("limit",
                        "\"limit\": expected an integer from 1 to " + std::to_string(kMaxLimit));
    if (query.selects_all() && !all && !dry_run)
      return bad_member("all",
                        "without a filter this changes every job of the queue: set "
                        "\"all\" to true if it is meant");
    live_only = !query.state && (command.op == "cancel" || command.op == "reschedule");
    if (!query.state && command.op == "retry") query.state = JobState::kDead;
    return std::nullopt;
  }
};

struct JobActions::Progress {
  std::size_t matched = 0, sent = 0;
  std::string after;
  std::set<PartitionId> not_here;
  ActionJson sample = ActionJson::array(), errors = ActionJson::array();

  [[nodiscard]] ActionJson json(const Action& action) const {
    return {{"op", action.command.op},
            {"dry_run", action.dry_run},
            {"matched", matched},
            {"sent", sent},
            {"after", after.empty() ? ActionJson() : ActionJson(after)},
            {"partitions_not_here", not_here},
            {"sample", sample},
            {"errors", errors}};
  }
};

ApiReply JobActions::act(const ApiRequest& request) {
  if (!source_.has_queue(request.value("queue"))) return no_such_queue(request.value("queue"));
  const auto action = Action::read(request);
  if (!action) return reply_of(action.error());
  JobQuery query = action->query;
  Progress progress;
  const auto end = ActionClock::now() + kMaxTime;
  for (;;) {
    const auto left = static_cast<std::size_t>(action->limit) - progress.matched;
    query.limit = static_cast<int>(std::min<std::size_t>(left, kMaxListedJobs));
    auto listing = source_.list(query);
    if (!listing) return reply_of(listing.error());
    progress.not_here.insert(listing->not_here.begin(), listing->not_here.end());
    std::vector<ShownJob> jobs = std::move(listing->jobs);
    if (action->live_only)
      std::erase_if(jobs, [](const ShownJob& job) { return is_terminal(job.state); });
    progress.matched += jobs.size();
    for (const ShownJob& job : jobs) {
      if (progress.sample.size() < kMaxSample) progress.sample.push_back(job_json(job));
    }
    if (!action->dry_run) {
      // The position stays at the page's beginning, so that continuing there sends it again.
      if (auto problem = send(*action, jobs, progress)) {
        problem->more = progress.json(*action);
        return reply_of(*problem);
      }
    }
    progress.after = query.after = std::move(listing->after);
    if (query.after.empty() || progress.matched >= static_cast<std::size_t>(action->limit) ||
        ActionClock::now() >= end || sending_.stopping())
      break;
  }
  return reply_of(action->dry_run ? 200 : 202, progress.json(*action));
}

std::optional<Problem> JobActions::send(const Action& action, const std::vector<ShownJob>& jobs,
                                        Progress& progress) {
  const auto deliveries = std::make_shared<Deliveries>(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    sending_.send(action.query.queue, jobs[i].account, command_record(action.command, jobs[i].id),
                  deliveries->callback(i));
  }
  const auto* const answers = deliveries->wait([this] { return sending_.stopping(); });
  if (!answers)
    return Problem{.status = 503, .detail = "the worker is stopping: continue with another one"};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& failure = (*answers)[i].failure;
    if (!failure) {
      ++progress.sent;
    } else if (progress.errors.size() < kMaxSample) {
      progress.errors.push_back(
          {{"id", jobs[i].id}, {"account", jobs[i].account}, {"detail", failure->message}});
    }
  }
  if (progress.errors.empty()) return std::nullopt;
  return Problem{.status = 503,
                 .detail = "Kafka has not acknowledged every command: continue with `after`",
                 .kind = "not-acknowledged"};
}

}  // namespace penstock
