#include "topics/simulated/broker.h"

#include <algorithm>

#include "topics/simulated/session.h"

namespace penstock::simulated {
namespace {

bool away(const Link& link, const Partition& partition) {
  return link.cluster().now() < partition.away_until();
}

// Whether a producer that the broker does not know may begin with this request (KIP-360).
bool begins(const Link& link, const ProduceRequest& request) {
  FaultPlan& faults = link.cluster().faults();
  if (request.sequence != 0) {
    const double p = std::max(link.cluster().rates().unknown_producer_begins, 0.0);
    if (!link.cluster().random().chance(p)) {
      faults.count(Fault::kUnknownProducerRefused);
      return false;
    }
    faults.count(Fault::kUnknownProducerBegins);
  }
  request.to->begin_at(request.producer, request.sequence);
  return true;
}

// Returns the offset of the request's first record.
Offset take(const Link& link, const ProduceRequest& request) {
  SimulatedCluster& cluster = link.cluster();
  const Offset first = request.to->end();
  const auto count = static_cast<std::int64_t>(request.records->size());
  request.to->remember(request.producer, request.sequence, count, first);
  if (link.session() == nullptr) cluster.faults().count(Fault::kAppendAfterClose);
  for (const Payload* payload : *request.records) {
    if (payload->entered()) cluster.faults().count(Fault::kDuplicateInLog);
    cluster.enter(*request.to, *payload);
  }
  return first;
}

void acknowledge(const Link& link, const ProduceRequest& request, std::optional<Offset> first) {
  SimulatedSession* const session = link.session();
  if (session == nullptr) return;
  SimulatedCluster& cluster = link.cluster();
  if (cluster.random().chance(cluster.rates().lost_answer))
    return cluster.faults().count(Fault::kLostAnswer);
  link.from_broker(Care::kReliable, session->sender(request.key.lane).answers(request.key),
                   [request, first](SimulatedSession& there) {
                     there.sender(request.key.lane)
                         .acknowledged(request.key, request.batch, request.producer, first);
                   });
}

// OUT_OF_ORDER_SEQUENCE_NUMBER: an earlier request has not arrived yet.
void refuse(const Link& link, const ProduceRequest& request) {
  link.from_broker(Care::kLossy, nullptr, [request](SimulatedSession& there) {
    there.sender(request.key.lane).refused(request.key, request.batch, request.producer);
  });
}

// A request for a partition without a leader waits in its session until there is one.
template <typename Request>
bool waits(const Link& link, const Partition& partition, const Request& request) {
  if (!away(link, partition)) return false;
  link.cluster().faults().count(Fault::kBrokerAway);
  link.cluster().at(partition.away_until(), [link, request] { handle(link, request); });
  return true;
}

}  // namespace

void handle(const Link& link, const ProduceRequest& sent) {
  ProduceRequest request = sent;
  request.to = &sent.to->live();
  SimulatedCluster& cluster = link.cluster();
  FaultPlan& faults = cluster.faults();
  if (away(link, *request.to)) return faults.count(Fault::kBrokerAway);
  const auto memory = request.to->recall(request.producer, request.sequence);
  switch (memory.verdict) {
    case Partition::Verdict::kAhead:
      faults.count(Fault::kOutOfOrder);
      return refuse(link, request);
    case Partition::Verdict::kUnknown:
      if (!begins(link, request)) return;
      return acknowledge(link, request, take(link, request));
    case Partition::Verdict::kNext:
      return acknowledge(link, request, take(link, request));
    case Partition::Verdict::kKnown:
      break;
  }
  const bool tells =
      memory.offset && !cluster.random().chance(faults.rates().duplicate_without_offset);
  faults.count(tells ? Fault::kDuplicateAnswered : Fault::kDuplicateWithoutOffset);
  acknowledge(link, request, tells ? memory.offset : std::nullopt);
}

void handle(const Link& link, const FetchRequest& request) {
  SimulatedCluster& cluster = link.cluster();
  Partition& from = *request.from;
  if (link.session() == nullptr || waits(link, from, request)) return;
  if (from.deleted() || request.position < from.start() || request.position > from.end()) {
    link.from_broker(Care::kReliable, nullptr, [request](SimulatedSession& there) {
      there.fetcher().out_of_range(request.read, request.position);
    });
    return;
  }
  const auto there_are = static_cast<std::uint64_t>(from.end().value - request.position.value);
  if (there_are == 0) return from.wait_for_record([link, request] { handle(link, request); });
  std::uint64_t most = cluster.options().fetch_records;
  if (cluster.faulty() && cluster.random().chance(0.5)) most = 1 + cluster.random().below(12);
  const std::uint64_t count = std::min(there_are, most);
  link.from_broker(Care::kReliable, nullptr, [request, count](SimulatedSession& session) {
    session.fetcher().fetched(request.read, request.position, count);
  });
}

void handle(const Link& link, const DeleteRequest& sent) {
  DeleteRequest request = sent;
  request.of = &sent.of->live();
  SimulatedCluster& cluster = link.cluster();
  if (waits(link, *request.of, request)) return;
  const bool fits = request.before <= request.of->end();
  const bool cuts = fits && request.before > request.of->start();
  if (cuts) request.of->trim(request.before);
  SimulatedSession* const session = link.session();
  if (cuts && (session == nullptr || !session->awaits(request.request)))
    cluster.faults().count(Fault::kLateTrim);
  link.from_broker(Care::kLossy, nullptr, [request, fits](SimulatedSession& there) {
    Status status;
    if (!fits)
      status = failure("records below " + std::to_string(request.before.value) +
                       " cannot be deleted: the log ends before; ask for its bounds");
    there.deleted(request.request, status);
  });
}

void answer_bounds(const Link& link, Partition* asked, std::uint64_t request) {
  Partition* const of = &asked->live();
  if (away(link, *of)) {
    link.cluster().at(of->away_until(), [=] { answer_bounds(link, of, request); });
    return;
  }
  const Bounds bounds{of->start(), of->end(), of->topic_uuid()};
  link.from_broker(Care::kLossy, nullptr, [bounds, request](SimulatedSession& there) {
    there.bounds_known(request, bounds);
  });
}

}  // namespace penstock::simulated
