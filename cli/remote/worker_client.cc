#include "cli/remote/worker_client.h"

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "api/server/token_files.h"
#include "cli/remote/json_text.h"
#include "topics/values/trimmed.h"

namespace penstock {
namespace {

constexpr int kWorkerConflict = 409, kWorkerChoices = 300, kWorkerNotFound = 404, kWorkerOk = 200;

std::string jobs_path(std::string_view queue) { return queue_target(queue, "/jobs"); }

bool is_job(const JobJson& json) {
  const auto has_text = [&json](const char* name) {
    const auto it = json.find(name);
    return it != json.end() && it->is_string();
  };
  return json.is_object() && has_text("id") && has_text("account");
}

// The elements are jobs or bulks; both have an id and an account.
std::optional<std::vector<JobJson>> jobs_of(const JobJson& body, const char* member) {
  if (!body.is_object() || !body.contains(member) || !body[member].is_array()) return std::nullopt;
  std::vector<JobJson> jobs(body[member].begin(), body[member].end());
  for (const JobJson& job : jobs) {
    if (!is_job(job)) return std::nullopt;
  }
  return jobs;
}

std::optional<std::vector<std::string>> accounts_of(const JobJson& body) {
  if (!body.is_object() || !body.contains("accounts") || !body["accounts"].is_array()) {
    return std::nullopt;
  }
  std::vector<std::string> accounts;
  for (const JobJson& account : body["accounts"]) {
    if (!account.is_string()) return std::nullopt;
    accounts.push_back(account.get<std::string>());
  }
  return accounts;
}

// An older worker that does not report any has none.
std::vector<PartitionId> not_here_of(const JobJson& body) {
  std::vector<PartitionId> partitions;
  if (!body.is_object() || !body.contains("partitions_not_here")) return partitions;
  for (const JobJson& partition : body["partitions_not_here"]) {
    if (partition.is_number_integer()) partitions.push_back(partition.get<PartitionId>());
  }
  return partitions;
}

tl::unexpected<WorkerError> no_answer(std::string message, bool not_found = false) {
  return tl::unexpected(WorkerError{{std::move(message)}, not_found});
}

}  // namespace

bool JobFilter::selects() const {
  for (const std::string* filter :
       {&state, &type, &account, &bulk, &error, &id_begins, &from, &to}) {
    if (!filter->empty()) return true;
  }
  return false;
}

FromWorker<JobPage> WorkerClient::list(const JobFilter& filter, std::string_view after, int limit) {
  TargetQuery query;
  query.add("state", filter.state);
  query.add("type", filter.type);
  query.add("account", filter.account);
  query.add("bulk", filter.bulk);
  query.add("error", filter.error);
  query.add("id", filter.id_begins);
  query.add("from", filter.from);
  query.add("to", filter.to);
  query.add("after", after);
  query.add("limit", std::to_string(limit));
  return page(jobs_path(filter.queue) + query.text(), "jobs");
}

FromWorker<JobPage> WorkerClient::bulks(const JobFilter& filter, std::string_view after,
                                        int limit) {
  TargetQuery query;
  query.add("account", filter.account);
  query.add("after", after);
  query.add("limit", std::to_string(limit));
  return page(queue_target(filter.queue, "/bulks") + query.text(), "bulks");
}

FromWorker<std::optional<std::chrono::microseconds>> WorkerClient::item_time(
    std::string_view queue, std::string_view type) {
  using Time = std::optional<std::chrono::microseconds>;
  const auto body = get(queue_target(queue));
  if (!body) return tl::unexpected(body.error());
  const auto times = body->find("item_ms");
  if (times == body->end() || !times->is_object()) return link_.not_understood();
  const auto found = times->find(std::string(type));
  if (found == times->end()) return Time();
  if (!found->is_number()) return link_.not_understood();
  return Time(std::chrono::microseconds(std::llround(found->get<double>() * 1000)));
}

FromWorker<JobPage> WorkerClient::page(const std::string& target, const char* member) {
  const auto body = get(target);
  if (!body) return tl::unexpected(body.error());
  auto jobs = jobs_of(*body, member);
  if (!jobs) return link_.not_understood();
  return JobPage{.jobs = *std::move(jobs),
                 .after = text_member(*body, "after"),
                 .not_here = not_here_of(*body)};
}

FromWorker<std::optional<std::size_t>> WorkerClient::bulk_size(const std::string& queue,
                                                               const std::string& account,
                                                               std::string_view id) {
  using Size = std::optional<std::size_t>;
  JobFilter filter;
  filter.queue = queue;
  filter.account = account;
  std::string after;
  do {
    auto page = bulks(filter, after, kMaxPage);
    if (!page) return tl::unexpected(page.error());
    for (const JobJson& bulk : page->jobs) {
      if (text_member(bulk, "id") != id || text_member(bulk, "account") != account) continue;
      const auto size = bulk.find("size");
      if (size == bulk.end() || !size->is_number_unsigned()) return link_.not_understood();
      return Size(size->get<std::size_t>());
    }
    if (!page->not_here.empty()) {
      return no_answer(
          "the worker at " + name() + " does not own partition " +
          std::to_string(page->not_here.front()) +
          ", which is the account's, so it does not know whether the bulk has been sent "
          "before: name the worker that does, with --http HOST:PORT");
    }
    after = std::move(page->after);
  } while (!after.empty());
  return Size();
}

FromWorker<JobLookup> WorkerClient::find(std::string_view queue, std::string_view id,
                                         std::string_view account) {
  TargetQuery query;
  query.add("account", account);
  const auto answer =
      link_.ask({.target = jobs_path(queue) + "/" + percent_encoded(id) + query.text()});
  if (!answer) return tl::unexpected(answer.error());
  JobLookup lookup;
  if (answer->status == kWorkerOk) {
    if (!is_job(answer->body)) return link_.not_understood();
    lookup.job = answer->body;
  } else if (answer->status == kWorkerChoices || answer->status == kWorkerConflict) {
    auto accounts = accounts_of(answer->body);
    if (!accounts) return link_.refused(*answer);
    lookup.accounts = *std::move(accounts);
  } else if (answer->status != kWorkerNotFound || text_member(answer->body, "member") == "queue") {
    return link_.refused(*answer);
  }
  // A 404 for the job itself gets here, too: it is an answer, which may depend on other partitions.
  lookup.not_here = not_here_of(answer->body);
  return lookup;
}

FromWorker<JobJson> WorkerClient::get(const std::string& target) {
  auto answer = link_.ask({.target = target});
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != kWorkerOk) return link_.refused(*answer);
  if (!answer->body.is_object()) return link_.not_understood();
  return std::move(answer->body);
}

