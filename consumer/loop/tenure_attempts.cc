// A tenure's attempts: their start, what their handlers report, and their end.
#include <algorithm>
#include <utility>

#include "consumer/loop/tenure.h"
#include "topics/values/check.h"
#include "topics/values/rfc3339.h"

namespace penstock {

std::optional<AttemptResult> Tenure::start(const AttemptStart& start) {
  const TypePolicy& policy = start.type.policy;
  if (policy.handler && std::holds_alternative<NoopHandler>(*policy.handler)) {
    if (start.job.row.crashes > 0) services_.attempt_ended(key(start.token));  // a suspect's place
    return AttemptResult{Done{}, {}};
  }
  Executor* const executor = services_.executor(start.type);
  PENSTOCK_CHECK(executor, "a type that the table knows has an executor");
  AttemptRequest request;
  request.key = key(start.token);
  const JobRow& row = start.job.row;
  request.prefix = options_.task.prefix;
  request.queue = options_.task.queue.name;
  request.id = row.id;
  request.type = row.type;
  request.account = row.account;
  request.items = start.items();
  if (request.items.empty()) request.args = start.args();
  request.attempt = row.attempt;
  request.max_attempts = policy.retry.attempts;
  request.cursor = row.cursor;
  request.headers = row.headers;
  request.timeout = policy.timeout;
  executors_.emplace(start.token.number, executor);
  services_.attempt_started(request);  // which may last longer than the lease when the disk hangs
  const AttemptKey key = request.key;
  if (services_.leases().starting(key, row.account, executor)) {
    executor->start(std::move(request), services_.mailbox());
    services_.leases().started(key);
  }
  return std::nullopt;
}

std::string Tenure::held_back(Now now) {
  if (leaving()) return "its worker gives the partition up: the next owner starts it";
  if (owner_.phase() == Owner::Phase::kWaiting) {
    const auto left = std::chrono::ceil<Duration>(std::max<std::chrono::nanoseconds>(
        owner_.wait_until() - now.boot, std::chrono::nanoseconds(0)));
    return "its worker has taken the partition over and starts nothing before " +
           format_rfc3339(now.wall + left) + ", when no attempt of the owner before runs any more";
  }
  if (outbox_.full()) {
    return "its worker starts nothing before Kafka has acknowledged some of the " +
           std::to_string(outbox_.pending()) + " messages (" +
           std::to_string(outbox_.pending_bytes() >> 20) +
           " MiB) that the partition has to send: what they start would add to them";
  }
  if (owner_.waits_for_room()) {
    return "its worker starts nothing while a commit waits for room in the log's buffer";
  }
  if (owner_.may_start(now)) return {};
  return "its worker starts nothing, because Kafka acknowledges no commit of it and the lease runs "
         "out";
}

void Tenure::ask_to_stop(const Token& token) {
  const auto found = executors_.find(token.number);
  if (found != executors_.end()) found->second->request_stop(key(token));
}

void Tenure::on_message(HandlerMessage message, Now now) {
  now_ = now;
  if (!jobs_ || ended()) return;
  if (auto* end = std::get_if<AttemptEnded>(&message)) {
    const auto found = executors_.find(end->key.token.number);
    if (end->key.token.epoch != owner_.epoch().value || found == executors_.end()) return;
    services_.leases().ended(end->key);
    executors_.erase(found);
    services_.attempt_ended(end->key);
    jobs_->attempt_ended(
        end->key.token,
        {std::move(end->outcome), std::move(end->enqueue), std::move(end->items), end->took}, now);
  } else if (auto* saved = std::get_if<Checkpoint>(&message)) {
    jobs_->checkpoint(saved->key.token, std::move(saved->cursor), saved->enqueue);
  } else if (const auto* made = std::get_if<ProgressMade>(&message)) {
    jobs_->progress(made->key.token, made->n, made->total);
  }
}

void Tenure::on_killed(const AttemptKey& key, Now now) {
  if (!jobs_ || ended() || key.token.epoch != owner_.epoch().value) return;
  executors_.erase(key.token.number);
  services_.attempt_ended(key);
  killed_.push_back(key.token);
  settle_killed(now);
}

// A lease ends with many large jobs at once: no more of them than one commit holds.
void Tenure::settle_killed(Now now) {
  while (!killed_.empty() && !crowded()) {
    jobs_->attempt_ended(killed_.front(), {Interrupted{"its lease was over"}, {}}, now);
    killed_.pop_front();
  }
}

}  // namespace penstock
