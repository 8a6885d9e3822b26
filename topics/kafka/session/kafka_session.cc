#include "topics/kafka/session/kafka_session.h"

#include <algorithm>

#include "topics/values/check.h"

namespace penstock::kafka {

Result<std::unique_ptr<LogSession>> KafkaSession::open(const Properties& properties,
                                                       const SessionOptions& options) {
  std::unique_ptr<KafkaSession> session(new KafkaSession(properties, options));
  Properties extra;
  if (!options.client_id.empty()) extra.emplace("client.id", options.client_id);
  Result<std::unique_ptr<Client>> client =
      Client::make(Role::kReader, properties, extra, &session->wakeup_);
  if (!client) return failure(client.error().message);
  session->reader_ = std::make_unique<PartitionReader>(std::move(*client), session->wakeup_,
                                                       PartitionReader::Handles::kFirst);
  session->requests_.emplace(session->reader_->client());
  return session;
}

KafkaSession::KafkaSession(Properties properties, SessionOptions options)
    : properties_(std::move(properties)),
      options_(std::move(options)),
      state_lane_(Lane::kState, properties_, options_, wakeup_, graveyard_),
      outbox_lane_(Lane::kOutbox, properties_, options_, wakeup_, graveyard_) {}

KafkaSession::~KafkaSession() {
  // A client that is merely destroyed does not leave its group, and its destruction can block. The
  // graveyard takes care of both.
  leave();
  renew(Lane::kState);
  renew(Lane::kOutbox);
}

TopicId KafkaSession::topic(std::string_view name) { return handle(name, false); }

TopicId KafkaSession::second_topic(std::string_view name) { return handle(name, true); }

// librdkafka reads a partition at one position per client, so the second handles have a client of
// their own, and a full queue of one reader does not hold up the other.
Status KafkaSession::make_second_reader() {
  if (second_reader_) return {};
  Properties extra{{"enable.partition.eof", "true"}};
  if (!options_.client_id.empty()) extra.emplace("client.id", options_.client_id + "-replay");
  Result<std::unique_ptr<Client>> client =
      Client::make(Role::kReader, properties_, extra, &wakeup_);
  if (!client) return failure(client.error().message);
  second_reader_ = std::make_unique<PartitionReader>(std::move(*client), wakeup_,
                                                     PartitionReader::Handles::kSecond);
  return {};
}

TopicId KafkaSession::handle(std::string_view name, bool second) {
  const auto found = std::find_if(topics_.begin(), topics_.end(), [&](const Named& topic) {
    return topic.name == name && topic.second == second;
  });
  const auto index = static_cast<std::int32_t>(found - topics_.begin());
  if (found == topics_.end()) topics_.push_back({std::string(name), second});
  return {index};
}

bool KafkaSession::is_second(TopicId topic) const {
  return topics_[static_cast<std::size_t>(topic.value)].second;
}

bool KafkaSession::is_needed(const std::string& topic) const {
  return std::any_of(topics_.begin(), topics_.end(), [&](const Named& named) {
    return named.name == topic && named.needed && !named.second;
  });
}

const std::string& KafkaSession::name_of(TopicId topic) const {
  PENSTOCK_CHECK(topic.value >= 0 && static_cast<std::size_t>(topic.value) < topics_.size(),
                 "a topic that this session has not named");
  return topics_[static_cast<std::size_t>(topic.value)].name;
}

void KafkaSession::join(TopicId topic, std::string_view group) {
  PENSTOCK_CHECK(!member_, "a session joins one group");
  topics_[static_cast<std::size_t>(topic.value)].needed = true;
  Result<std::unique_ptr<GroupMember>> member =
      GroupMember::join(properties_, options_, name_of(topic), group, wakeup_);
  if (member) {
    member_ = std::move(*member);
  } else {
    // Reported by the next poll(), because listeners are called only from there.
    refusals_.push_back(member.error().message);
    wakeup_.signal();
  }
}

void KafkaSession::leave() {
  if (!member_) return;
  std::unique_ptr<Client> client = member_->release();
  if (client) graveyard_.bury(std::move(client));
}

void KafkaSession::finish_revoke(PartitionId partition) {
  if (member_) member_->finish_revoke(partition);
}

void KafkaSession::check_membership(PartitionId partition) {
  if (member_) {
    member_->check(partition);
  } else {
    asked_unjoined_.push_back(partition);
  }
  wakeup_.signal();
}

void KafkaSession::commit_offset(PartitionId partition, Offset next) {
  if (member_) member_->commit(partition, next);
}

void KafkaSession::group_offset(PartitionId partition) {
  if (member_ && member_->ask_offset(partition)) return;
  asked_offsets_unjoined_.push_back(partition);
  wakeup_.signal();
}

void KafkaSession::group_peers() {
  if (member_) member_->ask_peers();
}

void KafkaSession::read(TopicPartition from, Offset position) {
  const std::string& name = name_of(from.topic);
  topics_[static_cast<std::size_t>(from.topic.value)].needed = true;
  requests_->watch().begin(name);  // before any of its records can arrive
  if (!is_second(from.topic)) return reader_->read(from, name, position);
  const Status made = make_second_reader();
  if (made) return second_reader_->read(from, name, position);
  refused_reads_.emplace_back(from, "topic \"" + name + "\": " + made.error().message);
  wakeup_.signal();
}

void KafkaSession::stop_reading(TopicPartition from) {
  if (!is_second(from.topic)) return reader_->stop(from);
  if (second_reader_) second_reader_->stop(from);
}

void KafkaSession::bounds(TopicPartition of) {
  const std::string& name = name_of(of.topic);
  topics_[static_cast<std::size_t>(of.topic.value)].needed = true;
  requests_->bounds(of, name);
}

bool KafkaSession::append(Lane which, TopicPartition to, const NewRecord& record, Ticket ticket) {
  return lane(which).append(to, name_of(to.topic), record, ticket);
}

void KafkaSession::renew(Lane which) { lane(which).renew(); }

void KafkaSession::delete_records(TopicPartition of, Offset before) {
  requests_->delete_records(of, name_of(of.topic), before);
}

bool KafkaSession::poll(LogListener& listener) {
  // A listener may leave the group or renew a lane while an event of that client is being read.
  const Graveyard::Hold hold(graveyard_);
  requests_->send();
  bool any = report_refusals(listener);
  any = answer_unjoined(listener) || any;
  if (member_) any = member_->poll(listener) || any;
  any = requests_->poll(listener) || any;
  any = state_lane_.poll(listener) || any;
  any = outbox_lane_.poll(listener) || any;
  // The records of the live readers come last: what they begin need not wait for the others.
  if (second_reader_) any = second_reader_->poll(listener) || any;
  any = reader_->poll(listener) || any;
  requests_->send();
  return tell_of_topics(listener) || any;
}

bool KafkaSession::tell_of_topics(LogListener& listener) {
  TopicWatch& watch = requests_->watch();
  for (const std::string& topic : reader_->take_suspects()) watch.suspect(topic);
  if (second_reader_) {
    for (const std::string& topic : second_reader_->take_suspects()) watch.suspect(topic);
  }
  if (member_ && member_->take_suspicion()) watch.suspect(member_->topic());
  const std::vector<TopicWatch::News> news = watch.take_news();
  for (const auto& [topic, change, partitions] : news) {
    switch (change) {
      case TopicWatch::Change::kThere:
        reader_->client().refresh_leaders();
        reader_->resume(topic, partitions, listener);
        if (!second_reader_) break;
        second_reader_->client().refresh_leaders();
        second_reader_->resume(topic, partitions, listener);
        break;
      case TopicWatch::Change::kRecreated:
        reader_->expel(topic, listener);
        if (second_reader_) second_reader_->expel(topic, listener);
        break;
      case TopicWatch::Change::kMissing: {
        const std::string detail = "topic \"" + topic + "\" does not exist: it was asked for " +
                                   std::to_string(TopicWatch::kMaxAsks) +
                                   " times, and no broker knows it; run `penstock topics create`";
        if (second_reader_) second_reader_->refuse_all(topic, detail, listener);
        if (is_needed(topic)) listener.on_fatal(detail);
        break;
      }
    }
  }
  return !news.empty();
}

bool KafkaSession::report_refusals(LogListener& listener) {
  std::vector<std::string> refusals;
  refusals.swap(refusals_);
  for (const std::string& refusal : refusals) listener.on_fatal(refusal);
  std::vector<std::pair<TopicPartition, std::string>> reads;
  reads.swap(refused_reads_);
  for (const auto& [from, detail] : reads) listener.on_read_refused(from, detail);
  return !refusals.empty() || !reads.empty();
}

// A session that has joined no group holds no partition of it.
bool KafkaSession::answer_unjoined(LogListener& listener) {
  std::vector<PartitionId> asked;
  asked.swap(asked_unjoined_);
  for (const PartitionId partition : asked) listener.on_membership(partition, false);
  std::vector<PartitionId> offsets;
  offsets.swap(asked_offsets_unjoined_);
  for (const PartitionId partition : offsets)
    listener.on_group_offset(partition, failure("this worker is in no group"));
  return !asked.empty() || !offsets.empty();
}

bool KafkaSession::has_anything() const {
  return reader_->has_records() || (second_reader_ && second_reader_->has_records()) ||
         state_lane_.has_events() || outbox_lane_.has_events() || requests_->has_events() ||
         (member_ && member_->has_events()) || !refusals_.empty() || !refused_reads_.empty() ||
         !asked_unjoined_.empty() || !asked_offsets_unjoined_.empty();
}

void KafkaSession::wait(std::chrono::nanoseconds at_most) {
  // What was asked for since the last poll would otherwise wait for the whole sleep.
  requests_->send();
  // librdkafka writes to the eventfd only when something is added to an empty queue. What the last
  // poll left behind would not wake the session.
  if (has_anything()) return;
  at_most = std::min(at_most, requests_->watch().due_in().value_or(at_most));
  if (member_) at_most = std::min(at_most, member_->due_in().value_or(at_most));
  wakeup_.wait(at_most);
}

void KafkaSession::wake() { wakeup_.signal(); }

}  // namespace penstock::kafka
