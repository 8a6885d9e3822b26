#include "consumer/loop/report_delivery.h"

#include <utility>

namespace penstock {

void ReportDelivery::begin(Now now) {
  delivered_ = 0;
  partitions_.each([&](HeldPartition& held) { deliver_deferred(held, now); });
}

void ReportDelivery::deliver(HandlerMessage message, Now now) {
  const PartitionId partition =
      std::visit([](const auto& inner) { return inner.key.partition; }, message);
  HeldPartition* const held = partitions_.find(partition);
  // The partition is not this worker's any more, and its next owner runs the job again.
  if (!held || !held->tenure) return;
  // Behind deferred reports, a new one has to wait as well: an attempt's checkpoint must not come
  // after its end.
  if (!held->deferred.has_queue() && !held->tenure->crowded()) {
    held->tenure->attempts().on_message(std::move(message), now);
  } else {
    held->deferred.add(std::move(message));  // its commit is full: later
  }
  start_between_messages(now);
}

void ReportDelivery::deliver_deferred(HeldPartition& held, Now now) {
  Tenure& tenure = *held.tenure;
  // Asked again for each report, because each can add to what waits for the commit.
  while (!tenure.crowded()) {
    auto progress = held.deferred.take_progress();
    if (!progress) break;
    tenure.attempts().on_message(std::move(*progress), now);
  }
  while (!tenure.crowded()) {
    auto report = held.deferred.take_report();
    if (!report) break;
    tenure.attempts().on_message(std::move(*report), now);
    start_between_messages(now);
  }
}

void ReportDelivery::start_between_messages(Now now) {
  if (++delivered_ % kMessagesBeforeStarts == 0) rounds_.start_ready(now);
}

}  // namespace penstock
