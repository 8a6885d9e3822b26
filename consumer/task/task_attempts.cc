// Task: from a line to an attempt, and from its outcome to the end of the job.
#include <nlohmann/json.hpp>

#include "consumer/bulk/on_done.h"
#include "consumer/job/admitted_record.h"
#include "consumer/job/derived_id.h"
#include "consumer/job/snooze.h"
#include "consumer/policy/error_pattern.h"
#include "consumer/policy/retry.h"
#include "consumer/task/task.h"
#include "state/rows/encoding.h"
#include "topics/partitioner.h"
#include "topics/planted.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

std::string args_of(const JobRow& row) {
  thread_local JobDecoder decoder;
  return std::string(decode_admitted(decoder, row).args);
}

}  // namespace

std::string AttemptStart::args() const { return args_of(job.row); }

std::vector<AttemptItem> AttemptStart::items() const {
  std::vector<AttemptItem> items;
  if (!job.batch) return items;
  items.reserve(job.batch->items.size());
  for (const JobBatch::Item& item : job.batch->items) {
    const JobRow& row = item.job->row;
    items.push_back({row.id, args_of(row), row.attempt, row.headers});
  }
  return items;
}

// -- Start

int Task::start_ready(int capacity, Now now) {
  clock_ = now.wall;
  if (restoring()) return capacity;
  while (capacity > 0 && budget().idle_picks > 0 && wants_input()) {
    const Turns::Turn turn = fair_.pick();
    if (!turn.flow) break;
    LiveJob* const job = turn.share ? lines_.first(*turn.share) : lines_.first(*turn.flow);
    if (job && can_start(job, now)) {
      start(job, now, capacity);
      continue;
    }
    --budget().idle_picks;
    // What its lines had as rows has ended.
    if (!job) turn.share ? settle(*turn.share) : settle(*turn.flow);
  }
  return capacity;
}

// False: the job was sent elsewhere, or its flow waits; the flow is settled.
bool Task::can_start(LiveJob* job, Now now) {
  Line& line = *job->line;
  JobRow& row = job->row;
  if (!job->type) job->type = options_.types->find(row.type);
  const bool strict = options_.queue.order == Order::kStrict;
  if (row.expired(now.wall) && !planted(Bug::kExpiredStarts)) {
    detach(job);
    end(job, JobState::kExpired, "not started by its expires_at", now);
    return false;
  }
  if (row.cancel_asked() &&
      !planted(Bug::kCancelForgotten)) {  // its attempt has died with its owner
    detach(job);
    end_as_asked(job, now);
    return false;
  }
  if (row.crashes >= kMaxCrashes) {  // the last notice came while it ran
    detach(job);
    bury_crashed(job, now);
    return false;
  }
  const bool early = row.run_at > now.wall && !planted(Bug::kRunAtIgnored);
  if (early && strict) {
    line.blocked_until = row.run_at;
    blocked_.insert({row.run_at, &line});
    (void)let_go(line);
    settle(line);
    spare_memory(line);
    return false;
  }
  // An earlier owner whose clock was ahead let it into the line. (The run_at of a record without
  // one is when it was admitted, and holds nothing back.)
  if (early && row.run_at != row.admitted_at) {
    detach(job);
    place(job, now);
    return false;
  }
  if (job->type) {
    if (job->type->policy.batch && batch_waits(job, now)) {
      (void)let_go(line);
      spare_memory(line);
      return false;
    }
    Gate* gate = closed_gate(job);
    // Who waits for something keeps nothing that others, or itself, may wait for.
    if (gate && let_go(line)) gate = closed_gate(job);
    if (!gate) return row.crashes < kMaxCrashes - 1 || may_start_suspect(job, now);
    park_at(*gate, line);
    if (line.gate.waits_at == gate) limits_.waits(job, line, gate);
    spare_memory(line);
    return false;
  }
  if (options_.queue.unknown_types == UnknownTypes::kDead) {
    detach(job);
    end_unknown_type(job, now);
  } else if (!strict) {
    detach(job);
    park(job);
  } else {
    spare_memory(line);
  }
  return false;  // strict: the flow stays out of the queue until something changes
}

