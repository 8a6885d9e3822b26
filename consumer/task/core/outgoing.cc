#include "consumer/task/core/outgoing.h"

#include <utility>
#include <vector>

#include "consumer/replay/copy_record.h"
#include "topics/partitioner.h"
#include "topics/record/dead_record.h"
#include "topics/record/own_headers.h"
#include "topics/record/record_headers.h"

namespace penstock {

Outgoing::Outgoing(const TaskOptions& options, Outbox& outbox, TaskHost& host)
    : options_(options),
      names_(options.prefix, options.queue.name),
      events_{names_.events_topic(), options.partition},
      outbox_(outbox),
      host_(host) {}

std::string Outgoing::place_of(Offset offset) const {
  return place_name(names_.topic(), options_.partition, offset);
}

void Outgoing::bad_record(const LogRecord& record, const BadRecord& bad, std::string source,
                          Time now) {
  DeadRecord dead = dead_record(record, dead_letter(bad, source, now));
  send({names_.dead_topic(), options_.partition},
       {std::move(dead.key), std::move(dead.value), std::move(dead.headers)});
}

void Outgoing::dead_job(const JobRow& row, DeadReason reason, std::string_view detail, Time now) {
  std::vector<HeaderView> headers;
  for (const Header& header : row.headers) headers.push_back(view_of(header));
  OutboxMessage message;
  message.key = row.account;
  message.value = row.value;
  // `attempt` is 1 from the admission on, before any attempt has started.
  const int attempts = row.started_at == Time{} ? 0 : row.attempt;
  const std::string source = row.is_copy()        ? copy_origin_member(row.replay, "source")
                             : row.origin.empty() ? place_of(row.offset)
                                                  : row.origin;
  message.headers = dead_headers(headers, {reason, std::string(detail), source, attempts, now});
  // A replay of dead jobs passes on the id of the first original.
  if (row.is_copy()) message.headers.push_back({std::string(kReplayHeader), row.replay});
  // A producer may send the dead record back with its headers; its long id must then be accepted.
  if (row.id.size() > kMaxIdBytes) message.headers.push_back({std::string(kDerivedHeader), "1"});
  send({names_.dead_topic(), options_.partition}, std::move(message));
}

void Outgoing::forward(const LogRecord& record, std::string origin, bool derived, PartitionId to) {
  OutboxMessage message;
  if (record.key) message.key = *record.key;
  if (record.value) message.value = *record.value;
  for (const HeaderView& header : record.headers) {
    // Reserved headers are written again: those of the record name the message that brought it
    // here.
    if (!is_reserved_header(header.name)) message.headers.push_back(copy_of(header));
  }
  // An id that is made from the record's position must not change with the partition.
  message.headers.push_back({std::string(kOriginHeader), std::move(origin)});
  if (derived) message.headers.push_back({std::string(kDerivedHeader), "1"});
  send({names_.topic(), to}, std::move(message));
}

void Outgoing::job(const Destination& to, std::string account, std::string record,
                   std::vector<Header> headers) {
  OutboxMessage message;
  message.key = std::move(account);
  message.value = std::move(record);
  message.headers = std::move(headers);
  message.headers.push_back({std::string(kDerivedHeader), "1"});
  send(to, std::move(message));
}

void Outgoing::job_of_this_partition(std::string account, std::string record) {
  job({names_.topic(), options_.partition}, std::move(account), std::move(record));
}

void Outgoing::copy(const Destination& to, std::string account, std::string record,
                    std::vector<Header> headers, std::string origin, Time started_at) {
  headers.push_back({std::string(kReplayHeader), std::move(origin)});
  const bool is_own = to.topic == names_.topic();
  if (is_own)
    headers.push_back({std::string(kReplayStartedHeader), std::to_string(to_ms(started_at))});
  else
    headers.push_back({std::string(kReplayQueueHeader), options_.queue.name});
  job(to, std::move(account), std::move(record), std::move(headers));
}

void Outgoing::control(std::string key, std::string value) {
  OutboxMessage message;
  message.key = std::move(key);
  message.value = std::move(value);
  send({control_topic(options_.prefix), 0}, std::move(message));
}

void Outgoing::slot_report(const std::string& limit, SlotReport report) {
  report.from = {options_.queue.name, options_.partition};
  OutboxMessage message;
  message.key = limit;
  message.value = to_json(report);
  send({slots_topic(options_.prefix), partition_of(limit, options_.slots_partitions)},
       std::move(message));
}

void Outgoing::event(EventKind kind, const JobRow& row, const Token* token, std::string_view reason,
                     Time now) {
  if (host_.watches_jobs()) host_.job_changed({kind, row, reason, commit_seq_});
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
                          now,
                          options_.instance,
                          reason};
  OutboxMessage message;
  message.key = row.account;
  message.value = to_json(event);
  send(events_, std::move(message));
}

}  // namespace penstock
