#include "api/routes/queue_queries.h"

#include "api/request/problem.h"
#include "api/source/job_json.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNotHere = "partitions_not_here";

Json queue_json(const QueueStatus& status) {
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
  return json;
}

// The query's `limit`, or the default.
tl::expected<int, Problem> limit_of(const ApiRequest& request, int otherwise, int most) {
  if (!request.parameters.contains("limit")) return otherwise;
  const std::string_view text = request.parameter("limit");
  const auto limit = whole_number<int>(text);
  if (limit && *limit >= 1 && *limit <= most) return *limit;
  return tl::unexpected(Problem{
      .detail = "found limit \"" + std::string(text) + "\", expected 1 to " + std::to_string(most),
      .member = "limit"});
}

tl::expected<JobQuery, Problem> job_query(const ApiRequest& request, const std::string& queue) {
  if (auto problem =
          unknown_parameter(request, {"state", "type", "account", "bulk", "after", "limit"})) {
    return tl::unexpected(*std::move(problem));
  }
  JobQuery query{.queue = queue,
                 .state = {},
                 .type = std::string(request.parameter("type")),
                 .account = std::string(request.parameter("account")),
                 .bulk = std::string(request.parameter("bulk")),
                 .after = std::string(request.parameter("after")),
                 .limit = kDefaultListedJobs};
  if (const std::string_view state = request.parameter("state"); !state.empty()) {
    query.state = job_state_of(state);
    if (!query.state) {
      return tl::unexpected(Problem{.detail = "found state \"" + std::string(state) +
                                              "\", expected one of " + std::string(kJobStates),
                                    .member = "state"});
    }
  }
  const auto limit = limit_of(request, kDefaultListedJobs, kMaxListedJobs);
  if (!limit) return tl::unexpected(limit.error());
  query.limit = *limit;
  return query;
}

ApiReply which_account(const JobMatch& match, std::string detail) {
  Problem problem{.status = 409, .detail = std::move(detail), .member = "account"};
  for (const ShownJob& job : match.jobs) problem.more["accounts"].push_back(job.account);
  if (!match.not_here.empty()) problem.more[kNotHere] = match.not_here;
  return reply_of(problem);
}

}  // namespace

ApiReply ambiguous_id(const JobMatch& match) {
  return which_account(match,
                       "several accounts have a job with this id: name one of them with ?account=");
}

ApiReply unsure_account(const JobMatch& match) {
  return which_account(match,
                       "this worker does not own every partition of the queue, so another account "
                       "may have a job with this id too: name the account with ?account=");
}

ApiReply no_such_job(const JobMatch& match) {
  Problem problem{.status = 404, .detail = "there is no such job", .member = "id"};
  if (!match.not_here.empty()) {
    problem.detail =
        "there is no such job in the partitions that this instance owns: ask the others";
    problem.more[kNotHere] = match.not_here;
  }
  return reply_of(problem);
}

ApiReply QueueQueries::queues(const ApiRequest& request) {
  if (const auto problem = unknown_parameter(request, {})) return reply_of(*problem);
  Json queues = Json::array();
  for (const QueueStatus& status : source_.status()) queues.push_back(queue_json(status));
  return reply_of(200, {{"queues", std::move(queues)}});
}

ApiReply QueueQueries::queue(const ApiRequest& request, const std::string& queue) {
  if (const auto problem = unknown_parameter(request, {})) return reply_of(*problem);
  const auto status = source_.status(queue);
  return status ? reply_of(200, queue_json(*status)) : reply_of(status.error());
}

ApiReply QueueQueries::jobs(const ApiRequest& request, const std::string& queue) {
  const auto query = job_query(request, queue);
  if (!query) return reply_of(query.error());
  const auto listing = source_.list(*query);
  if (!listing) return reply_of(listing.error());
  Json jobs = Json::array();
  for (const ShownJob& job : listing->jobs) jobs.push_back(job_json(job));
  return reply_of(200, {{"jobs", std::move(jobs)},
                        {"after", listing->after.empty() ? Json() : Json(listing->after)},
                        {kNotHere, listing->not_here}});
}

ApiReply QueueQueries::job(const ApiRequest& request, const std::string& queue,
                           const std::string& id) {
  if (const auto problem = unknown_parameter(request, {"account"})) return reply_of(*problem);
  const auto match = source_.find(queue, id, request.parameter("account"));
  if (!match) return reply_of(match.error());
  if (match->jobs.empty()) return no_such_job(*match);
  if (match->jobs.size() > 1) return ambiguous_id(*match);
  Json json = job_json(match->jobs.front());
  // other partitions may have more jobs with this id
  if (!match->not_here.empty()) json[kNotHere] = match->not_here;
  return reply_of(200, json);
}

ApiReply QueueQueries::bulks(const ApiRequest& request, const std::string& queue) {
  if (const auto problem = unknown_parameter(request, {"account", "after", "limit"}))
    return reply_of(*problem);
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

ApiReply QueueQueries::accounts(const ApiRequest& request, const std::string& queue) {
  if (const auto problem = unknown_parameter(request, {"limit"})) return reply_of(*problem);
  const auto limit = limit_of(request, kDefaultListedAccounts, kMaxListedAccounts);
  if (!limit) return reply_of(limit.error());
  const auto listing = source_.busiest(queue, *limit);
  if (!listing) return reply_of(listing.error());
  Json accounts = Json::array();
  for (const AccountLoad& load : listing->accounts) {
    accounts.push_back({{"account", load.account}, {"jobs", load.jobs}, {"running", load.running}});
  }
  return reply_of(200, {{"accounts", std::move(accounts)},
                        {"complete", listing->complete},
                        {kNotHere, listing->not_here}});
}

}  // namespace penstock
