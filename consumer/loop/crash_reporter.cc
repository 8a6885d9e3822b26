#include "consumer/loop/crash_reporter.h"

#include "topics/names.h"
#include "topics/partitioner.h"
#include "topics/record/own_headers.h"

namespace penstock {

void CrashReporter::send(const InFlight& job) {
  const PartitionId partition = partition_of(job.account, options_.queue.partitions);
  const QueueNames names(options_.prefix, options_.queue.name);
  const HeaderView header{kCrashHeader, "1"};
  const NewRecord record{job.account, job.id, {&header, 1}};
  const Ticket ticket = parts_.tickets.next();
  const TopicPartition to{parts_.topics.of(names.topic()), partition};
  if (!parts_.session.append(Lane::kOutbox, to, record, ticket)) {
    return parts_.host.notice(partition_name(options_.queue.name, partition) +
                              ": a crash notice is dropped because the buffer is full");
  }
  // Only once the buffer has taken it: a job whose notice never leaves would be awaited for ever.
  parts_.host.notice_sent(job);
  sent_.emplace(ticket, job);
}

void CrashReporter::on_appended(Ticket ticket, const Appended& result) {
  const auto found = sent_.find(ticket);
  if (found == sent_.end()) return;
  parts_.host.notice_appended(found->second, result.error ? std::nullopt : result.offset);
  sent_.erase(found);
}

void CrashReporter::forget_all() {
  // The notices may or may not be in the log. To await one that is not would block its job, whereas
  // a job that starts too early at worst crashes its process once more.
  for (const auto& [ticket, job] : sent_) parts_.host.notice_appended(job, std::nullopt);
  sent_.clear();
}

}  // namespace penstock
