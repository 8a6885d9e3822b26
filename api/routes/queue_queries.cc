#include "api/routes/queue_queries.h"

#include "api/request/job_filter.h"
#include "api/request/job_match_reply.h"
#include "api/request/problem.h"
#include "api/source/job_json.h"
#include "topics/values/rfc3339.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json time_json(Time time) { return time == Time{} ? Json() : Json(format_rfc3339(time)); }

Json counts_json(const TaskCounters& counters) {
  return {{"admitted", counters.admitted},
          {"succeeded", counters.succeeded},
          {"dead", counters.dead},
          {"cancelled", counters.cancelled},
          {"duplicate", counters.duplicate},
          {"expired", counters.expired},
          {"bad", counters.bad},
          {"started", counters.started},
          {"failed", counters.failed},
          {"snoozed", counters.snoozed}};
}

void add_census(Json& json, const JobCensus& census) {
  constexpr std::size_t kShownGroups = 50;
  json["census_at"] = time_json(census.at);
  json["states"] = Json(census.states);
  json["waiting"] = Json(census.waiting);
  json["failures"] = Json::array();
  for (const JobCensus::Group& group : census.failures) {
    if (json["failures"].size() >= kShownGroups) break;
    json["failures"].push_back({{"type", group.type},
                                {"error", group.error},
                                {"dead", group.dead},
                                {"jobs", group.jobs},
                                {"last", time_json(group.last)},
                                {"id", group.id},
                                {"account", group.account}});
  }
}

// The query's `limit`, or the default.
tl::expected<int, Problem> limit_of(const ApiRequest& request, int otherwise, int most) {
  if (!request.parameters.contains("limit")) return otherwise;
  const std::string_view text = request.parameter("limit");
  const auto limit = whole_number<int>(text);
  if (limit && *limit >= 1 && *limit <= most) return *limit;
  return tl::unexpected(Problem{
      .detail = "found limit \"" + std::string(text) + "\", expected 1 to " + std::to_string(most),
      .member = "limit",
      .kind = "bad-parameter"});
}

tl::expected<JobQuery, Problem> job_query(const ApiRequest& request) {
  JobQuery query{.queue = request.value("queue"), .after = std::string(request.parameter("after"))};
  for (const std::string& name : job_filters()) {
    if (auto problem = set_filter(query, name, std::string(request.parameter(name)), name))
      return tl::unexpected(*std::move(problem));
  }
  const auto limit = limit_of(request, kDefaultListedJobs, kMaxListedJobs);
  if (!limit) return tl::unexpected(limit.error());
  query.limit = *limit;
  return query;
}

}  // namespace

Json QueueQueries::queue_json(const QueueStatus& status) {
  Json json{{"queue", status.queue},
            {"partitions", status.partitions},
            {"account_concurrency", status.account_concurrency},
            {"running", status.running},
            {"ready_accounts", status.ready_flows},
            {"jobs", status.job_rows},
            {"oldest_ready_ms", status.oldest_ready.count()},
            {"overdue_ms", status.overdue.count()},
            {"phases", status.phases},
            {"item_ms", Json::object()},
            {kNotHere, status.not_here}};
  for (const auto& [type, took] : status.item_times) {
    json["item_ms"][type] = static_cast<double>(took.count()) / 1000;
  }
  if (status.silent_loops > 0) json["silent_loops"] = status.silent_loops;
  json["counts"] = counts_json(status.counters);
  const History::Rates rates = history_.rates(status.queue);
  json["rates"] = {{"in", rates.in}, {"out", rates.out}, {"failed", rates.failed}};
  if (const auto census = source_.census(status.queue)) add_census(json, *census);
  return json;
}

Json QueueQueries::all_queues(const Caller& caller) {
  Json queues = Json::array();
  for (const QueueStatus& status : source_.status()) {
    if (caller.sees(status.queue)) queues.push_back(queue_json(status));
  }
  return queues;
}

ApiReply QueueQueries::queues(const ApiRequest& request) {
  return reply_of(200, {{"queues", all_queues(request.caller)}});
}

ApiReply QueueQueries::queue(const ApiRequest& request) {
  const auto status = source_.status(request.value("queue"));
  return status ? reply_of(200, queue_json(*status)) : reply_of(status.error());
}

ApiReply QueueQueries::history(const ApiRequest& request) {
  const std::string& queue = request.value("queue");
  if (!source_.has_queue(queue)) return no_such_queue(queue);
  Json points = Json::array();
  for (const History::Point& point : history_.points(queue)) {
    points.push_back({{"at", format_rfc3339(point.at)},
                      {"in", point.in},
                      {"out", point.out},
                      {"failed", point.failed},
                      {"running", point.running},
                      {"jobs", point.jobs},
                      {"oldest_ready_ms", point.oldest_ready.count()}});
  }
  return reply_of(
      200, {{"step_ms", std::chrono::milliseconds(History::kStep).count()}, {"points", points}});
}

ApiReply QueueQueries::jobs(const ApiRequest& request) {
  const auto query = job_query(request);
  if (!query) return reply_of(query.error());
  const auto listing = source_.list(*query);
  if (!listing) return reply_of(listing.error());
  Json jobs = Json::array();
  for (const ShownJob& job : listing->jobs) jobs.push_back(job_json(job));
  return reply_of(200, {{"jobs", std::move(jobs)},
                        {"after", listing->after.empty() ? Json() : Json(listing->after)},
                        {kNotHere, listing->not_here}});
}

