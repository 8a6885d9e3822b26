#include "api/gateway/gateway.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/gateway/deliveries.h"
#include "api/gateway/job_command.h"
#include "api/request/array_parts.h"
#include "api/request/job_match_reply.h"
#include "api/request/json_body.h"
#include "api/request/media_type.h"
#include "api/request/problem.h"
#include "api/request/when.h"
#include "producer/job_check.h"
#include "producer/json_line.h"
#include "topics/values/trimmed.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

struct GoodJob {
  std::string account, id, value;
};

// What a request asks for, besides its jobs.
struct Wishes {
  AskedWait wait;
  std::string key;  // the Idempotency-Key; empty: none
  bool may_command = true;
};

tl::expected<Wishes, Problem> wishes_of(const ApiRequest& request) {
  const auto wait = AskedWait::of(request);
  if (!wait) return tl::unexpected(wait.error());
  const std::string& key = request.idempotency_key;
  const bool good =
      key.size() <= kMaxIdempotencyKeyBytes && std::all_of(key.begin(), key.end(), [](char c) {
        return c > ' ' && c <= '~' && c != '"' && c != '\\';
      });
  if (good) return Wishes{*wait, key, request.caller.operates};
  return tl::unexpected(Problem{.status = 422,
                                .detail = "found an Idempotency-Key of " +
                                          std::to_string(key.size()) + " bytes, expected 1 to " +
                                          std::to_string(kMaxIdempotencyKeyBytes) +
                                          " visible ASCII characters without \" and \\",
                                .kind = "bad-idempotency-key"});
}

// A job from a body, checked by a worker's rules, with an id. With a key, the same position always
// gets the same id, so that a repeated request enqueues nothing twice.
tl::expected<GoodJob, Failure> read_job(JsonLineReader& reader, std::string_view text,
                                        const Wishes& wishes, std::size_t position) {
  const auto line = reader.read(text);
  if (!line) return tl::unexpected(line.error());
  const std::string id =
      wishes.key.empty() ? std::string() : wishes.key + "/" + std::to_string(position);
  const auto job = check_job(line->account, line->value, {}, id);
  if (!job) return tl::unexpected(job.error());
  if (job->is_command && !wishes.may_command) {
    return tl::unexpected(Failure{FailureReason::kBadJob, "/op",
                                  "the token may only enqueue: a command to a job needs the scope "
                                  "\"operate\""});
  }
  // Copies, because the views are valid only until the reader's next line.
  return GoodJob{std::string(line->account), std::string(job->id), std::string(job->value)};
}

// The states of the jobs that were sent, in their order; empty if nobody waits for them.
std::vector<WaitedState> await(std::optional<JobWait>& wait, const std::vector<Delivery>& answers,
                               const std::function<bool()>& stopped) {
  if (!wait) return {};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].failure && answers[i].sent.offset)
      wait->sent(i, Offset{*answers[i].sent.offset});
  }
  return wait->wait(stopped);
}

// Of a line that was not sent. With its id, if it has one, so that it can be sent again.
Json refused_line(const JobIdentity& job, Json fault) {
  if (!job.id.empty()) fault["id"] = job.id;
  return {{"errors", Json::array({std::move(fault)})}};
}

void add_state(Json& entry, const std::vector<WaitedState>& states, std::size_t at) {
  if (states.empty()) return;
  const WaitedState& state = states[at];
  const auto text = [](const std::string& of) { return of.empty() ? Json() : Json(of); };
  entry["state"] = text(state.state);
  if (!state.duplicate_of.empty()) entry["duplicate_of"] = state.duplicate_of;
  if (!state.reason.empty()) entry["reason"] = state.reason;
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
  problem.kind = "invalid-jobs";
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
  problem.kind = "not-acknowledged";
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

}  // namespace

ApiReply Gateway::enqueue(const ApiRequest& request) {
  const std::string& queue = request.value("queue");
  if (!source_.has_queue(queue)) return no_such_queue(queue);
  if (is_media_type(request.content_type, kJsonLines)) return enqueue_lines(request, queue);
  if (is_media_type(request.content_type, kJson)) return enqueue_whole(request, queue);
  return reply_of(wrong_media_type(request, "application/json or application/x-ndjson"));
}

// Nothing if nobody waits.
tl::expected<std::optional<JobWait>, Problem> Gateway::begin_wait(
    const AskedWait& asked, const std::string& queue, const std::vector<JobIdentity>& jobs) {
  if (asked.what == AskedWait::For::kNothing) return std::nullopt;
  if (jobs.size() > kMaxWaitedJobs) {
    return tl::unexpected(Problem{.status = 413,
                                  .detail = "more than " + std::to_string(kMaxWaitedJobs) +
                                            " jobs to wait for: send them in several requests"});
  }
  auto wait = JobWait::begin(source_, queue, jobs, asked);
  if (wait) return *std::move(wait);
  return tl::unexpected(Problem{.status = 503, .detail = wait.error().detail});
}

