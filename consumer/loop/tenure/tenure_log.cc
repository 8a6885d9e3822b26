#include "consumer/loop/tenure/tenure_log.h"

#include "topics/names.h"

namespace penstock {

TenureLog::TenureLog(const TenureOptions& options, TenureParts& parts)
    : parts_(parts),
      tenure_(options.tenure),
      state_{
          parts.topics.of(QueueNames(options.task.prefix, options.task.queue.name).state_topic()),
          options.task.partition} {}

void TenureLog::ask_bounds() { parts_.session.bounds(state_); }
void TenureLog::read(Offset from) { parts_.session.read(state_, from); }
void TenureLog::stop_reading() { parts_.session.stop_reading(state_); }
void TenureLog::delete_before(Offset before) { parts_.session.delete_records(state_, before); }
void TenureLog::renew_outbox() { parts_.renew_outboxes(); }

bool TenureLog::append(std::uint64_t number, std::string_view record) {
  if (!append(Lane::kState, state_, number, {std::nullopt, record, {}})) return false;
  // Only once the buffer has taken it: a record that finds no room is appended again.
  size_.appended(record.size());
  return true;
}

bool TenureLog::append_outbox(std::uint64_t number, const Destination& to,
                              const NewRecord& record) {
  return append(Lane::kOutbox, {parts_.topics.of(to.topic), to.partition}, number, record);
}

bool TenureLog::append(Lane lane, TopicPartition to, std::uint64_t number,
                       const NewRecord& record) {
  const Ticket ticket = parts_.tickets.next({state_.partition, tenure_, lane, number});
  if (parts_.session.append(lane, to, record, ticket)) return true;
  // No answer will come for it, and the entry would stay for ever.
  parts_.tickets.forget(ticket);
  return false;
}

}  // namespace penstock