FromWorker<JobJson> WorkerClient::send(const char* method, const std::string& target,
                                       const std::string& body) {
  auto answer = link_.ask({.method = method, .target = target, .body = body});
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status / 100 != 2) return link_.refused(*answer);
  if (!answer->body.is_object()) return link_.not_understood();
  return std::move(answer->body);
}

namespace {

// The variable stands in for the file, as the other variables do for what is in the config.
Result<std::string> token_for(const Config& config) {
  const char* const given = std::getenv("PENSTOCK_TOKEN");
  const std::string_view token = given == nullptr ? "" : trimmed(given);
  if (token.empty()) return read_token_file(config.http.token_file);
  for (const char c : token) {
    // It becomes part of a header.
    if (c <= ' ' || c > '~')
      return failure("PENSTOCK_TOKEN: found a space or a character that is not ASCII");
  }
  return std::string(token);
}

}  // namespace

Result<WorkerClient> worker_client(const Config& config, const RemoteOptions& options) {
  const bool named = !options.http.empty();
  auto address = parse_worker_address(named ? options.http : config.http.listen);
  if (!address) return failure("--http: " + address.error().message);
  if (address->port == 0) {
    return failure(
        "/http/listen in the config file has port 0, so a worker may be at any port: name it "
        "with --http HOST:PORT");
  }
  if (!named && (address->host == "0.0.0.0" || address->host == "::")) {
    address->host = address->host == "::" ? "::1" : "127.0.0.1";  // any address of this machine
  }
  auto token = token_for(config);
  if (!token) return tl::unexpected(token.error());
  return WorkerClient(WorkerLink(*std::move(address), *std::move(token), options.ca));
}

}  // namespace penstock