// Two jobs that were in flight at the same two deaths would be dead together at the third, though
// one did it.
bool Task::may_start_suspect(LiveJob* job, Now now) {
  Token next = last_token_;
  ++next.number;
  if (host_.may_run_suspect(next)) return true;
  detach(job);
  wait_for(job, kSuspectWait, JobState::kScheduled, now);
  return false;
}

void Task::start(LiveJob* job, Now now, int& capacity) {
  Line& line = *job->line;
  Flow& flow = *line.flow;
  ++last_token_.number;
  Token token = last_token_;
  if (planted(Bug::kTokenShrinks)) token.number = 1'000'000 - token.number;
  if (planted(Bug::kTokensAlike)) token.place = {};
  if (job->type->policy.batch) job->batch = gather(job, now);
  line.collection.reset();
  if (job->batch) {
    job->batch->each([&](LiveJob* item) {
      if (item != job) item->leader = job;
      leave_for_attempt(item, token, now);
    });
  } else {
    leave_for_attempt(job, token, now);
  }
  if (planted(Bug::kBatchItemTwice) && job->batch && job->batch->items.size() > 1) {
    const LiveJob* const last = job->batch->items.back().job;
    LiveJob* const copy = pool_.take();
    copy->row = last->row;
    copy->digest = last->digest;
    copy->identity_row = last->identity_row;
    copy->type = last->type;
    enter_line(copy);
  }
  flow.running.push_back(job);
  job->share = line.share;
  if (line.share) ++line.share->running;
  limits_.take(job);
  breakers_.started(*job);
  if (job->type->policy.unique) {
    job->batch ? job->batch->each([&](LiveJob* item) { start_unique(item, now); })
               : start_unique(job, now);
  }
  leave_gate(line);  // a rate may let the next one start
  std::optional<AttemptResult> result = host_.start({job->token, *job, *job->type});
  if (result) return finish(job, std::move(*result), now);
  running_.emplace(job->token.number, job);
  --capacity;
  settle(line);
}

void Task::leave_for_attempt(LiveJob* job, const Token& token, Now now) {
  job->line->jobs.remove(job);
  job->line = nullptr;
  if (job->keeps()) kept_.erase({job->token.number, job->row.offset});
  job->running = true;
  job->token = token;
  job->row.started_at = now.wall;
  if (job->row.expires_at != Time{}) mark_unsaved(job);  // the row must tell that it did not expire
  ++counters_.started;
  emit_event(EventKind::kStarted, job->row, &job->token, {}, now);
}

// -- Outcome

void Task::attempt_ended(const Token& token, AttemptResult result, Now now) {
  const auto found = running_.find(token.number);
  if (found == running_.end() || found->second->token != token) return;
  LiveJob* const job = found->second;
  running_.erase(found);
  finish(job, std::move(result), now);
}

void Task::finish(LiveJob* job, AttemptResult result, Now now) {
  clock_ = now.wall;
  dedup_.prefetch(job->digest);
  Flow& flow = *job->flow;
  Share* const share = std::exchange(job->share, nullptr);
  const bool leaks =
      planted(Bug::kSlotLeaked) && std::holds_alternative<RetryLater>(result.outcome);
  flow.running.remove(job);
  job->running = false;
  job->flow = nullptr;
  const std::unique_ptr<JobBatch> batch = std::exchange(job->batch, nullptr);
  std::string buffer;
  const std::string line(batch ? line_of(job->row, buffer) : std::string_view());
  refuse_unfit(job, result);
  count_run(job, batch.get(), result.outcome, now);
  const Holds given_up = leave_holds(job, batch.get(), result);
  Breaker* const breaker =
      breakers_.ended(*job, result.outcome, result.items, batch ? batch->items.size() : 0);
  counters_.uncounted_failures = breakers_.uncounted();
  if (batch) {
    finish_batch(*batch, std::move(result), now);
    batch_ended(flow, line);
  } else {
    if (job->row.bulk_index >= 0) measure_chunk(job->row, result, now);
    std::visit([&](const auto& outcome) { finish_as(job, outcome, now); }, result.outcome);
  }
  if (planted(Bug::kPlaceLeaked) && flow.has_jobs()) return;
  if (share) {
    --share->running;
    settle(*share);
  } else {
    settle_room(flow);
  }
  if (!leaks) release_limits(given_up);
  if (breaker) open(*breaker);
  release_gates(given_up);
}

