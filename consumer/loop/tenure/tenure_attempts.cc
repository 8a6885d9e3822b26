#include "consumer/loop/tenure/tenure_attempts.h"

#include <algorithm>
#include <utility>

#include "topics/values/check.h"
#include "topics/values/rfc3339.h"

namespace penstock {

AttemptKey TenureAttempts::key(const Token& token) const {
  return {core_.options.queue_number, core_.partition(), token};
}

std::size_t TenureAttempts::running() const {
  return core_.jobs ? core_.jobs->attempts().running() : 0;
}

// -- Start

bool TenureAttempts::may_start(Now now) const {
  return !core_.owner.ended() && core_.jobs && !leaving_ && core_.owner.may_start(now) &&
         !core_.owner.waits_for_room() && !core_.outbox.full();
}

bool TenureAttempts::has_ready(Now now) const { return may_start(now) && core_.jobs->has_ready(); }

int TenureAttempts::start_ready(int capacity, Now now) {
  return may_start(now) ? core_.jobs->start_ready(capacity, now) : capacity;
}

std::optional<AttemptResult> TenureAttempts::start(const AttemptStart& start) {
  const TypePolicy& policy = start.type.policy;
  if (policy.handler && std::holds_alternative<NoopHandler>(*policy.handler)) {
    // the place reserved for a suspect
    if (start.job.row.crashes > 0) core_.parts.host.attempt_ended(key(start.token));
    return AttemptResult{Done{}, {}};
  }
  Executor* const executor = core_.parts.host.executor(start.type);
  PENSTOCK_CHECK(executor, "a type that the table knows has an executor");
  AttemptRequest request = request_of(start);
  // Before the executor starts: its report may be in the mailbox before start() returns.
  executors_.emplace(start.token.number, executor);
  core_.parts.host.attempt_started(request);  // can take longer than the lease if the disk hangs
  const AttemptKey key = request.key;
  // If not, the attempt is among the killed ones, and the next process_killed() requeues its job.
  if (core_.parts.leases.starting(key, request.account, executor)) {
    executor->start(std::move(request), core_.parts.mailbox);
    core_.parts.leases.started(key);
  }
  return std::nullopt;
}

AttemptRequest TenureAttempts::request_of(const AttemptStart& start) const {
  const TypePolicy& policy = start.type.policy;
  const JobRow& row = start.job.row;
  AttemptRequest request;
  request.key = key(start.token);
  request.prefix = core_.options.task.prefix;
  request.queue = core_.options.task.queue.name;
  request.id = row.id;
  request.type = row.type;
  request.account = row.account;
  request.items = start.items();
  if (request.items.empty()) request.args = start.args();
  request.attempt = row.attempt;
  request.max_attempts = policy.retry.attempts;
  request.cursor = row.cursor;
  request.headers = row.headers;
  request.replay = row.replay;
  request.timeout = policy.timeout;
  return request;
}

std::string TenureAttempts::held_back(Now now) {
  const Owner& owner = core_.owner;
  const Outbox& outbox = core_.outbox;
  if (leaving_) return "its worker is handing over the partition: the next owner starts it";
  if (owner.phase() == Owner::Phase::kWaiting) {
    const auto left = std::chrono::ceil<Duration>(std::max<std::chrono::nanoseconds>(
        owner.wait_until() - now.boot, std::chrono::nanoseconds(0)));
    return "its worker has taken over the partition and starts nothing before " +
           format_rfc3339(now.wall + left) + ", when the previous owner's attempts have ended";
  }
  if (outbox.full()) {
    return "its worker starts nothing until Kafka has acknowledged some of the " +
           std::to_string(outbox.pending()) + " messages (" +
           std::to_string(outbox.pending_bytes() >> 20) +
           " MiB) that the partition has to send, because new attempts could add to them";
  }
  if (owner.waits_for_room()) {
    return "its worker starts nothing while a commit waits for room in the log's buffer";
  }
  if (owner.may_start(now)) return {};
  return "its worker starts nothing because Kafka acknowledges none of its commits and its lease "
         "is running out";
}

int TenureAttempts::partitions_of(std::string_view queue) {
  return core_.parts.host.partitions_of(queue);
}

bool TenureAttempts::may_run_suspect(const Token& token) {
  return core_.parts.host.may_run_suspect(key(token));
}

bool TenureAttempts::awaits_notice(const JobRow& job, Offset input_next) {
  return core_.parts.host.awaits_notice(job.account, job.id, input_next, input_.counted());
}

bool TenureAttempts::killed_run() { return core_.parts.leases.blocks_any(core_.partition()); }

bool TenureAttempts::killed_run(std::string_view account) {
  return core_.parts.leases.blocks(core_.partition(), account);
}

// -- Reports and end

void TenureAttempts::on_message(HandlerMessage message, Now now) {
  if (!core_.jobs || core_.owner.ended()) return;
  if (auto* end = std::get_if<AttemptEnded>(&message)) {
    const auto found = executors_.find(end->key.token.number);
    if (end->key.token.epoch != core_.owner.epoch().value || found == executors_.end()) return;
    // The lease first, so that the watchdog does not kill an attempt that has ended.
    core_.parts.leases.ended(end->key);
    executors_.erase(found);
    core_.parts.host.attempt_ended(end->key);
    core_.jobs->attempt_ended(
        end->key.token,
        {std::move(end->outcome), std::move(end->enqueue), std::move(end->items), end->took}, now);
  } else if (auto* saved = std::get_if<Checkpoint>(&message)) {
    core_.jobs->checkpoint(saved->key.token, std::move(saved->cursor), saved->enqueue);
  } else if (const auto* made = std::get_if<ProgressMade>(&message)) {
    core_.jobs->progress(made->key.token, made->n, made->total);
  }
}

void TenureAttempts::attempt_failed(const FailedAttempt& failed) {
  core_.parts.host.attempt_failed(failed);
}

void TenureAttempts::on_killed(const AttemptKey& key, Now now) {
  // The attempt may be of an earlier tenure, whose jobs are not this task's.
  if (!core_.jobs || core_.owner.ended() || key.token.epoch != core_.owner.epoch().value) return;
  executors_.erase(key.token.number);
  core_.parts.host.attempt_ended(key);
  killed_.push_back(key.token);
  settle_killed(now);
}

void TenureAttempts::settle_killed(Now now) {
  while (!killed_.empty() && !core_.crowded()) {
    core_.jobs->attempt_ended(killed_.front(), {Interrupted{"its lease was over"}, {}}, now);
    killed_.pop_front();
  }
}

void TenureAttempts::ask_to_stop(const Token& token) {
  const auto found = executors_.find(token.number);
  if (found != executors_.end()) found->second->request_stop(key(token));
}

void TenureAttempts::ask_all_to_stop() {
  if (core_.jobs) core_.jobs->ask_all_to_stop();
}

void TenureAttempts::leave() {
  leaving_ = true;
  ask_all_to_stop();
}

void TenureAttempts::end_all() {
  watches_.clear();
  // Their outcomes can no longer be recorded, and another worker may own the partition.
  core_.parts.leases.kill_all(core_.partition());
  if (core_.jobs) {
    for (const Token& token : core_.jobs->attempts().tokens())
      core_.parts.host.attempt_ended(key(token));
  }
  executors_.clear();
}

}  // namespace penstock
