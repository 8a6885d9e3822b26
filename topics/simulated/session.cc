#include "topics/simulated/session.h"

#include <algorithm>

#include "topics/values/check.h"

namespace penstock {

using namespace simulated;

namespace {

constexpr Nanos kShortWhile = std::chrono::milliseconds(1);

// Passes one arrival to a listener. An arrival that the caller has overtaken (a read was stopped, a
// lane renewed) is dropped.
struct HandOn {
  SimulatedSession& session;
  LogListener& listener;
  std::vector<LogRecord>& scratch;
  std::size_t& budget;
  bool any = false;

  void operator()(const GroupChanged& change) {
    any = true;
    if (change.change == GroupChange::kAssigned) return listener.on_assigned(change.partitions);
    if (change.change == GroupChange::kRevoked) return listener.on_revoked(change.partitions);
    listener.on_lost(change.partitions);
  }
  // Takes at most the budget; the arrival keeps the rest.
  void operator()(RecordsFetched& fetched) {
    const std::size_t count = std::min<std::size_t>(fetched.count, budget);
    const Partition* const partition = session.fetcher().reading(fetched.read);
    if (partition == nullptr) {
      session.fetcher().handed_on(std::exchange(fetched.count, 0));
      return;
    }
    scratch.clear();
    for (std::size_t i = 0; i < count; ++i)
      scratch.push_back(partition->at(Offset{fetched.first.value + static_cast<std::int64_t>(i)}));
    fetched.first.value += static_cast<std::int64_t>(count);
    fetched.count -= count;
    budget -= count;
    any = true;
    session.fetcher().handed_on(count);
    listener.on_records(fetched.from, scratch);
  }
  void operator()(const ReadOutOfRange& out) {
    if (session.fetcher().reading(out.read) == nullptr) return;
    any = true;
    session.fetcher().stop(out.from);
    listener.on_out_of_range(out.from, out.position);
  }
  void operator()(const AppendEnded& ended) {
    Sender& sender = session.sender(ended.lane);
    if (!sender.is_current(ended.generation)) return;
    any = true;
    sender.handed_on();
    listener.on_appended(ended.lane, ended.ticket, ended.result);
  }
  void operator()(const BoundsKnown& known) {
    any = true;
    listener.on_bounds(known.of, known.bounds);
  }
  void operator()(const MembershipKnown& known) {
    any = true;
    listener.on_membership(known.partition, known.held);
  }
  void operator()(const GroupOffsetKnown& known) {
    any = true;
    listener.on_group_offset(known.partition, known.offset);
  }
  void operator()(const RecordsDeleted& deleted) {
    any = true;
    listener.on_deleted(deleted.of, deleted.status);
  }
  void operator()(const ConnectionChanged& change) {
    any = true;
    listener.on_connection(change.connected, change.connected ? "connected to the brokers again"
                                                              : "no broker can be reached");
  }
  void operator()(const FatalTrouble& trouble) {
    any = true;
    listener.on_fatal(trouble.detail);
  }
};

}  // namespace

SimulatedSession::SimulatedSession(SimulatedCluster& cluster, SimulatedHost& host,
                                   const SessionOptions& options, OnReady on_ready)
    : link_(cluster, host, cluster.attach(*this)),
      on_ready_(std::move(on_ready)),
      senders_{Sender(link_, Lane::kState), Sender(link_, Lane::kOutbox)},
      fetcher_(link_),
      member_(link_, options.instance_id) {
  link_.after(kNoticesCutAfter, [](SimulatedSession& there) {
    if (there.host().notices_cut()) there.connection(false);
  });
}

SimulatedSession::~SimulatedSession() { end(); }

void SimulatedSession::end() {
  if (ended_) return;
  ended_ = true;
  link_.cluster().detach(link_.id());
  inbox_.clear();
}

TopicId SimulatedSession::topic(std::string_view name) {
  const auto found = std::find(topics_.begin(), topics_.end(), name);
  const auto index = static_cast<std::int32_t>(found - topics_.begin());
  if (found == topics_.end()) topics_.emplace_back(name);
  return TopicId{index};
}

std::string SimulatedSession::name_of(TopicPartition of) const {
  return topics_[static_cast<std::size_t>(of.topic.value)] + "/" + std::to_string(of.partition);
}

Partition* SimulatedSession::find(TopicPartition of) {
  const auto known = known_.find(of);
  if (known != known_.end()) return &known->second->live();
  PENSTOCK_CHECK(of.topic.value >= 0 && static_cast<std::size_t>(of.topic.value) < topics_.size(),
                 "a topic is named by the session that reads it");
  Partition* const found =
      link_.cluster().find(topics_[static_cast<std::size_t>(of.topic.value)], of.partition);
  if (found != nullptr) known_.emplace(of, found);
  return found;
}

void SimulatedSession::no_such(TopicPartition of) {
  link_.after(kShortWhile, [detail = name_of(of) + " does not exist: create the topic"](
                               SimulatedSession& there) { there.fatal(detail); });
}

void SimulatedSession::join(TopicId topic, std::string_view group) {
  if (ended_) return;
  const std::string& name = topics_.at(static_cast<std::size_t>(topic.value));
  const int partitions = link_.cluster().partition_count(name);
  if (partitions == 0) return no_such({topic, 0});
  member_.join(link_.cluster().group(group, name, partitions));
}

void SimulatedSession::leave() {
  if (!ended_) member_.leave();
}

void SimulatedSession::finish_revoke(PartitionId partition) {
  if (!ended_) member_.finish_revoke(partition);
}

void SimulatedSession::check_membership(PartitionId partition) {
  if (!ended_) member_.check(partition);
}

void SimulatedSession::commit_offset(PartitionId partition, Offset next) {
  if (!ended_) member_.commit(partition, next);
}

void SimulatedSession::group_offset(PartitionId partition) {
  if (!ended_) member_.ask_offset(partition);
}

void SimulatedSession::read(TopicPartition from, Offset position) {
  if (ended_) return;
  Partition* const partition = find(from);
  if (partition == nullptr) return no_such(from);
  fetcher_.read(from, *partition, position);
}

void SimulatedSession::stop_reading(TopicPartition from) { fetcher_.stop(from); }

// A request ends with its answer or its timeout, whichever comes first.
template <typename TimedOut>
std::uint64_t SimulatedSession::request(TopicPartition of, TimedOut timed_out) {
  const std::uint64_t id = link_.cluster().unique();
  requests_.emplace(id, of);
  link_.after(link_.cluster().options().request_timeout, [id, timed_out](SimulatedSession& there) {
    if (!there.awaits(id)) return;
    there.link_.cluster().faults().count(Fault::kRequestTimeout);
    timed_out(there, id);
  });
  return id;
}

void SimulatedSession::bounds(TopicPartition of) {
  if (ended_) return;
  const auto fails = [](std::string why) {
    return [why = std::move(why)](SimulatedSession& there, std::uint64_t id) {
      there.bounds_known(id, failure(why));
    };
  };
  Partition* const partition = find(of);
  if (partition == nullptr) {
    const std::uint64_t id = request(of, fails("no answer"));
    return link_.after(kShortWhile,
                       [id, fail = fails(name_of(of) + " does not exist: create the topic")](
                           SimulatedSession& there) { fail(there, id); });
  }
  const std::uint64_t id =
      request(of, fails("no broker has told the bounds of " + name_of(of) + " in time: ask again"));
  link_.to_broker(Care::kLossy, nullptr,
                  [link = link_, partition, id] { answer_bounds(link, partition, id); });
}

bool SimulatedSession::append(Lane lane, TopicPartition to, const NewRecord& record,
                              Ticket ticket) {
  if (ended_) return true;
  Partition* const partition = find(to);
  if (partition != nullptr) return sender(lane).append(*partition, record, ticket);
  return sender(lane).refuse(ticket, name_of(to) + " does not exist: create the topic",
                             Refusal::kNotInLog);
}

void SimulatedSession::renew(Lane lane) { sender(lane).renew(); }

void SimulatedSession::delete_records(TopicPartition of, Offset before) {
  if (ended_) return;
  Partition* const partition = find(of);
  if (partition == nullptr) return no_such(of);
  const auto timed_out = [](SimulatedSession& there, std::uint64_t id) {
    there.deleted(id, failure("no broker has confirmed in time that the records were deleted: they "
                              "may yet be; ask for the log's bounds"));
  };
  SimulatedCluster& cluster = link_.cluster();
  const DeleteRequest asked{partition, before, request(of, timed_out)};
  if (cluster.random().chance(cluster.rates().delete_hangs)) {
    cluster.faults().count(Fault::kDeleteHangs);
    const Nanos late = cluster.random().between(std::chrono::milliseconds(500), kSlowest);
    return cluster.timeline().after(late, [link = link_, asked] { handle(link, asked); });
  }
  link_.to_broker(Care::kLossy, nullptr, [link = link_, asked] { handle(link, asked); });
}

bool SimulatedSession::poll(LogListener& listener) {
  std::size_t budget = kMaxRecordsPerPoll;
  // what happens during a poll needs no further notification until the poll has ended
  told_ = true;
  HandOn hand_on{*this, listener, scratch_, budget};
  for (std::size_t left = inbox_.size(); left > 0 && !inbox_.empty() && budget > 0; --left) {
    Arrival arrival = std::move(inbox_.front());
    inbox_.pop_front();
    std::visit(hand_on, arrival);
    const auto* const records = std::get_if<RecordsFetched>(&arrival);
    if (records != nullptr && records->count > 0 && !ended_) inbox_.push_front(std::move(arrival));
  }
  told_ = false;
  if (!inbox_.empty()) ready();
  return hand_on.any;
}

void SimulatedSession::wait(std::chrono::nanoseconds at_most) {
  SimulatedCluster& cluster = link_.cluster();
  if (!cluster.options().wait_passes_time) return;
  const Instant end = cluster.now() + at_most;
  while (inbox_.empty() && cluster.timeline().next() <= end && cluster.step()) {
  }
  if (inbox_.empty()) cluster.run_until(end);
}

void SimulatedSession::wake() {
  if (!ended_ && on_ready_) tell();
}

void SimulatedSession::ready() {
  if (std::exchange(told_, true) || !on_ready_) return;
  tell();
}

// As an event of its own, so that a poll inside on_ready never runs inside a part of the simulator.
void SimulatedSession::tell() {
  link_.at(link_.cluster().now(), [](SimulatedSession& there) { there.on_ready_(there); });
}

void SimulatedSession::arrive(Arrival arrival) {
  if (ended_) return;
  link_.cluster().note(link_.id() * 16 + arrival.index());
  inbox_.push_back(std::move(arrival));
  ready();
}

void SimulatedSession::appended(const StreamKey& key, Ticket ticket, const Appended& result) {
  arrive(AppendEnded{key.lane, key.generation, ticket, result});
}

void SimulatedSession::records(TopicPartition from, std::uint64_t read, Offset first,
                               std::uint64_t count) {
  arrive(RecordsFetched{from, read, first, count});
}

void SimulatedSession::out_of_range(TopicPartition from, std::uint64_t read, Offset position) {
  arrive(ReadOutOfRange{from, read, position});
}

void SimulatedSession::group_change(GroupChange change, std::vector<PartitionId> partitions) {
  arrive(GroupChanged{change, std::move(partitions)});
}

void SimulatedSession::membership(PartitionId partition, bool held) {
  arrive(MembershipKnown{partition, held});
}

void SimulatedSession::group_offset_known(PartitionId partition,
                                          const Result<std::optional<Offset>>& offset) {
  arrive(GroupOffsetKnown{partition, offset});
}

void SimulatedSession::bounds_known(std::uint64_t request, const Result<Bounds>& bounds) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  const TopicPartition of = found->second;
  requests_.erase(found);
  arrive(BoundsKnown{of, bounds});
}

void SimulatedSession::deleted(std::uint64_t request, const Status& status) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  const TopicPartition of = found->second;
  requests_.erase(found);
  arrive(RecordsDeleted{of, status});
}

void SimulatedSession::connection(bool connected) {
  if (connected == std::exchange(connected_, connected)) return;
  arrive(ConnectionChanged{connected});
}

void SimulatedSession::fatal(std::string detail) { arrive(FatalTrouble{std::move(detail)}); }

void SimulatedSession::forget_group() {
  std::erase_if(inbox_, [](const Arrival& arrival) {
    return std::holds_alternative<GroupChanged>(arrival) ||
           std::holds_alternative<MembershipKnown>(arrival) ||
           std::holds_alternative<GroupOffsetKnown>(arrival);
  });
}

}  // namespace penstock
