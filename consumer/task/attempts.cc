#include "consumer/task/attempts.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "consumer/job/suspect.h"
#include "consumer/policy/error_pattern.h"

namespace penstock {
namespace {

std::string oversize_cursor(std::string_view cursor) {
  return "its cursor has " + std::to_string(cursor.size()) + " bytes, at most " +
         std::to_string(kMaxCursorBytes) +
         " are kept: keep what it names in a store of your own and its key in the cursor";
}

bool has_own(const ItemOutcomes& items, std::size_t i) { return i < items.size() && items[i]; }

// Each job of the attempt, with whether it has an outcome of its own.
template <typename Function>
void each_of(LiveJob* job, const JobBatch* batch, const ItemOutcomes& items, Function function) {
  // Without a batch there are no outcomes of items: the attempt's outcome is the job's.
  if (!batch) return function(job, false);
  for (std::size_t i = 0; i < batch->items.size(); ++i) {
    const bool own = has_own(items, i);
    function(batch->items[i].job, own);
    for (LiveJob* const folded : batch->items[i].folded) function(folded, own);
  }
}

// The job that goes on holding what the attempt holds; null if none does.
LiveJob* keeper(LiveJob* job, const JobBatch* batch, const AttemptResult& result) {
  // A job that yields lets others of its line start, which may need what it holds. And a limit that
  // was lowered must take effect before a job that runs for hours has ended.
  const bool keeps = job->type->policy.between_iterations == BetweenIterations::kKeep;
  if (!keeps || !std::holds_alternative<NextIteration>(result.outcome) ||
      Outcomes::has_run_long(*job))
    return nullptr;
  for (const Gate* const gate : job->holds) {
    if (gate->exceeded()) return nullptr;
  }
  LiveJob* found = nullptr;
  each_of(job, batch, result.items, [&](LiveJob* item, bool own) {
    if (!found && !own && !item->row.cancel_asked()) found = item;
  });
  return found;
}

}  // namespace

void Attempts::restored(std::uint32_t generation, Offset epoch) {
  last_token_ = {generation, epoch.value, 0,
                 TokenPlace::of(core_.outgoing.names().topic(), core_.options.partition)};
}

// -- Start

int Attempts::start(int capacity) {
  std::size_t& idle_picks = core_.scheduler.budget().idle_picks;
  while (capacity > 0 && idle_picks > 0 && core_.has_room()) {
    const std::optional<LiveJob*> job = core_.scheduler.next();
    if (!job) break;
    if (!*job || !can_start(*job)) {
      --idle_picks;
    } else if (start(*job)) {
      --capacity;
    }
  }
  return capacity;
}

// False: the job was sent elsewhere, or its line waits.
bool Attempts::can_start(LiveJob* job) {
  const JobRow& row = job->row;
  if (!job->type || row.is_copy()) find_type(job);
  if (has_to_end(job)) return false;
  const bool early = row.run_at > core_.now;
  // Stays in its line, because nothing behind it may start first.
  if (early && core_.order.is_strict()) return core_.scheduler.wait_until(job, row.run_at), false;
  // An earlier owner whose clock was ahead let it into the line. (A record without a run_at has the
  // time of its admission instead, which never delays it.)
  if (early && row.run_at != row.admitted_at) {
    core_.scheduler.remove(job);
    parts_.placement.place(job);
    return false;
  }
  if (!job->type) return leave_unknown_type(job), false;
  if (core_.scheduler.waits(job)) return false;
  // Last, because the host reserves its one suspect attempt for the next token: nothing may keep
  // the job from starting after that.
  return !is_suspect(row) || may_start_suspect(job);
}

// That of a copy changes when its replay becomes known here, which may be later than the copy is.
void Attempts::find_type(LiveJob* job) {
  const TypeRuntime* const type = core_.type_of(job->row);
  if (type == job->type || job->keeps()) return;
  job->type = type;
  job->limit_names.clear();
}

// Whether what has happened while it waited ends it.
bool Attempts::has_to_end(LiveJob* job) {
  const bool expired = job->row.expired(core_.now);
  const bool asked = job->row.cancel_asked();            // its attempt ended with its owner
  const bool crashed = job->row.crashes >= kMaxCrashes;  // the last crash notice came while it ran
  const bool unwanted = job->row.is_copy() && core_.replays.is_cancelled(job->row);
  if (!expired && !asked && !crashed && !unwanted) return false;
  core_.scheduler.remove(job);
  if (unwanted) {
    parts_.endings.end(job, JobState::kCancelled, kCancelledReplay);
  } else if (expired) {
    parts_.endings.expire(job);
  } else {
    asked ? parts_.endings.end_as_asked(job) : parts_.endings.bury_crashed(job);
  }
  return true;
}

// Where the queue is strict, the account starts nothing until something about it changes: picking
// it has taken it out of the fair queue, and without settle() it stays out.
void Attempts::leave_unknown_type(LiveJob* job) {
  const bool dead = core_.options.queue.unknown_types == UnknownTypes::kDead;
  if (!dead && core_.order.is_strict()) return core_.scheduler.spare_memory(*job->line);
  core_.scheduler.remove(job);
  dead ? parts_.endings.bury_unknown_type(job) : parts_.placement.park(job);
}

// Two suspects that are in flight at the same crashes would go dead together, though only one of
// them is to blame. So one runs at a time in the process.
bool Attempts::may_start_suspect(LiveJob* job) {
  Token next = last_token_;
  ++next.number;
  if (core_.host.may_run_suspect(next)) return true;
  core_.scheduler.remove(job);
  parts_.placement.place_after(job, kSuspectWait, JobState::kScheduled);
  return false;
}

// False: it has ended at once.
bool Attempts::start(LiveJob* job) {
  // Kept because a running job is in no line.
  Line& line = *job->line;
  ++last_token_.number;
  if (job->type->policy.batch) gather(job);
  core_.scheduler.started(job, last_token_);
  job->batch ? job->batch->each([this](LiveJob* item) { begin(item); }) : begin(job);
  std::optional<AttemptResult> result = core_.host.start({job->token, *job, *job->type});
  // Not settled here: finish() does it, and may forget the line.
  if (result) return finish(job, std::move(*result)), false;
  running_.emplace(job->token.number, job);
  core_.scheduler.settle(line);
  return true;
}

void Attempts::gather(LiveJob* first) {
  // A suspect runs alone, so that a crash tells which job it was. The batch's cursor stays with the
  // others.
  if (is_suspect(first->row)) parts_.cursor.leave(first);
  auto gathered = core_.scheduler.batches().gather(
      first, [this](const JobRow& row) { return core_.bulks.on_done_bytes(row); });
  if (gathered.has_cursor && gathered.has_cursor != first)
    parts_.cursor.move(gathered.has_cursor, first);
  first->batch = std::move(gathered.batch);
  first->batch->each([&](LiveJob* item) {
    if (item != first) item->leader = first;
  });
}

void Attempts::begin(LiveJob* job) {
  job->row.started_at = core_.now;
  // The row must say that the job has started, or it would expire after a crash.
  if (job->row.expires_at != Time{}) core_.store.mark_unsaved(job);
  ++core_.counters.started;
  core_.outgoing.event(EventKind::kStarted, job->row, &job->token, {}, core_.now);
  if (job->type->policy.unique) parts_.unique.started(job);
  if (job->row.is_copy()) core_.replays.started(job->row);
}

// -- While it runs

LiveJob* Attempts::find(const Token& token) {
  // Numbers start again with every tenure: a late outcome may have the number of another attempt.
  const auto found = running_.find(token.number);
  return found == running_.end() || found->second->token != token ? nullptr : found->second;
}

// A handler that continues assumes that its cursor was saved. So a cursor without its follow-ups is
// as bad as one that is too large: neither is saved, nor is any later one of this attempt.
void Attempts::checkpoint(const Token& token, std::string cursor,
                          std::span<const FollowUp> enqueue) {
  LiveJob* const job = find(token);
  if (!job || !job->refused.empty()) return;
  std::optional<std::string> refused;
  if (cursor.size() > kMaxCursorBytes) refused = oversize_cursor(cursor);
  if (!refused) refused = follow_ups_.produce(job, enqueue);
  core_.store.forget_unsaved(job);  // its size changes
  if (refused) {
    job->row.reason = job->refused = refused->substr(0, kMaxDetailBytes);
    core_.host.ask_to_stop(token);
  } else {
    job->row.cursor = std::move(cursor);
  }
  core_.store.mark_unsaved(job);
  if (refused || !job->batch) return;
  // What the cursor says is true of these jobs together. From now on their rows name the batch, so
  // that after a crash they are passed to the handler together again.
  JobSeq& together = job->batch->number;
  if (!together.given()) together = core_.seqs.take();
  job->batch->each([&](LiveJob* item) {
    if (item->row.batch == together) return;
    item->row.batch = together;
    core_.store.mark_unsaved(item);
  });
}

void Attempts::progress(const Token& token, std::int64_t n, std::int64_t total) {
  LiveJob* const job = find(token);
  if (!job) return;
  job->row.progress = n;
  job->row.progress_total = total;
  core_.store.mark_unsaved(job);
}

std::vector<Token> Attempts::tokens() const {
  std::vector<Token> tokens;
  tokens.reserve(running_.size());
  for (const auto& [number, job] : running_) tokens.push_back(job->token);
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

// In the order of their tokens: the order of the table differs from process to process.
void Attempts::ask_all_to_stop() {
  for (const Token& token : tokens()) {
    LiveJob* const job = find(token);
    if (!std::exchange(job->stop_asked, true)) core_.host.ask_to_stop(token);
  }
}

// -- Outcome

void Attempts::ended(const Token& token, AttemptResult result) {
  LiveJob* const job = find(token);
  if (!job) return;
  running_.erase(token.number);
  finish(job, std::move(result));
}

void Attempts::finish(LiveJob* job, AttemptResult result) {
  core_.store.identities().prefetch(job->digest);
  // What follows may end the job, so everything that is needed after that is taken out of it first:
  // its account, its batch, and the name of its line.
  const Scheduler::Seat seat = core_.scheduler.leave(job);
  const std::unique_ptr<JobBatch> batch = std::exchange(job->batch, nullptr);
  std::string buffer;
  const std::string line(batch ? core_.order.line_of(job->row, buffer) : std::string_view());
  // First, because it may change the outcome that all others look at.
  refuse_unfit(job, result);
  count_run(job, batch.get(), result.outcome);
  each_of(job, batch.get(), {}, [&](const LiveJob* item, bool) {
    if (item->row.is_copy()) core_.replays.stopped(item->row);
  });
  const GivenUp given_up = leave_holds(job, batch.get(), result);
  Breaker* const breaker =
      core_.breakers.ended(*job, result.outcome, result.items, batch ? batch->items.size() : 0);
  core_.counters.uncounted_failures = core_.breakers.uncounted();
  if (batch) {
    parts_.batch_outcomes.finish(*batch, std::move(result));
    core_.scheduler.batch_ended(seat, line);
  } else {
    if (job->row.bulk_index >= 0) measure_chunk(job->row, result);
    parts_.outcomes.finish(job, result.outcome);
  }
  // Gates open last: by then the job is back in its line, or has ended, and its account has room,
  // so that what was released goes to the first line in the scheduler's order.
  core_.scheduler.ended(seat);
  core_.scheduler.give_back(given_up.limits);
  if (breaker) core_.scheduler.open(*breaker);
  core_.scheduler.give_back(given_up.gates);
}

// An outcome or checkpoint that cannot be accepted makes the attempt a failed one.
void Attempts::refuse_unfit(LiveJob* job, AttemptResult& result) {
  const auto* const next = std::get_if<NextIteration>(&result.outcome);
  if (next && next->cursor.size() > kMaxCursorBytes)
    result.outcome = RetryLater{oversize_cursor(next->cursor), std::nullopt};
  // The follow-ups of an attempt that is repeated are not produced: the next one enqueues them
  // again.
  const bool retried = std::holds_alternative<RetryLater>(result.outcome) ||
                       std::holds_alternative<Interrupted>(result.outcome);
  std::optional<std::string> refused;
  if (!job->refused.empty()) {
    refused = std::exchange(job->refused, {});
  } else if (!retried && !result.enqueue.empty()) {
    refused = follow_ups_.produce(job, result.enqueue);
  }
  if (!refused) return;
  // An item's own outcome came with the follow-ups that were refused, so it is refused, too.
  result.outcome = RetryLater{*std::move(refused), {}, std::string(kBadEnqueueError)};
  result.items.clear();
}

// How long the job has run since it last yielded or waited: any other outcome ends it or sets this
// back. The jobs of a batch continue together, so they have run equally long.
void Attempts::count_run(LiveJob* job, const JobBatch* batch, const OutcomeValue& outcome) {
  if (!std::holds_alternative<NextIteration>(outcome) &&
      !std::holds_alternative<Interrupted>(outcome))
    return;
  Duration ran{0};
  each_of(job, batch, {}, [&](const LiveJob* item, bool) { ran = std::max(ran, item->row.ran); });
  // The clock may have been set back since.
  if (core_.now > job->row.started_at) ran += core_.now - job->row.started_at;
  each_of(job, batch, {}, [&](LiveJob* item, bool) { item->row.ran = ran; });
}

void Attempts::measure_chunk(const JobRow& chunk, const AttemptResult& result) {
  // With a cursor, an earlier iteration or attempt has done some of the items.
  if (!std::holds_alternative<Done>(result.outcome) || !chunk.cursor.empty()) return;
  const auto took = result.took.value_or(std::max(Duration{0}, core_.now - chunk.started_at));
  item_times_.measured(chunk, took, core_.now);
}

// What the job does not go on holding until the next iteration.
Attempts::GivenUp Attempts::leave_holds(LiveJob* job, const JobBatch* batch,
                                        const AttemptResult& result) {
  LiveJob* const goes_on = keeper(job, batch, result);
  GivenUp left;
  if (!goes_on) {
    left.limits.take_limits(job);
  } else if (goes_on != job) {
    // The first job has all slots of the batch, but it ends, or leaves with an outcome of its own.
    goes_on->holds = std::exchange(job->holds, {});
    goes_on->held_as = job->held_as;
  }
  each_of(job, batch, result.items, [&](LiveJob* item, bool own) {
    // Unlike slots, of which a batch has one set, each job has the lock of its own key.
    const bool stays = goes_on && !own && !item->row.cancel_asked();
    if (!stays) left.gates.take_unique_gate(item);
    if (stays && (item->unique_gate || !item->holds.empty())) core_.scheduler.keep(item);
  });
  return left;
}

}  // namespace penstock