void Task::finish_as(LiveJob* job, const Done&, Now now) {
  ++counters_.succeeded;
  end(job, JobState::kSucceeded, {}, now);
}

void Task::finish_as(LiveJob* job, const RetryLater& failed, Now now) {
  ++counters_.failed;
  JobRow& row = job->row;
  row.reason = failed.error.substr(0, kMaxDetailBytes);
  if (job->row.cancel_asked()) return end_as_asked(job, now);
  const RetryPolicy& policy = job->type->policy.retry;
  if (const auto why = discard_reason(policy, failed.error_class)) {
    return bury(job, DeadReason::kDiscarded, *why + ": " + row.reason, now);
  }
  if (row.attempt >= policy.attempts) {
    host_.attempt_failed({row, row.attempt, policy.attempts, row.reason, std::nullopt});
    return bury(job, DeadReason::kAttemptsExhausted,
                "attempt " + std::to_string(row.attempt) + " of " +
                    std::to_string(policy.attempts) + " failed: " + row.reason,
                now);
  }
  const Duration wait = failed.in.value_or(retry_delay(policy, row.attempt, job->digest));
  emit_event(EventKind::kRetrying, row, &job->token, row.reason, now);
  host_.attempt_failed({row, row.attempt, policy.attempts, row.reason, now.wall + wait});
  ++row.attempt;
  pause_unique(job);
  wait_for(job, planted(Bug::kRetryAtOnce) ? Duration(0) : wait, JobState::kRetrying, now);
}

void Task::finish_as(LiveJob* job, const Snooze& snooze, Now now) {
  if (job->row.cancel_asked()) return end_as_asked(job, now);
  ++counters_.snoozed;
  ++job->row.snoozes;
  emit_event(EventKind::kSnoozed, job->row, &job->token, snoozes_text(job->row), now);
  pause_unique(job);
  wait_for(job, snooze_wait(snooze), JobState::kScheduled, now);
}

void Task::finish_as(LiveJob* job, const Discard& discard, Now now) {
  const int attempts = job->type->policy.retry.attempts;
  host_.attempt_failed({job->row, job->row.attempt, attempts, discard.reason, std::nullopt});
  bury(job, DeadReason::kDiscarded, discard.reason, now);
}

void Task::finish_as(LiveJob* job, const CancelJob& cancelled, Now now) {
  end(job, JobState::kCancelled, cancelled.reason, now);
}

void Task::finish_as(LiveJob* job, const Interrupted&, Now now) {
  if (job->row.cancel_asked()) return end_as_asked(job, now);
  if (planted(Bug::kInterruptionSpends)) ++job->row.attempt;
  again(job);
}

// The job runs again, from its own place in the line or, with what it keeps, before all others of
// it.
void Task::again(LiveJob* job) {
  job->row.state = JobState::kReady;
  job->stop_asked = false;
  enter_line(job);
}

void Task::wait_for(LiveJob* job, Duration wait, JobState state, Now now) {
  const Time until = wait > Duration(0) ? now.wall + wait + kWallResolution : now.wall;
  job->row.run_at = until;
  job->row.state = state;
  job->row.ran = Duration{0};
  if (state == JobState::kRetrying) job->row.snoozes = 0;
  job->stop_asked = false;
  const bool strict = options_.queue.order == Order::kStrict && !planted(Bug::kRetryBreaksOrder);
  if (strict || until <= now.wall) return enter_line(job);
  to_due(job);
}

// -- End

