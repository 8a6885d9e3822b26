#include "consumer/task/core/core.h"

#include <initializer_list>
#include <utility>

namespace penstock {
namespace {

Lines::Sharing sharing_of(const QueuePolicy& queue) {
  if (queue.order != Order::kFair) return Lines::Sharing::kNone;
  return queue.fair == FairShare::kFlat ? Lines::Sharing::kByOneClock
                                        : Lines::Sharing::kWithinAccounts;
}

SchedulerOptions scheduler_options(const TaskOptions& options) {
  return {options.queue.account_concurrency,
          sharing_of(options.queue),
          options.max_live_jobs,
          options.max_flows,
          options.bounds,
          options.budget};
}

}  // namespace

Core::Core(TaskOptions the_options, View& the_view, Outbox& outbox, TaskHost& the_host)
    : options(std::move(the_options)),
      order(options.queue.order),
      view(the_view),
      host(the_host),
      outgoing(options, outbox, the_host),
      format(view, options.newest_format),
      store(view, order, options.queue.dedup_window),
      seqs(view),
      // A bulk is remembered at least as long as the identities of its chunks: when its id is free,
      // so are theirs.
      bulks(view, DedupWindow(options.queue.dedup_window).longest()),
      locks(view),
      host_conditions{{host, now}, {host, input_next, now}},
      pauses(options.queue.name),
      breakers(view, now),
      limits(options.queue.name, options.queue.account_concurrency, view, now,
             options.max_shared_limits),
      unique_gates(options.queue.name, store),
      replays(outgoing.names(), options.partition, view),
      scheduler(scheduler_options(options), order, view, store, now) {
  for (Condition* const condition :
       std::initializer_list<Condition*>{&host_conditions.killed_runs, &host_conditions.notices,
                                         &pauses, &replays, &breakers, &limits, &unique_gates})
    scheduler.ask(*condition);
}

std::size_t Core::unsaved_bytes() const {
  return store.unsaved_bytes() + bulks.unsaved_bytes() + locks.unsaved_bytes() +
         breakers.unsaved_bytes() + limits.unsaved_bytes() + replays.unsaved_bytes() +
         view.batch().size();
}

bool Core::has_room() const { return unsaved_bytes() < kMaxGatheredBytes && !outgoing.full(); }

}  // namespace penstock
