#include "api/routes/gateway.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/request/array_parts.h"
#include "api/request/media_type.h"
#include "api/request/problem.h"
#include "api/routes/deliveries.h"
#include "api/routes/queue_queries.h"
#include "producer/job_check.h"
#include "producer/json_line.h"
#include "topics/values/trimmed.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

struct GoodJob {
  std::string account, id, value;
};

// A job from a body, checked by a worker's rules, with an id.
tl::expected<GoodJob, Failure> read_job(JsonLineReader& reader, std::string_view text) {
  const auto line = reader.read(text);
  if (!line) return tl::unexpected(line.error());
  const auto job = check_job(line->account, line->value, {});
  if (!job) return tl::unexpected(job.error());
  // Copies, because the views are valid only until the reader's next line.
  return GoodJob{std::string(line->account), std::string(job->id), std::string(job->value)};
}

Json fault_json(std::size_t index, const Failure& failure) {
  return {{"index", index}, {"member", failure.member}, {"detail", failure.message}};
}

Json sent_json(const std::string& account, const Sent& sent) {
  return {{"id", sent.id},
          {"account", account},
          {"partition", sent.partition},
          {"offset", sent.offset ? Json(*sent.offset) : Json()}};
}

ApiReply stopping_reply() {
  return reply_of(Problem{
      .status = 503,
      .detail = "the worker is stopping, and Kafka has not acknowledged: send it again with the "
                "same ids (repeated jobs are dropped)"});
}

ApiReply too_many_jobs() {
  return reply_of(Problem{.status = 413,
                          .detail = "more than " + std::to_string(kMaxJobsPerRequest) +
                                    " jobs in one request: send them in several"});
}

ApiReply refused_whole(Json errors, std::size_t bad, std::size_t all) {
  Problem problem{.status = 422,
                  .detail = std::to_string(bad) + " of " + std::to_string(all) +
                            " jobs break a rule of the job record, so none was sent"};
  problem.member = errors.front()["member"];
  problem.more["errors"] = std::move(errors);
  return reply_of(problem);
}

// The reply for an array of which Kafka has acknowledged only a part.
ApiReply partly_sent(Json jobs, Json errors) {
  Problem problem{
      .status = 503,
      .detail =
          "Kafka has not acknowledged every job: send those of `errors` again, with the "
          "same ids (repeated jobs are dropped)"};
  problem.more["errors"] = std::move(errors);
  problem.more["jobs"] = std::move(jobs);
  ApiReply reply = reply_of(problem);
  reply.headers["Retry-After"] = "1";
  return reply;
}

std::vector<std::string_view> lines_of(std::string_view body) {
  std::vector<std::string_view> lines;
  while (!body.empty() && lines.size() <= kMaxJobsPerRequest) {
    const std::size_t end = body.find('\n');
    const std::string_view line = trimmed(body.substr(0, end));
    if (!line.empty()) lines.push_back(line);
    body.remove_prefix(end == body.npos ? body.size() : end + 1);
  }
  return lines;
}

std::string command_record(const std::string& op, const std::string& id) {
  return json_text(Json{{"op", op}, {"id", id}});
}

}  // namespace

ApiReply Gateway::enqueue(const ApiRequest& request, const std::string& queue) {
  if (request.parameters.contains("wait") || request.parameters.contains("timeout")) {
    return reply_of(
        Problem{.detail = "waiting for a job's admission or end is not available in this version",
                .member = "wait"});
  }
  if (const auto problem = unknown_parameter(request, {})) return reply_of(*problem);
  if (!source_.has_queue(queue)) return no_such_queue(queue);
  if (is_media_type(request.content_type, kJsonLines)) return enqueue_lines(request.body, queue);
  if (is_media_type(request.content_type, kJson)) return enqueue_whole(request.body, queue);
  return reply_of(wrong_media_type(request, "application/json or application/x-ndjson"));
}

bool Gateway::has_space(std::size_t bytes) {
  constexpr std::chrono::milliseconds kLookEvery{200};
  for (auto waited = 0 * kLookEvery; waited < kWaitForSpace && !stopping_.load();
       waited += kLookEvery) {
    // In short waits, so that a stop is noticed.
    if (sink_.wait_for_space(bytes, kLookEvery)) return true;
  }
  return false;
}

void Gateway::send(const std::string& queue, std::string_view account, std::string_view value,
                   DeliveryCallback done) {
  if (has_space(account.size() + value.size()))
    return sink_.send(queue, account, value, std::move(done));
  done({{},
        Failure{FailureReason::kBufferFull, "",
                "the buffer is full: Kafka accepts nothing at the moment"}});
}

