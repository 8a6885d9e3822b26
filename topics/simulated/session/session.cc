#include "topics/simulated/session/session.h"

#include <algorithm>

#include "topics/values/check.h"

namespace penstock {

using namespace simulated;

namespace {

constexpr Nanos kShortWhile = std::chrono::milliseconds(1);

// Passes one arrival to a listener. An arrival that the caller has overtaken (a read was stopped, a
// lane renewed) is dropped.
struct HandOn {
  Fetcher& fetcher;
  std::array<Sender, 2>& senders;
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
    const Partition* const partition = fetcher.reading(fetched.read);
    if (partition == nullptr) {
      // The read has been stopped, and its records must not use up room any longer.
      fetcher.handed_on(std::exchange(fetched.count, 0));
      return;
    }
    scratch.clear();
    for (std::size_t i = 0; i < count; ++i)
      scratch.push_back(partition->at(Offset{fetched.first.value + static_cast<std::int64_t>(i)}));
    fetched.first.value += static_cast<std::int64_t>(count);
    fetched.count -= count;
    budget -= count;
    any = true;
    fetcher.handed_on(count);
    listener.on_records(fetched.from, scratch);
  }
  void operator()(const ReadOutOfRange& out) {
    if (fetcher.reading(out.read) == nullptr) return;
    any = true;
    fetcher.stop(out.from);
    listener.on_out_of_range(out.from, out.position);
  }
  void operator()(const ReadRefused& refused) {
    any = true;
    listener.on_read_refused(refused.from, refused.detail);
  }
  void operator()(const AppendEnded& ended) {
    Sender& sender = senders[static_cast<std::size_t>(ended.lane)];
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
  void operator()(const GroupPeersKnown& known) {
    any = true;
    listener.on_group_peers(known.peers);
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

SimulatedSession::SimulatedSession(World& world, Brokers& brokers, SimulatedHost& host,
                                   const SessionOptions& options, OnReady on_ready)
    : link_(world, host, world.unique()),
      brokers_(&brokers),
      on_ready_(std::move(on_ready)),
      inbox_(link_, on_ready_ ? [this] { on_ready_(*this); } : std::function<void()>()),
      senders_{Sender(link_, Lane::kState, brokers, inbox_),
               Sender(link_, Lane::kOutbox, brokers, inbox_)},
      fetcher_(link_, brokers, inbox_),
      member_(link_, options.instance_id, options.client_id, inbox_),
      requests_(link_, brokers, inbox_) {
  host.attach(link_.id(), *this);
  // A session that is opened during a cut needs as long as any other to notice it.
  link_.after(kNoticesCutAfter, [this] {
    if (link_.host().notices_cut()) connection(false);
  });
}

SimulatedSession::~SimulatedSession() { end(); }

void SimulatedSession::end() {
  if (ended_) return;
  ended_ = true;
  link_.host().detach(link_.id());
  inbox_.clear();
}

void SimulatedSession::connection(bool connected) {
  if (connected == std::exchange(connected_, connected)) return;
  inbox_.put(ConnectionChanged{connected});
}

TopicId SimulatedSession::topic(std::string_view name) { return handle(name, false); }
TopicId SimulatedSession::second_topic(std::string_view name) { return handle(name, true); }

TopicId SimulatedSession::handle(std::string_view name, bool second) {
  const auto found = std::find_if(topics_.begin(), topics_.end(), [&](const Named& topic) {
    return topic.name == name && topic.second == second;
  });
  const auto index = static_cast<std::int32_t>(found - topics_.begin());
  if (found == topics_.end()) topics_.push_back({std::string(name), second});
  return TopicId{index};
}

std::string SimulatedSession::name_of(TopicPartition of) const {
  return topics_[static_cast<std::size_t>(of.topic.value)].name + "/" +
         std::to_string(of.partition);
}

Partition* SimulatedSession::find(TopicPartition of) {
  const auto known = known_.find(of);
  if (known != known_.end()) return &known->second->live();
  PENSTOCK_CHECK(of.topic.value >= 0 && static_cast<std::size_t>(of.topic.value) < topics_.size(),
                 "a topic is named by the session that reads it");
  Partition* const found =
      brokers_->topics().find(topics_[static_cast<std::size_t>(of.topic.value)].name, of.partition);
  if (found != nullptr) known_.emplace(of, found);
  return found;
}

void SimulatedSession::no_such(TopicPartition of) {
  const bool second = topics_[static_cast<std::size_t>(of.topic.value)].second;
  link_.after(kShortWhile,
              [this, of, second, detail = name_of(of) + " does not exist: create the topic"] {
                if (second) return inbox_.put(ReadRefused{of, detail});
                inbox_.put(FatalTrouble{detail});
              });
}

void SimulatedSession::join(TopicId topic, std::string_view group) {
  if (ended_) return;
  const std::string& name = topics_.at(static_cast<std::size_t>(topic.value)).name;
  const int partitions = brokers_->topics().partition_count(name);
  if (partitions == 0) return no_such({topic, 0});
  member_.join(brokers_->groups().of(group, name, partitions));
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

void SimulatedSession::group_peers() {
  if (!ended_) member_.ask_peers();
}

void SimulatedSession::read(TopicPartition from, Offset position) {
  if (ended_) return;
  Partition* const partition = find(from);
  if (partition == nullptr) return no_such(from);
  fetcher_.read(from, *partition, position);
}

void SimulatedSession::stop_reading(TopicPartition from) { fetcher_.stop(from); }

void SimulatedSession::bounds(TopicPartition of) {
  if (!ended_) requests_.bounds(of, find(of), name_of(of));
}

bool SimulatedSession::append(Lane lane, TopicPartition to, const NewRecord& record,
                              Ticket ticket) {
  // Nothing is reported any more; after false, the caller would try again for ever.
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
  requests_.delete_records(of, *partition, before);
}

bool SimulatedSession::poll(LogListener& listener) {
  std::size_t budget = kMaxRecordsPerPoll;
  inbox_.begin_poll();
  HandOn hand_on{fetcher_, senders_, listener, scratch_, budget};
  // What arrives during this poll waits for the next one; otherwise, a poll might never end.
  for (std::size_t left = inbox_.size(); left > 0 && !inbox_.empty() && budget > 0; --left) {
    Arrival arrival = inbox_.take();
    std::visit(hand_on, arrival);
    const auto* const records = std::get_if<RecordsFetched>(&arrival);
    // What exceeds the budget stays first, so that the order of arrival is preserved.
    if (records != nullptr && records->count > 0 && !ended_) inbox_.put_back(std::move(arrival));
  }
  inbox_.end_poll();
  return hand_on.any;
}

void SimulatedSession::wait(std::chrono::nanoseconds at_most) {
  World& world = link_.world();
  if (!world.options().wait_passes_time) return;
  const Instant end = world.now() + at_most;
  Timeline& timeline = world.timeline();
  // One event at a time, because the first arrival ends the wait.
  while (inbox_.empty() && timeline.next() <= end && timeline.step()) {
  }
  if (inbox_.empty()) timeline.run_until(end);
}

void SimulatedSession::wake() {
  if (!ended_) inbox_.tell();
}

}  // namespace penstock
