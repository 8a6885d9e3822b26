#include "topics/simulated/brokers/brokers.h"

#include <algorithm>

namespace penstock::simulated {
namespace {

// OUT_OF_ORDER_SEQUENCE_NUMBER: an earlier request has not arrived yet.
void refuse(const Link& link, const ProduceRequest& request) {
  link.from_broker(Care::kLossy, nullptr, [request] {
    request.from->refused(request.key, request.batch, request.producer);
  });
}

}  // namespace

bool Brokers::is_away(const Partition& partition) const {
  return world_->now() < partition.away_until();
}

// A request for a partition without a leader waits in its session until there is one.
template <typename Request>
bool Brokers::waits(const Link& link, const Partition& partition, const Request& request) {
  if (!is_away(partition)) return false;
  world_->faults().count(Fault::kBrokerAway);
  world_->timeline().at(partition.away_until(), [this, link, request] { handle(link, request); });
  return true;
}

// Whether a producer that the broker does not know may begin with this request (KIP-360).
bool Brokers::begins(const ProduceRequest& request) {
  FaultPlan& faults = world_->faults();
  if (request.sequence != 0) {
    const double p = std::max(world_->rates().unknown_producer_begins, 0.0);
    if (!world_->random().chance(p)) {
      faults.count(Fault::kUnknownProducerRefused);
      return false;
    }
    faults.count(Fault::kUnknownProducerBegins);
  }
  request.to->begin_at(request.producer, request.sequence);
  return true;
}

// Returns the offset of the request's first record.
Offset Brokers::take(const Link& link, const ProduceRequest& request) {
  const Offset first = request.to->end();
  const auto count = static_cast<std::int64_t>(request.records->size());
  request.to->remember(request.producer, request.sequence, count, first);
  if (!link.alive()) world_->faults().count(Fault::kAppendAfterClose);
  for (const Payload* payload : *request.records) {
    if (payload->entered()) world_->faults().count(Fault::kDuplicateInLog);
    topics_.enter(*request.to, *payload);
  }
  return first;
}

void Brokers::acknowledge(const Link& link, const ProduceRequest& request,
                          std::optional<Offset> first) {
  // `from` is a part of the session, so it may be used only as long as that exists.
  if (!link.alive()) return;
  if (world_->random().chance(world_->rates().lost_answer))
    return world_->faults().count(Fault::kLostAnswer);
  link.from_broker(Care::kReliable, request.from->answers(request.key), [request, first] {
    request.from->acknowledged(request.key, request.batch, request.producer, first);
  });
}

void Brokers::handle(const Link& link, const ProduceRequest& sent) {
  ProduceRequest request = sent;
  request.to = &sent.to->live();
  FaultPlan& faults = world_->faults();
  // Dropped, because the sender repeats it. Fetches and deletes are sent only once, so they wait.
  if (is_away(*request.to)) return faults.count(Fault::kBrokerAway);
  const auto memory = request.to->recall(request.producer, request.sequence);
  switch (memory.verdict) {
    case Partition::Verdict::kAhead:
      faults.count(Fault::kOutOfOrder);
      return refuse(link, request);
    case Partition::Verdict::kUnknown:
      // Without an answer, the records time out, and the sender continues under another producer.
      if (!begins(request)) return;
      return acknowledge(link, request, take(link, request));
    case Partition::Verdict::kNext:
      return acknowledge(link, request, take(link, request));
    case Partition::Verdict::kKnown:
      break;
  }
  const bool tells =
      memory.offset && !world_->random().chance(faults.rates().duplicate_without_offset);
  faults.count(tells ? Fault::kDuplicateAnswered : Fault::kDuplicateWithoutOffset);
  acknowledge(link, request, tells ? memory.offset : std::nullopt);
}

void Brokers::handle(const Link& link, const FetchRequest& request) {
  Partition& of = *request.of;
  if (!link.alive() || waits(link, of, request)) return;
  if (of.deleted() || request.position < of.start() || request.position > of.end()) {
    link.from_broker(Care::kReliable, nullptr,
                     [request] { request.from->out_of_range(request.read, request.position); });
    return;
  }
  const auto there_are = static_cast<std::uint64_t>(of.end().value - request.position.value);
  // Kafka, too, holds back the answer to a fetch until there is a record.
  if (there_are == 0) return of.wait_for_record([this, link, request] { handle(link, request); });
  std::uint64_t most = world_->options().fetch_records;
  if (world_->faulty() && world_->random().chance(0.5)) most = 1 + world_->random().below(12);
  const std::uint64_t count = std::min(there_are, most);
  link.from_broker(Care::kReliable, nullptr, [request, count] {
    request.from->fetched(request.read, request.position, count);
  });
}

void Brokers::handle(const Link& link, const DeleteRequest& sent) {
  DeleteRequest request = sent;
  request.of = &sent.of->live();
  if (waits(link, *request.of, request)) return;
  // A request that has reached the broker takes effect even if its session has ended.
  const bool fits = request.before <= request.of->end();
  const bool cuts = fits && request.before > request.of->start();
  if (cuts) request.of->trim(request.before);
  // In this order: once the session has ended, `from` does not exist any more.
  if (cuts && (!link.alive() || !request.from->awaits(request.request)))
    world_->faults().count(Fault::kLateTrim);
  link.from_broker(Care::kLossy, nullptr, [request, fits] {
    Status status;
    if (!fits)
      status = failure("records below " + std::to_string(request.before.value) +
                       " cannot be deleted: the log ends before; ask for its bounds");
    request.from->deleted(request.request, status);
  });
}

void Brokers::handle(const Link& link, const BoundsRequest& sent) {
  BoundsRequest request = sent;
  request.of = &sent.of->live();
  if (is_away(*request.of)) {
    world_->timeline().at(request.of->away_until(),
                          [this, link, request] { handle(link, request); });
    return;
  }
  const Bounds bounds{request.of->start(), request.of->end(), request.of->topic_uuid()};
  link.from_broker(Care::kLossy, nullptr,
                   [request, bounds] { request.from->bounds_known(request.request, bounds); });
}

}  // namespace penstock::simulated
