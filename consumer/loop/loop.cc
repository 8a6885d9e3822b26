#include "consumer/loop/loop.h"

#include <algorithm>
#include <utility>

namespace penstock {

Loop::Loop(LoopOptions options, LogSession& session, LoopHost& host)
    : options_(std::move(options)),
      session_(session),
      host_(host),
      mailbox_([&session] { session.wake(); },
               [&host](const AttemptKey& key) { host.attempt_begun(key); }),
      control_(
          session, session.topic(control_topic(options_.prefix)),
          [this](const std::string& text) { host_.notice(options_.queue.name + ": " + text); }),
      topics_(session),
      parts_{session,
             host,
             leases_,
             mailbox_,
             control_,
             tickets_,
             topics_,
             [this] { renewals_.ask(); },
             [this] { return partitions_.has_read_all(); },
             [this](const std::string& reason, Now now) { refuse(reason, now); }},
      standbys_(options_, parts_),
      partitions_(options_, parts_, budget_, standbys_),
      rounds_(options_, host, control_, partitions_, budget_),
      reports_(partitions_, rounds_),
      crashes_(options_, parts_),
      trouble_(options_.queue.name, host) {
  const QueueNames names(options_.prefix, options_.queue.name);
  session_.join(topics_.of(names.topic()), names.group());
}

// Everything that is sound is committed and released, within the grace time of a revoked partition.
void Loop::refuse(const std::string& reason, Now now) {
  if (std::exchange(refused_, true)) return;
  host_.refused(reason);
  stop(now.boot + options_.grace);
}

void Loop::pass(Now now) {
  if (stopped_) return;
  mailbox_.passes(now.boot);
  budget_ = StepBudget(options_.bounds);
  // First of all: after a stall of this thread, nothing else may be done for attempts whose lease
  // is over.
  leases_.check(now.boot);
  // Before the reports, so that a report of an attempt that was killed finds it ended and changes
  // nothing.
  process_killed(now);
  control_.tick(now);
  deliver_posted(now);
  LogRouter router = listener(now);
  const bool busy = session_.poll(router);
  // After the poll, whose answers may have asked for it, and outside the calls of the outboxes that
  // it changes.
  renew_outboxes_if_due(now);
  // What operators had set before the claim must be known when the partition starts its first
  // attempt.
  if (partitions_.claim_one(now)) control_.read_to_end(now);
  rounds_.restore_one(now);
  apply_control(now);
  rounds_.step_all(now);
  rounds_.commit_one(busy, now);
  // The watchdog, or a tenure that has been dropped in this pass, may have killed more.
  process_killed(now);
  // Tenures are destroyed here only: in the steps above, callers further up the stack may be using
  // them.
  partitions_.reap(now);
  step_standbys(now);
  trouble_.look_if_due(partitions_, now.boot);
  if (partitions_.stopping()) finish_stop();
}

void Loop::process_killed(Now now) {
  for (const AttemptKey& key : leases_.take_killed()) {
    if (Tenure* const at = tenure(key.partition)) at->attempts().on_killed(key, now);
  }
}

void Loop::take_posted() {
  if (posted_.messages.empty() && posted_.calls.empty()) mailbox_.drain(posted_);
}

void Loop::deliver_posted(Now now) {
  reports_.begin(now);
  for (HandlerMessage& message : posted_.messages) reports_.deliver(std::move(message), now);
  for (const LoopMailbox::Call& call : posted_.calls) call(*this, now);
  // The vectors keep their memory.
  posted_.messages.clear();
  posted_.calls.clear();
}

// Nothing that was sent through the old lane will be answered any more.
void Loop::renew_outboxes_if_due(Now now) {
  if (!renewals_.take_due(now.boot)) return;
  session_.renew(Lane::kOutbox);
  tickets_.forget_lane(Lane::kOutbox);
  crashes_.forget_all();
  partitions_.each([](HeldPartition& held) { held.tenure->emit_outbox_again(); });
}

void Loop::apply_control(Now now) {
  // Until it is read to its end, what it says may be of what is no more, such as a replay that was
  // deleted and whose name another one has.
  if (!control_.is_read()) return;
  const bool changed = control_.take_changed();
  partitions_.each([&](HeldPartition& held) {
    if (changed || held.tenure->lacks_control()) held.tenure->set_control(now);
  });
  if (changed && control_.control().limits_replays(options_.queue.name)) host_.shares_limit();
}

void Loop::step_standbys(Now now) {
  if (partitions_.stopping()) return;
  standbys_.step([this](PartitionId partition) { return partitions_.find(partition) != nullptr; },
                 !partitions_.all_run(), now);
  for (const PartitionId partition : standbys_.vacant(now)) partitions_.stand_in(partition);
}

std::chrono::nanoseconds Loop::idle_for(Now now) {
  // One partition commits per pass.
  if (rounds_.commit_waits()) return std::chrono::nanoseconds(0);
  std::chrono::nanoseconds idle = std::chrono::milliseconds(200);
  for (const auto& [partition, held] : partitions_.all()) {
    if (held.claims) return std::chrono::nanoseconds(0);
    if (!held.tenure) continue;
    // The reports are already here, so nothing would wake the loop for them.
    if (!held.deferred.empty() && !held.tenure->crowded()) return std::chrono::nanoseconds(0);
    idle = std::min(idle, held.tenure->idle_for(now));
  }
  return idle;
}

void Loop::finish_stop() {
  // A member that leaves before its partitions are released would have the group assign them while
  // their tenures last.
  if (!partitions_.all().empty()) return;
  // Last, because what is left of the copies is written, and jobs wait for the releases.
  standbys_.stop();
  session_.leave();
  stopped_ = true;
  mailbox_.passes(Instant{});
}

}  // namespace penstock