ApiReply QueueQueries::job(const ApiRequest& request, const std::function<bool()>& stopped) {
  const auto asked = AskedWait::of(request);
  if (!asked) return reply_of(asked.error());
  const auto match =
      source_.find(request.value("queue"), request.value("id"), request.parameter("account"));
  if (!match) return reply_of(match.error());
  if (match->jobs.empty()) return no_such_job(*match);
  if (match->jobs.size() > 1) return ambiguous_id(*match);
  const ShownJob& job = match->jobs.front();
  // A job that is listed was admitted.
  if (asked->what == AskedWait::For::kEnd && !is_terminal(job.state))
    return await_end(request, *asked, job, stopped);
  Json json = job_json(job);
  // other partitions may have more jobs with this id
  if (!match->not_here.empty()) json[kNotHere] = match->not_here;
  return reply_of(200, json);
}

ApiReply QueueQueries::await_end(const ApiRequest& request, const AskedWait& asked,
                                 const ShownJob& job, const std::function<bool()>& stopped) {
  auto wait = JobWait::begin(source_, request.value("queue"), {{job.account, job.id}}, asked);
  if (!wait) return reply_of(wait.error());
  // It may have ended before the watch began.
  auto now = source_.find(request.value("queue"), job.id, job.account);
  WaitedState end;
  if (now && !now->jobs.empty() && !is_terminal(now->jobs.front().state)) {
    wait->sent(0, job.offset);
    end = wait->wait(stopped).front();
    now = source_.find(request.value("queue"), job.id, job.account);
  }
  if (!now) return reply_of(now.error());
  if (!now->jobs.empty()) return reply_of(200, job_json(now->jobs.front()));
  // It was not kept. What is known of it is how it was, and how it ended.
  Json json = job_json(job);
  json["state"] = end.state.empty() ? Json() : Json(end.state);
  json["reason"] = end.reason.empty() ? Json() : Json(end.reason);
  json["why"] = json["waits_for"] = Json();
  json["blocked_by"] = Json::array();
  return reply_of(200, json);
}

ApiReply QueueQueries::bulks(const ApiRequest& request) {
  const std::string& queue = request.value("queue");
  const auto limit = limit_of(request, kDefaultListedBulks, kMaxListedBulks);
  if (!limit) return reply_of(limit.error());
  const auto listing = source_.bulks({.queue = queue,
                                      .account = std::string(request.parameter("account")),
                                      .after = std::string(request.parameter("after")),
                                      .limit = *limit});
  if (!listing) return reply_of(listing.error());
  Json bulks = Json::array();
  for (const ShownBulk& bulk : listing->bulks) bulks.push_back(bulk_json(bulk, queue));
  return reply_of(200, {{"bulks", std::move(bulks)},
                        {"after", listing->after.empty() ? Json() : Json(listing->after)},
                        {kNotHere, listing->not_here}});
}

ApiReply QueueQueries::accounts(const ApiRequest& request) {
  const std::string& queue = request.value("queue");
  const auto limit = limit_of(request, kDefaultListedAccounts, kMaxListedAccounts);
  if (!limit) return reply_of(limit.error());
  const std::string_view by = request.parameter("by");
  if (by == "oldest") return oldest_accounts(queue, *limit);
  if (!by.empty() && by != "line" && by != "running") {
    return reply_of(
        Problem{.detail = "found by=" + std::string(by) + ", expected line, running or oldest",
                .member = "by",
                .kind = "bad-parameter"});
  }
  const auto listing = source_.busiest(
      queue, *limit, by == "running" ? AccountOrder::kRunning : AccountOrder::kLine);
  if (!listing) return reply_of(listing.error());
  Json accounts = Json::array();
  for (const AccountLoad& load : listing->accounts) {
    accounts.push_back({{"account", load.account}, {"jobs", load.jobs}, {"running", load.running}});
  }
  return reply_of(200, {{"accounts", std::move(accounts)},
                        {"complete", listing->complete},
                        {kNotHere, listing->not_here}});
}

ApiReply QueueQueries::oldest_accounts(const std::string& queue, int limit) {
  const auto census = source_.census(queue);
  if (!census) return reply_of(census.error());
  Json accounts = Json::array();
  for (const JobCensus::Account& account : census->oldest) {
    if (accounts.size() >= static_cast<std::size_t>(limit)) break;
    accounts.push_back({{"account", account.account},
                        {"jobs", account.jobs},
                        {"running", account.running},
                        {"oldest", format_rfc3339(account.oldest)}});
  }
  return reply_of(200, {{"accounts", std::move(accounts)},
                        {"complete", census->at != Time{}},
                        {"census_at", time_json(census->at)}});
}

ApiReply QueueQueries::breakers(const ApiRequest& request) {
  Json breakers = Json::array();
  for (const OpenBreaker& breaker : source_.breakers()) {
    if (!request.caller.sees(breaker.queue)) continue;
    breakers.push_back({{"queue", breaker.queue},
                        {"type", breaker.type},
                        {"account", breaker.account},
                        {"state", breaker.probes ? "half_open" : "open"},
                        {"failures", breaker.failures},
                        {"since", time_json(breaker.since)},
                        {"until", time_json(breaker.next_probe)}});
  }
  return reply_of(200, {{"breakers", std::move(breakers)}});
}

}  // namespace penstock