void Task::end(LiveJob* job, JobState state, std::string_view reason, Now now) {
  JobRow& row = job->row;
  leave_cursor(job);
  row.state = state;
  row.ended_at = now.wall;
  if (!reason.empty()) row.reason = reason;
  counters_.cancelled += state == JobState::kCancelled ? 1 : 0;
  counters_.expired += state == JobState::kExpired ? 1 : 0;
  counters_.dead += state == JobState::kDead ? 1 : 0;
  static constexpr EventKind kEvents[] = {EventKind::kSucceeded, EventKind::kDead,
                                          EventKind::kCancelled, EventKind::kDuplicate,
                                          EventKind::kExpired};
  emit_event(kEvents[static_cast<int>(state) - static_cast<int>(JobState::kSucceeded)], row,
             job->token.number ? &job->token : nullptr, row.reason, now);
  if (row.bulk_index >= 0) chunk_ended(row, now);
  if (row.unique != Digest{}) end_unique(job);
  remember(job, now);
  release(job);
}

// A command has come while its attempt ran, which has not made it done.
void Task::end_as_asked(LiveJob* job, Now now) {
  const bool deleted = job->row.asked == Asked::kDelete;
  end(job, JobState::kCancelled, deleted ? "deleted while it ran" : "cancelled while it ran", now);
}

// What stays of an ended job: its identity for the dedup window, its row for `keep`.
void Task::remember(LiveJob* job, Now now) {
  JobRow& row = job->row;
  Duration keep{0};
  if (job->type && row.state == JobState::kSucceeded) keep = job->type->policy.keep_succeeded;
  if (row.state == JobState::kDead)
    keep = job->type ? job->type->policy.keep_dead : TypePolicy{}.keep_dead;
  const bool deleted = std::exchange(row.asked, Asked::kNothing) == Asked::kDelete;
  if (deleted && !planted(Bug::kDeletedKept)) keep = Duration{0};
  const bool had_row = job->identity_row;
  if (row.expires_at != Time{} && had_row) {
    view_.erase(keys::expiry(row.expires_at, row.offset));
    expiries_.removed(row.expires_at, row.offset);
  }
  if (keep > Duration{0}) {
    if (row.bulk_index >= 0) bulks_.keeps_row(row, now.wall + keep);
    write_row(job, keys::ended(now.wall + keep, row.offset));
  } else {
    erase_row(job);
    if (had_row) erase_identity(job);
  }
  if (options_.queue.dedup_window == Duration{0}) return dedup_.remove(job->digest);
  const std::uint32_t bucket = window_.bucket(now.wall);
  if (bucket != ended_bucket_ && !ended_digests_.empty()) {
    view_.put_unseen(keys::dedup(ended_bucket_, commit_seq_), ended_digests_);
    ended_digests_.clear();
  }
  ended_bucket_ = bucket;
  if (!planted(Bug::kShortWayForgets) || had_row) put_digest(ended_digests_, job->digest);
  dedup_.end(job->digest, bucket);
  dirty_ = true;
}

void Task::bury(LiveJob* job, DeadReason reason, std::string_view detail, Now now) {
  const JobRow& row = job->row;
  std::vector<HeaderView> headers;
  for (const Header& header : row.headers) headers.push_back(view_of(header));
  OutboxMessage message;
  message.key = row.account;
  message.value = row.value;
  const int attempts = row.started_at == Time{} ? 0 : row.attempt;
  const std::string source =
      row.origin.empty() ? place_name(names_.topic(), options_.partition, row.offset) : row.origin;
  message.headers =
      dead_headers(headers, {reason, std::string(detail), source, attempts, now.wall});
  // Sent back with its headers, it would else be refused for its id.
  if (row.id.size() > kMaxIdBytes) message.headers.push_back({std::string(kDerivedHeader), "1"});
  outbox_.send({names_.dead_topic(), options_.partition}, message, commit_seq_);
  end(job, JobState::kDead, std::string(to_string(reason)) + ": " + std::string(detail), now);
}

// -- Follow-ups and events