// -- One object or an array

ApiReply Gateway::enqueue_whole(const ApiRequest& request, const std::string& queue) {
  const std::string_view body = request.body;
  const auto wishes = wishes_of(request);
  if (!wishes) return reply_of(wishes.error());
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
    auto job = read_job(reader, parts[i], *wishes, i);
    if (job) {
      // After a bad job, the others are only checked, because none will be sent.
      if (bad == 0) jobs.push_back(*std::move(job));
    } else if (++bad <= kMaxErrorsShown) {
      errors.push_back(fault_json(i, job.error()));
    }
  }
  if (bad > 0) return refused_whole(std::move(errors), bad, parts.size());

  std::vector<JobIdentity> identities;
  for (const GoodJob& job : jobs) identities.push_back({job.account, job.id});
  auto wait = begin_wait(wishes->wait, queue, identities);
  if (!wait) return reply_of(wait.error());

  const auto deliveries = std::make_shared<Deliveries>(jobs.size());
  bool full = false;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    sending_.send(queue, jobs[i].account, jobs[i].value, deliveries->callback(i), &full);
  }
  const auto* const answers = deliveries->wait([this] { return sending_.stopping(); });
  if (!answers) return stopping_reply();
  const auto states = await(*wait, *answers, [this] { return sending_.stopping(); });
  Json sent = Json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Delivery& answer = (*answers)[i];
    if (answer.failure) {
      Json error = fault_json(i, *answer.failure);
      error["id"] = jobs[i].id;
      errors.push_back(std::move(error));
    } else {
      sent.push_back(sent_json(jobs[i].account, answer.sent));
      add_state(sent.back(), states, i);
    }
  }
  if (!errors.empty()) return partly_sent(std::move(sent), std::move(errors));
  return reply_of(202, {{"jobs", std::move(sent)}});
}

// -- Lines of JSON

ApiReply Gateway::enqueue_lines(const ApiRequest& request, const std::string& queue) {
  const auto wishes = wishes_of(request);
  if (!wishes) return reply_of(wishes.error());
  const auto lines = lines_of(request.body);
  if (lines.size() > kMaxJobsPerRequest) return too_many_jobs();
  const auto deliveries = std::make_shared<Deliveries>(lines.size());
  std::vector<JobIdentity> identities(lines.size());
  JsonLineReader reader;
  std::optional<JobWait> wait;
  bool full = false;
  if (wishes->wait.what != AskedWait::For::kNothing) {
    // The watch must begin before anything is sent, so these lines are read twice.
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (auto job = read_job(reader, lines[i], *wishes, i))
        identities[i] = {std::move(job->account), std::move(job->id)};
    }
    auto begun = begin_wait(wishes->wait, queue, identities);
    if (!begun) return reply_of(begun.error());
    wait = *std::move(begun);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto job = read_job(reader, lines[i], *wishes, i);
    if (!job) {
      // A line that is not sent has its answer, too; otherwise, wait() would not end.
      deliveries->set(i, {{}, job.error()});
      continue;
    }
    sending_.send(queue, job->account, job->value, deliveries->callback(i), &full);
    // After send(), which uses views of them.
    identities[i] = {std::move(job->account), std::move(job->id)};
  }
  const auto* const answers = deliveries->wait([this] { return sending_.stopping(); });
  if (!answers) return stopping_reply();
  const auto states = await(wait, *answers, [this] { return sending_.stopping(); });
  ApiReply reply{.status = 202, .type = kJsonLines, .body = {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Delivery& answer = (*answers)[i];
    Json line = answer.failure ? refused_line(identities[i], fault_json(i, *answer.failure))
                               : sent_json(identities[i].account, answer.sent);
    if (!answer.failure) add_state(line, states, i);
    reply.body += json_text(line) + '\n';
  }
  return reply;
}

// -- Commands

ApiReply Gateway::command(const ApiRequest& request, const std::string& op) {
  const std::string &queue = request.value("queue"), &id = request.value("id");
  if (!source_.has_queue(queue)) return no_such_queue(queue);
  AskedCommand command{op, std::nullopt};
  if (op == "reschedule") {
    nlohmann::json body;
    if (const auto problem = read_object(request, body)) return reply_of(*problem);
    const auto time = asked_time(body, request_time());
    if (!time) return reply_of(time.error());
    command.run_at = *time;
  }
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
  const std::string record = command_record(command, id);
  // An id or account from a URL can break the rules of a record.
  if (const auto checked = check_job(account, record, {}); !checked) {
    return refused_whole(Json::array({fault_json(0, checked.error())}), 1, 1);
  }
  const auto deliveries = std::make_shared<Deliveries>(1);
  sending_.send(queue, account, record, deliveries->callback(0));
  const auto* const answers = deliveries->wait([this] { return sending_.stopping(); });
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