// -- One object or an array

ApiReply Gateway::enqueue_whole(std::string_view body, const std::string& queue) {
  std::vector<std::string_view> parts{trimmed(body)};
  if (parts.front().starts_with('[')) {
    auto elements = array_parts(body, kMaxJobsPerRequest);
    if (!elements) {
      return reply_of(
          Problem{.detail = "the body is not one whole JSON array: its brackets do not match"});
    }
    parts = *std::move(elements);
  }
  if (parts.size() > kMaxJobsPerRequest) return too_many_jobs();

  JsonLineReader reader;
  std::vector<GoodJob> jobs;
  Json errors = Json::array();
  std::size_t bad = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto job = read_job(reader, parts[i]);
    if (job) {
      // After a bad job, the others are only checked, because none will be sent.
      if (bad == 0) jobs.push_back(*std::move(job));
    } else if (++bad <= kMaxErrorsShown) {
      errors.push_back(fault_json(i, job.error()));
    }
  }
  if (bad > 0) return refused_whole(std::move(errors), bad, parts.size());

  const auto deliveries = std::make_shared<Deliveries>(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    send(queue, jobs[i].account, jobs[i].value, deliveries->callback(i));
  }
  const auto* const answers = deliveries->wait([this] { return stopping_.load(); });
  if (!answers) return stopping_reply();
  Json sent = Json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Delivery& answer = (*answers)[i];
    if (answer.failure) {
      Json error = fault_json(i, *answer.failure);
      error["id"] = jobs[i].id;
      errors.push_back(std::move(error));
    } else {
      sent.push_back(sent_json(jobs[i].account, answer.sent));
    }
  }
  if (!errors.empty()) return partly_sent(std::move(sent), std::move(errors));
  return reply_of(202, {{"jobs", std::move(sent)}});
}

// -- Lines of JSON

ApiReply Gateway::enqueue_lines(std::string_view body, const std::string& queue) {
  const auto lines = lines_of(body);
  if (lines.size() > kMaxJobsPerRequest) return too_many_jobs();
  const auto deliveries = std::make_shared<Deliveries>(lines.size());
  std::vector<std::string> accounts(lines.size());
  JsonLineReader reader;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto job = read_job(reader, lines[i]);
    if (!job) {
      // A line that is not sent has its answer, too; otherwise, wait() would not end.
      deliveries->set(i, {{}, job.error()});
      continue;
    }
    send(queue, job->account, job->value, deliveries->callback(i));
    // After send(), which uses a view of it.
    accounts[i] = std::move(job->account);
  }
  const auto* const answers = deliveries->wait([this] { return stopping_.load(); });
  if (!answers) return stopping_reply();
  ApiReply reply{.status = 202, .type = kJsonLines, .body = {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Delivery& answer = (*answers)[i];
    const Json line = answer.failure
                          ? Json{{"errors", Json::array({fault_json(i, *answer.failure)})}}
                          : sent_json(accounts[i], answer.sent);
    reply.body += json_text(line) + '\n';
  }
  return reply;
}

// -- Commands

ApiReply Gateway::command(const ApiRequest& request, const std::string& queue,
                          const std::string& id, const std::string& op) {
  if (const auto problem = unknown_parameter(request, {"account"})) return reply_of(*problem);
  if (!source_.has_queue(queue)) return no_such_queue(queue);
  std::string account(request.parameter("account"));
  if (account.empty()) {
    const auto match = source_.find(queue, id, {});
    if (!match) return reply_of(match.error());
    // In this order: several jobs are ambiguous, and no job is an error, even if partitions are
    // missing. A single job is certain only if none is.
    if (match->jobs.size() > 1) return ambiguous_id(*match);
    if (match->jobs.empty()) return no_such_job(*match);
    if (!match->not_here.empty()) return unsure_account(*match);
    account = match->jobs.front().account;
  }
  const std::string record = command_record(op, id);
  // An id or account from a URL can break the rules of a record.
  if (const auto checked = check_job(account, record, {}); !checked) {
    return refused_whole(Json::array({fault_json(0, checked.error())}), 1, 1);
  }
  const auto deliveries = std::make_shared<Deliveries>(1);
  send(queue, account, record, deliveries->callback(0));
  const auto* const answers = deliveries->wait([this] { return stopping_.load(); });
  if (!answers) return stopping_reply();
  const Delivery& answer = answers->front();
  if (answer.failure)
    return partly_sent(Json::array(), Json::array({fault_json(0, *answer.failure)}));
  Json body = sent_json(account, answer.sent);
  body["id"] = id;
  body["op"] = op;
  return reply_of(202, body);
}

}  // namespace penstock
