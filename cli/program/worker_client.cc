#include "cli/program/worker_client.h"

#include <httplib.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "api/server/access.h"
#include "api/server/token_files.h"
#include "cli/program/output.h"

namespace penstock {
namespace {

constexpr int kConflict = 409, kMultipleChoices = 300, kNotFound = 404, kOk = 200;
constexpr std::string_view kScheme = "http://";

// Encodes everything except the unreserved characters of RFC 3986, so that an id may contain "/" or
// "?".
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 &&
        (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos)) {
      encoded += c;
    } else {
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

class Query {
 public:
  void add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_ += std::string(name) + '=' + percent_encoded(value);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string jobs_path(std::string_view queue) {
  return "/v1/queues/" + percent_encoded(queue) + "/jobs";
}

bool is_job(const JobJson& json) {
  const auto has_text = [&json](const char* name) {
    const auto it = json.find(name);
    return it != json.end() && it->is_string();
  };
  return json.is_object() && has_text("id") && has_text("account");
}

std::string text_member(const JobJson& json, const char* name) {
  if (!json.is_object() || !json.contains(name) || !json[name].is_string()) return {};
  return json[name].get<std::string>();
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

WorkerClient::WorkerClient(ListenAddress address, std::string token)
    : address_(std::move(address)), token_(std::move(token)) {}

FromWorker<JobPage> WorkerClient::list(const JobFilter& filter, std::string_view after, int limit) {
  Query query;
  query.add("state", filter.state);
  query.add("type", filter.type);
  query.add("account", filter.account);
  query.add("bulk", filter.bulk);
  query.add("after", after);
  query.add("limit", std::to_string(limit));
  return page(jobs_path(filter.queue) + query.text(), "jobs");
}

FromWorker<JobPage> WorkerClient::bulks(const JobFilter& filter, std::string_view after,
                                        int limit) {
  Query query;
  query.add("account", filter.account);
  query.add("after", after);
  query.add("limit", std::to_string(limit));
  return page("/v1/queues/" + percent_encoded(filter.queue) + "/bulks" + query.text(), "bulks");
}

FromWorker<std::optional<std::chrono::microseconds>> WorkerClient::item_time(
    std::string_view queue, std::string_view type) {
  using Time = std::optional<std::chrono::microseconds>;
  const auto answer = get("/v1/queues/" + percent_encoded(queue));
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != kOk) return refused(*answer);
  const auto times = answer->body.find("item_ms");
  if (times == answer->body.end() || !times->is_object()) return not_understood();
  const auto found = times->find(std::string(type));
  if (found == times->end()) return Time();
  if (!found->is_number()) return not_understood();
  return Time(std::chrono::microseconds(std::llround(found->get<double>() * 1000)));
}

FromWorker<JobPage> WorkerClient::page(const std::string& target, const char* member) {
  const auto answer = get(target);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != kOk) return refused(*answer);
  auto jobs = jobs_of(answer->body, member);
  if (!jobs) return not_understood();
  return JobPage{.jobs = *std::move(jobs),
                 .after = text_member(answer->body, "after"),
                 .not_here = not_here_of(answer->body)};
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
      if (size == bulk.end() || !size->is_number_unsigned()) return not_understood();
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
  Query query;
  query.add("account", account);
  const auto answer = get(jobs_path(queue) + "/" + percent_encoded(id) + query.text());
  if (!answer) return tl::unexpected(answer.error());
  JobLookup lookup;
  if (answer->status == kOk) {
    if (!is_job(answer->body)) return not_understood();
    lookup.job = answer->body;
  } else if (answer->status == kMultipleChoices || answer->status == kConflict) {
    auto accounts = accounts_of(answer->body);
    if (!accounts) return refused(*answer);
    lookup.accounts = *std::move(accounts);
  } else if (answer->status != kNotFound || text_member(answer->body, "member") == "queue") {
    return refused(*answer);
  }
  // A 404 for the job itself gets here, too: it is an answer, which may depend on other partitions.
  lookup.not_here = not_here_of(answer->body);
  return lookup;
}

FromWorker<WorkerClient::Answer> WorkerClient::get(const std::string& target) {
  httplib::Client client(address_.host, address_.port);
  client.set_url_encode(false);  // the target is already encoded
  client.set_connection_timeout(kConnectTimeout);
  client.set_read_timeout(kAnswerTimeout);
  httplib::Headers headers{{"Accept", "application/json"}};
  if (!token_.empty()) headers.emplace("Authorization", "Bearer " + token_);
  std::string body;
  const auto receive = [&body](const char* data, std::size_t size) {
    // The server at that address need not be a worker, so the size of its answer is bounded.
    if (body.size() + size > kMaxAnswerBytes) return false;
    body.append(data, size);
    return true;
  };
  const auto result = client.Get(target, headers, receive);
  if (!result) {
    return no_answer("no answer from a worker at " + name() + " (" +
                     httplib::to_string(result.error()) +
                     "): start `penstock work`, or name a running one with --http HOST:PORT");
  }
  Answer answer{.status = result->status, .body = JobJson::parse(body, nullptr, false)};
  if (answer.body.is_discarded()) answer.body = nullptr;
  return answer;
}

std::string WorkerClient::name() const {
  const bool v6 = address_.host.find(':') != address_.host.npos;
  return (v6 ? '[' + address_.host + ']' : address_.host) + ':' + std::to_string(address_.port);
}

tl::unexpected<WorkerError> WorkerClient::refused(const Answer& answer) const {
  std::string reason = text_member(answer.body, "detail");
  if (reason.empty()) reason = text_member(answer.body, "title");
  if (reason.empty() && answer.status == 401) {
    reason = "it wants a token: set /http/token_file in the config file";
  }
  return no_answer("the worker at " + name() + " answered " + std::to_string(answer.status) +
                       (reason.empty() ? std::string() : ": " + printable(reason)),
                   answer.status == kNotFound);
}

tl::unexpected<WorkerError> WorkerClient::not_understood() const {
  return no_answer("the server at " + name() +
                   " is not a Penstock worker of this version: name one with --http HOST:PORT");
}

Result<WorkerClient> worker_client(const Config& config, std::string_view http) {
  std::string_view text = http.empty() ? std::string_view(config.http.listen) : http;
  if (text.starts_with(kScheme)) text.remove_prefix(kScheme.size());
  if (text.ends_with('/')) text.remove_suffix(1);
  auto address = parse_listen_address(text);
  if (!address) return failure("--http: " + address.error().message);
  if (address->port == 0) {
    return failure(
        "/http/listen in the config file has port 0, so a worker may be at any port: name it "
        "with --http HOST:PORT");
  }
  auto token = read_token_file(config.http.token_file);
  if (!token) return tl::unexpected(token.error());
  return WorkerClient(*std::move(address), *std::move(token));
}

}  // namespace penstock
