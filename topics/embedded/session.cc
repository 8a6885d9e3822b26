#include "topics/embedded/session.h"

#include <algorithm>

#include "topics/embedded/group/clock.h"
#include "topics/values/check.h"

namespace penstock::embedded {

Session::Session(Engine& engine, SessionOptions options)
    : engine_(engine), options_(std::move(options)), reads_(*engine.store, mailbox_) {
  ++engine_.open_sessions;
}

Session::~Session() {
  reads_.stop_all();
  if (joined_ && !left_) engine_.coordinator.disappear(joined_->seat);
  engine_.writer->flush();  // after this, nothing posts to the mailbox any more
  --engine_.open_sessions;
}

TopicId Session::topic(std::string_view name) { return handle(name, false); }
TopicId Session::second_topic(std::string_view name) { return handle(name, true); }

TopicId Session::handle(std::string_view name, bool second) {
  const auto same = std::find_if(topics_.begin(), topics_.end(), [&](const NamedTopic& topic) {
    return topic.name == name && topic.second == second;
  });
  const auto index = std::distance(topics_.begin(), same);
  if (same == topics_.end()) topics_.push_back({std::string(name), second, nullptr});
  return TopicId{static_cast<std::int32_t>(index)};
}

void Session::join(TopicId topic, std::string_view group) {
  PENSTOCK_CHECK(!joined_, "a session joins a group at most once");
  const Topic* found = find(topic);
  if (found == nullptr) {
    fatal_.push_back(missing({topic, 0}));
    return;
  }
  joined_ = Joined{topic, std::string(group),
                   engine_.coordinator.join(group, found->name(), found->partition_count(),
                                            options_.instance_id, mailbox_)};
}

void Session::leave() {
  if (!joined_ || left_) return;
  left_ = true;
  engine_.coordinator.leave(joined_->seat);
}

void Session::finish_revoke(PartitionId partition) {
  const std::optional<std::uint64_t> grant = membership_.grant_of(partition);
  if (!joined_ || left_ || !grant) return;
  // This session gives the partition back by itself, so the change must not come back as a loss.
  membership_.forget(partition);
  engine_.coordinator.finish_revoke(joined_->seat, partition, *grant);
}

void Session::check_membership(PartitionId partition) {
  PENSTOCK_CHECK(membership_answers_.size() < kMaxQuestionsInFlight, "questions without a poll");
  const std::optional<std::uint64_t> grant = membership_.grant_of(partition);
  const bool held =
      joined_ && !left_ && grant && engine_.coordinator.holds(joined_->seat, partition, *grant);
  membership_answers_.emplace_back(partition, held);
}

void Session::commit_offset(PartitionId partition, Offset next) {
  if (!joined_) return;
  const std::string& topic = topics_[static_cast<std::size_t>(joined_->topic.value)].name;
  engine_.writer->put_row(group_offset_key(joined_->group, topic, partition),
                          number_row(static_cast<std::uint64_t>(next.value)));
}

void Session::group_offset(PartitionId partition) {
  PENSTOCK_CHECK(offset_answers_.size() < kMaxQuestionsInFlight, "questions without a poll");
  if (!joined_) {
    offset_answers_.emplace_back(partition, failure("no group has been joined"));
    return;
  }
  const std::string& topic = topics_[static_cast<std::size_t>(joined_->topic.value)].name;
  std::optional<Offset> offset;
  const Status read = engine_.store->scan(group_offset_key(joined_->group, topic, partition),
                                          [&](std::string_view, std::string_view row) {
                                            offset = parse_offset_row(row);
                                            return false;
                                          });
  if (read) return void(offset_answers_.emplace_back(partition, offset));
  offset_answers_.emplace_back(partition, failure(read.error().message));
}

void Session::read(TopicPartition from, Offset position) {
  reads_.stop(from);
  Partition* partition = find(from);
  const bool second = topics_[static_cast<std::size_t>(from.topic.value)].second;
  if (partition != nullptr) return reads_.begin(from, *partition, position, second);
  if (second) return void(refused_.emplace_back(from, missing(from)));
  fatal_.push_back(missing(from));
}

void Session::bounds(TopicPartition of) {
  PENSTOCK_CHECK(bounds_answers_.size() < kMaxQuestionsInFlight, "questions without a poll");
  const Partition* partition = find(of);
  if (partition == nullptr) {
    bounds_answers_.emplace_back(of, failure(missing(of)));
  } else {
    Bounds bounds = partition->bounds();
    bounds.topic = find(of.topic)->uuid();
    bounds_answers_.emplace_back(of, bounds);
  }
}

bool Session::append(Lane lane, TopicPartition to, const NewRecord& record, Ticket ticket) {
  encoded_.clear();
  encode_record(encoded_, record);
  if (!appends_.has_room(lane, encoded_.size())) return false;
  const AppendId id = appends_.id(lane, ticket);
  Partition* partition = find(to);
  if (partition == nullptr) {
    appends_.refuse(id, missing(to), Refusal::kNotInLog);
    return true;
  }
  if (const std::size_t most = find(to.topic)->max_message_bytes(); encoded_.size() > most) {
    appends_.refuse(id,
                    "the record has " + std::to_string(encoded_.size()) + " bytes, topic " +
                        find(to.topic)->name() + " takes at most " + std::to_string(most) +
                        " (max.message.bytes)",
                    Refusal::kTooLarge);
    return true;
  }
  if (!engine_.writer->append(mailbox_, id, *partition, encoded_)) return false;
  appends_.sent(encoded_.size());
  return true;
}

void Session::delete_records(TopicPartition of, Offset before) {
  PENSTOCK_CHECK(questions_in_flight_ < kMaxQuestionsInFlight, "questions without a poll");
  ++questions_in_flight_;
  Partition* partition = find(of);
  if (partition == nullptr) {
    // By way of the mailbox, because listeners are called only inside poll().
    mailbox_.post(DeleteAnswer{of, failure(missing(of))});
  } else {
    engine_.writer->delete_records(mailbox_, of, *partition, before);
  }
}

bool Session::poll(LogListener& listener) {
  // The group has no thread of its own: its members' polls apply its timeouts.
  if (joined_ && !left_) engine_.coordinator.expire(boot_time());
  mailbox_.take(answers_);
  appends_.answered(answers_.appends);
  bool any = tell_first(listener);
  any = tell_group(listener) || any;
  any = appends_.tell(listener) || any;
  any = tell_answers(listener) || any;
  return reads_.tell(listener) || any;
}

void Session::wait(std::chrono::nanoseconds at_most) {
  if (has_something()) return;
  if (joined_ && !left_) at_most = std::min(at_most, engine_.coordinator.expire(boot_time()));
  mailbox_.wait(at_most);
}

bool Session::has_something() const {
  return !told_connected_ || !fatal_.empty() || !refused_.empty() || !bounds_answers_.empty() ||
         !membership_answers_.empty() || !offset_answers_.empty() || appends_.has_news() ||
         reads_.has_news();
}

bool Session::tell_first(LogListener& listener) {
  bool any = false;
  if (!std::exchange(told_connected_, true)) {
    listener.on_connection(true, "embedded log in " + engine_.store->directory());
    any = true;
  }
  if (engine_.writer->failed() && !std::exchange(told_failed_, true)) {
    listener.on_connection(false, engine_.writer->failure_detail());
    fatal_.push_back(engine_.writer->failure_detail());
  }
  for (const std::string& detail : std::exchange(fatal_, {})) {
    listener.on_fatal(detail);
    any = true;
  }
  for (const auto& [from, detail] : std::exchange(refused_, {})) {
    listener.on_read_refused(from, detail);
    any = true;
  }
  return any;
}

bool Session::tell_group(LogListener& listener) {
  if (!joined_ || left_ || !mailbox_.take_group_changed()) return false;
  const Coordinator::Standing standing = engine_.coordinator.standing(joined_->seat);
  const GroupNews news = membership_.update(standing.held);
  if (!news.lost.empty()) listener.on_lost(news.lost);
  // The listener may have left the group in the call before; then no further callback may follow.
  if (!left_ && !news.revoked.empty()) listener.on_revoked(news.revoked);
  if (!left_ && !news.assigned.empty()) listener.on_assigned(news.assigned);
  if (!left_ && standing.fenced) {
    left_ = true;
    engine_.coordinator.leave(joined_->seat);
    listener.on_fatal("another session has joined group " + joined_->group +
                      " with the same instance id, " + options_.instance_id +
                      ": give each instance an id of its own");
    return true;
  }
  return !news.lost.empty() || !news.revoked.empty() || !news.assigned.empty();
}

bool Session::tell_answers(LogListener& listener) {
  // Taken out first, because the listener may ask again inside the calls.
  const auto bounds = std::exchange(bounds_answers_, {});
  const auto memberships = std::exchange(membership_answers_, {});
  const auto offsets = std::exchange(offset_answers_, {});
  const auto deletes = std::exchange(answers_.deletes, {});
  questions_in_flight_ -= deletes.size();
  for (const auto& [of, result] : bounds) listener.on_bounds(of, result);
  for (const auto& [partition, held] : memberships) listener.on_membership(partition, held);
  for (const auto& [partition, offset] : offsets) listener.on_group_offset(partition, offset);
  for (const DeleteAnswer& answer : deletes) listener.on_deleted(answer.of, answer.status);
  return !bounds.empty() || !memberships.empty() || !offsets.empty() || !deletes.empty();
}

Topic* Session::find(TopicId id) {
  PENSTOCK_CHECK(id.value >= 0 && static_cast<std::size_t>(id.value) < topics_.size(),
                 "a topic that this session has not named");
  NamedTopic& named = topics_[static_cast<std::size_t>(id.value)];
  // A topic that is missing now can be created later, so only success is remembered.
  if (named.topic == nullptr) named.topic = engine_.catalog.find(named.name);
  return named.topic;
}

Partition* Session::find(TopicPartition of) {
  const Topic* topic = find(of.topic);
  return topic == nullptr ? nullptr : topic->partition(of.partition);
}

std::string Session::missing(TopicPartition of) const {
  const NamedTopic& named = topics_[static_cast<std::size_t>(of.topic.value)];
  if (named.topic == nullptr) return "topic " + named.name + " does not exist: create it first";
  return "topic " + named.name + " has no partition " + std::to_string(of.partition) + ", only " +
         std::to_string(named.topic->partition_count());
}

}  // namespace penstock::embedded