namespace {

// The record with `id` in it, where it has none. The rest stays as the handler wrote it.
std::string with_id(const std::string& record, const std::string& id) {
  const std::size_t brace = record.find('{');
  const std::size_t next = record.find_first_not_of(" \t\r\n", brace + 1);
  const bool empty = next != std::string::npos && record[next] == '}';
  return "{\"id\":" + nlohmann::json(id).dump() + (empty ? "" : ",") + record.substr(brace + 1);
}

}  // namespace

// Sends the follow-up jobs of an outcome or a checkpoint. What is wrong with one of them, if
// anything: then none is sent.
std::optional<std::string> Task::produce(LiveJob* job, std::span<const FollowUp> jobs) {
  struct Checked {
    Destination to;
    OutboxMessage message;
  };
  std::vector<Checked> checked;
  std::size_t bytes = 0;
  int number = job->row.follow_ups;
  for (const FollowUp& next : jobs) {
    const std::string& queue = next.queue.empty() ? options_.queue.name : next.queue;
    const std::string& account = next.account.empty() ? job->row.account : next.account;
    const int partitions =
        queue == options_.queue.name ? options_.queue.partitions : host_.partitions_of(queue);
    if (partitions <= 0) return "enqueue: the queue \"" + queue + "\" is not in the configuration";
    std::string record = next.record;
    auto decoded = decoder_.decode(account, record);
    if (decoded && decoded->id.empty()) {
      record = with_id(record, derived_id(job->row.id, "/" + std::to_string(++number)));
      decoded = decoder_.decode(account, record, kMaxDerivedIdBytes);
    }
    if (!decoded) return "enqueue: " + decoded.error().detail;
    Checked out{{QueueNames(options_.prefix, queue).topic(), partition_of(account, partitions)},
                {}};
    bytes += follow_up_bytes(record, account, out.to.topic) + follow_up_bytes(next.headers);
    if (bytes > kMaxFollowUpBytes) return "enqueue: " + std::string(kTooManyFollowUps);
    out.message.key = account;
    out.message.value = std::move(record);
    out.message.headers = next.headers;
    out.message.headers.push_back({std::string(kDerivedHeader), "1"});
    checked.push_back(std::move(out));
  }
  for (const Checked& out : checked) outbox_.send(out.to, out.message, commit_seq_);
  if (planted(Bug::kFollowUpTwice)) {
    for (const Checked& out : checked) outbox_.send(out.to, out.message, commit_seq_);
  }
  job->row.follow_ups = number;
  return std::nullopt;
}

void Task::measure_chunk(const JobRow& chunk, const AttemptResult& result, Now now) {
  if (!std::holds_alternative<Done>(result.outcome) || !chunk.cursor.empty()) return;
  const auto took = result.took.value_or(std::max(Duration{0}, now.wall - chunk.started_at));
  item_times_.measured(chunk, took, now.wall);
}

// The job that a bulk asked for is produced with the end of its last chunk.
void Task::chunk_ended(const JobRow& chunk, Now now) {
  const auto all = bulks_.ended(chunk, now.wall);
  if (!all) return;
  OutboxMessage message;
  message.key = chunk.account;
  message.value = on_done_record(chunk.account, chunk.bulk, *all);
  message.headers.push_back({std::string(kDerivedHeader), "1"});
  outbox_.send({names_.topic(), options_.partition}, message, commit_seq_);
}

void Task::emit_event(EventKind kind, const JobRow& row, const Token* token,
                      std::string_view reason, Now now) {
  if (options_.queue.events == Events::kOff) return;
  if (options_.queue.events == Events::kTerminal && !is_terminal(kind)) return;
  const std::string text = token ? token->text() : std::string();
  const EventRecord event{kind,
                          options_.queue.name,
                          row.id,
                          row.type,
                          row.account,
                          row.started_at == Time{} ? 0 : row.attempt,
                          text,
                          now.wall,
                          options_.instance,
                          reason};
  OutboxMessage message;
  message.key = row.account;
  message.value = to_json(event);
  outbox_.send({names_.events_topic(), options_.partition}, message, commit_seq_);
}

}  // namespace penstock
