#include "topics/kafka/session/group_member.h"

#include <algorithm>
#include <cstdint>

#include "topics/kafka/client/admin_options.h"
#include "topics/values/check.h"

namespace penstock::kafka {
namespace {

using std::chrono::milliseconds;

// Group offsets are only for tools: each member sends at most one request in this time.
constexpr milliseconds kCommitEvery{250};
// A check that the group could not answer (it is rebalancing, or its coordinator moves) is
// repeated.
constexpr milliseconds kAskAgainAfter{100};

// The opaque of a commit: null for an offset, the partition + 1 for a check.
void* question(PartitionId partition) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(partition) + 1);
}
std::optional<PartitionId> question_of(rd_kafka_event_t* event) {
  const auto value = reinterpret_cast<std::intptr_t>(rd_kafka_event_opaque(event));
  if (value == 0) return std::nullopt;
  return static_cast<PartitionId>(value - 1);
}

std::vector<PartitionId> partitions_of(rd_kafka_event_t* event) {
  std::vector<PartitionId> partitions;
  // Owned by the event.
  const rd_kafka_topic_partition_list_t* list = rd_kafka_event_topic_partition_list(event);
  if (list == nullptr) return partitions;
  for (int i = 0; i < list->cnt; ++i) partitions.push_back(list->elems[i].partition);
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

// ILLEGAL_GENERATION does not belong here: every rebalance begins a new generation, even if nothing
// changes for this member, so a member that stays can receive it.
bool is_no_member(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID ||
         error == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID;
}

// The answer to a question for the offset of one partition; absent: the group has committed none.
Result<std::optional<Offset>> group_offset_of(rd_kafka_event_t* event) {
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return failure(rd_kafka_event_error_string(event));
  std::size_t count = 0;
  const rd_kafka_group_result_t** groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
  if (count == 0) return failure("no answer");
  if (const rd_kafka_error_t* error = rd_kafka_group_result_error(groups[0]))
    return failure(rd_kafka_error_string(error));
  // Owned by the event.
  const rd_kafka_topic_partition_list_t* list = rd_kafka_group_result_partitions(groups[0]);
  if (list == nullptr || list->cnt == 0) return failure("no answer");
  const rd_kafka_topic_partition_t& answer = list->elems[0];
  if (answer.err != RD_KAFKA_RESP_ERR_NO_ERROR) return failure(rd_kafka_err2str(answer.err));
  return answer.offset < 0 ? std::nullopt : std::optional(Offset{answer.offset});
}

GroupPeer peer_of(const rd_kafka_MemberDescription_t* member, const std::string& topic) {
  GroupPeer peer;
  if (const char* id = rd_kafka_MemberDescription_client_id(member)) peer.client_id = id;
  const rd_kafka_MemberAssignment_t* const assignment =
      rd_kafka_MemberDescription_assignment(member);
  // Owned by the event.
  const rd_kafka_topic_partition_list_t* const list =
      assignment == nullptr ? nullptr : rd_kafka_MemberAssignment_partitions(assignment);
  for (int i = 0; list != nullptr && i < list->cnt; ++i) {
    if (topic == list->elems[i].topic) peer.partitions.push_back(list->elems[i].partition);
  }
  return peer;
}

// Empty: the group cannot tell, for instance because its coordinator moves.
std::optional<std::vector<GroupPeer>> peers_of(rd_kafka_event_t* event, const std::string& topic) {
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
  std::size_t count = 0;
  const rd_kafka_ConsumerGroupDescription_t** groups =
      rd_kafka_DescribeConsumerGroups_result_groups(
          rd_kafka_event_DescribeConsumerGroups_result(event), &count);
  if (count == 0 || rd_kafka_ConsumerGroupDescription_error(groups[0]) != nullptr)
    return std::nullopt;
  std::vector<GroupPeer> peers;
  const std::size_t members = rd_kafka_ConsumerGroupDescription_member_count(groups[0]);
  for (std::size_t i = 0; i < members; ++i)
    peers.push_back(peer_of(rd_kafka_ConsumerGroupDescription_member(groups[0], i), topic));
  return peers;
}

}  // namespace

Result<std::unique_ptr<GroupMember>> GroupMember::join(const Properties& properties,
                                                       const SessionOptions& options,
                                                       const std::string& topic,
                                                       std::string_view group,
                                                       const Wakeup& wakeup) {
  Properties extra{{"group.id", std::string(group)}};
  if (!options.client_id.empty()) extra.emplace("client.id", options.client_id);
  if (!options.instance_id.empty()) extra.emplace("group.instance.id", options.instance_id);
  Properties given = properties;
  given.merge(member_timeouts(options.lease));  // the user's own take precedence
  Result<std::unique_ptr<Client>> client = Client::make(Role::kMember, given, extra, &wakeup);
  if (!client) return failure(client.error().message);
  const PartitionList topics = partition_list(1);
  rd_kafka_topic_partition_list_add(topics.get(), topic.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t error = rd_kafka_subscribe((*client)->get(), topics.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return failure("cannot join group \"" + std::string(group) + "\" for topic \"" + topic +
                   "\": " + rd_kafka_err2str(error));
  }
  return std::unique_ptr<GroupMember>(new GroupMember(std::move(*client), topic, group));
}

GroupMember::GroupMember(std::unique_ptr<Client> client, std::string topic, std::string_view group)
    : client_(std::move(client)), topic_(std::move(topic)), group_(group) {}

bool GroupMember::poll(LogListener& listener) {
  bool any = false;
  while (!not_held_.empty()) {
    const PartitionId partition = not_held_.back();
    // Before the call, in which the listener may check another partition.
    not_held_.pop_back();
    listener.on_membership(partition, false);
    any = true;
  }
  // Any event can lead to leave(), which takes the client away.
  while (client_) {
    const EventHandle event = client_->next_event();
    if (!event) break;
    on_event(event.get(), listener);
    any = true;
  }
  if (client_) ask_again();
  if (client_) send_offsets();
  return any;
}

void GroupMember::on_event(rd_kafka_event_t* event, LogListener& listener) {
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_REBALANCE:
      return on_rebalance(event, listener);
    case RD_KAFKA_EVENT_OFFSET_COMMIT:
      return on_committed(event, listener);
    case RD_KAFKA_EVENT_LISTCONSUMERGROUPOFFSETS_RESULT:
      return on_offset(event, listener);
    case RD_KAFKA_EVENT_DESCRIBECONSUMERGROUPS_RESULT:
      return on_peers(event, listener);
    case RD_KAFKA_EVENT_ERROR:
      return on_error(event, listener);
    default:
      return;
  }
}

void GroupMember::on_rebalance(rd_kafka_event_t* event, LogListener& listener) {
  const std::vector<PartitionId> partitions = partitions_of(event);
  if (rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    assign(partitions, listener);
  } else if (rd_kafka_assignment_lost(client_->get()) != 0) {
    // Before lose(): its listener may leave the group, after which there is no client to answer
    // with.
    acknowledge_revoke();
    lose(partitions, listener);
  } else {
    revoke(partitions, listener);
  }
}

void GroupMember::assign(const std::vector<PartitionId>& partitions, LogListener& listener) {
  // librdkafka waits for an answer to each rebalance event. An empty assignment is an answer that
  // fetches nothing.
  const PartitionList nothing = partition_list(0);
  const ErrorHandle error(rd_kafka_incremental_assign(client_->get(), nothing.get()));
  held_.insert(partitions.begin(), partitions.end());
  listener.on_assigned(partitions);  // also if empty: it tells that the group has answered
}

void GroupMember::revoke(const std::vector<PartitionId>& partitions, LogListener& listener) {
  for (const PartitionId partition : partitions) {
    if (held_.contains(partition)) revoking_.insert(partition);
  }
  // All of them have been lost meanwhile, so no finish_revoke() will come for them.
  if (revoking_.empty()) return acknowledge_revoke();
  listener.on_revoked(partitions);
}

void GroupMember::lose(std::vector<PartitionId> partitions, LogListener& listener) {
  std::erase_if(partitions, [this](PartitionId partition) { return held_.erase(partition) == 0; });
  for (const PartitionId partition : partitions) {
    revoking_.erase(partition);
    committed_.erase(partition);
    unsent_.erase(partition);
  }
  if (!partitions.empty()) listener.on_lost(partitions);
}

// While a revocation waits for finish_revoke, librdkafka does not report a loss of membership and
// rejoins only afterwards. Rejoining settles the partitions that are not being revoked.
void GroupMember::lose_revoking(LogListener& listener) {
  if (revoking_.empty()) return;
  const std::vector<PartitionId> partitions(revoking_.begin(), revoking_.end());
  // As in on_rebalance(): lose() may take the client away.
  acknowledge_revoke();
  lose(partitions, listener);
}

void GroupMember::acknowledge_revoke() {
  const PartitionList nothing = partition_list(0);
  const ErrorHandle error(rd_kafka_incremental_unassign(client_->get(), nothing.get()));
}

void GroupMember::finish_revoke(PartitionId partition) {
  if (!client_ || revoking_.erase(partition) == 0) return;
  // Skips the pause between commits: this is the last moment at which the group accepts this
  // partition's offset. send_offsets() also needs the entries that are erased below.
  last_commit_ = {};
  send_offsets();
  held_.erase(partition);
  committed_.erase(partition);
  unsent_.erase(partition);
  if (revoking_.empty()) acknowledge_revoke();
}

void GroupMember::check(PartitionId partition) {
  if (client_ && held_.contains(partition)) return ask(partition);
  // The answer is known, but listeners are called only inside poll().
  not_held_.push_back(partition);
}

// The group has no request for this, but it refuses a commit from a client that is no longer a
// member. A member that has not committed yet sends the start of the log.
void GroupMember::ask(PartitionId partition) {
  const PartitionList offsets = partition_list(1);
  const auto known = committed_.find(partition);
  rd_kafka_topic_partition_list_add(offsets.get(), topic_.c_str(), partition)->offset =
      known == committed_.end() ? 0 : known->second.value;
  const rd_kafka_resp_err_t error = rd_kafka_commit_queue(
      client_->get(), offsets.get(), client_->queue(), nullptr, question(partition));
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return;
  unanswered_checks_.push_back(partition);
  ask_again_at_ = Clock::now() + kAskAgainAfter;
}

void GroupMember::ask_again() {
  if (unanswered_checks_.empty() || Clock::now() < ask_again_at_) return;
  // check() may put a partition into the list again.
  std::vector<PartitionId> again;
  again.swap(unanswered_checks_);
  for (const PartitionId partition : again) check(partition);
}

void GroupMember::commit(PartitionId partition, Offset next) {
  if (!held_.contains(partition)) return;
  committed_[partition] = next;
  unsent_.insert(partition);
}

void GroupMember::send_offsets() {
  if (unsent_.empty() || commit_in_flight_ || Clock::now() < last_commit_ + kCommitEvery) return;
  const PartitionList offsets = partition_list(static_cast<int>(unsent_.size()));
  for (const PartitionId partition : unsent_) {
    rd_kafka_topic_partition_list_add(offsets.get(), topic_.c_str(), partition)->offset =
        committed_.at(partition).value;
  }
  unsent_.clear();
  last_commit_ = Clock::now();
  // A commit that is refused at once has no event that would reset the flag.
  commit_in_flight_ = rd_kafka_commit_queue(client_->get(), offsets.get(), client_->queue(),
                                            nullptr, nullptr) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

// By this client and no other: where the coordinator has moved, librdkafka's answer to the error is
// to look for that of the client's own group, and without one it crashes.
bool GroupMember::ask_offset(PartitionId partition) {
  if (!client_) return false;
  const PartitionList list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), partition);
  const GroupOffsetsHandle offsets(
      rd_kafka_ListConsumerGroupOffsets_new(group_.c_str(), list.get()));
  const AdminOptions options =
      admin_options(client_->get(), RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, kRequestTimeoutMs,
                    static_cast<std::uintptr_t>(partition));
  rd_kafka_ListConsumerGroupOffsets_t* argument = offsets.get();
  rd_kafka_ListConsumerGroupOffsets(client_->get(), &argument, 1, options.get(), client_->queue());
  return true;
}

void GroupMember::on_offset(rd_kafka_event_t* event, LogListener& listener) {
  const auto of = static_cast<PartitionId>(opaque_of(event));
  const Result<std::optional<Offset>> offset = group_offset_of(event);
  if (!offset) {
    return listener.on_group_offset(
        of, failure("cannot ask for the group's offset of partition " + std::to_string(of) + ": " +
                    offset.error().message));
  }
  // A check commits this offset, so that it changes nothing.
  if (*offset && held_.contains(of)) committed_.try_emplace(of, **offset);
  listener.on_group_offset(of, offset);
}

void GroupMember::ask_peers() {
  if (!client_) return;
  const AdminOptions options =
      admin_options(client_->get(), RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, kRequestTimeoutMs, 0);
  const char* group = group_.c_str();
  rd_kafka_DescribeConsumerGroups(client_->get(), &group, 1, options.get(), client_->queue());
}

void GroupMember::on_peers(rd_kafka_event_t* event, LogListener& listener) {
  const std::optional<std::vector<GroupPeer>> peers = peers_of(event, topic_);
  if (peers) listener.on_group_peers(*peers);
}

void GroupMember::on_committed(rd_kafka_event_t* event, LogListener& listener) {
  const std::optional<PartitionId> asked = question_of(event);
  if (!asked) {
    commit_in_flight_ = false;  // best effort: the next commit includes it
    return;
  }
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  if (is_no_member(error)) lose_revoking(listener);
  if (!held_.contains(*asked)) return listener.on_membership(*asked, false);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return listener.on_membership(*asked, true);
  // Either the group cannot tell at present, or it will report a lost assignment.
  unanswered_checks_.push_back(*asked);
  ask_again_at_ = Clock::now() + kAskAgainAfter;
}

void GroupMember::on_error(rd_kafka_event_t* event, LogListener& listener) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  const std::string text = rd_kafka_event_error_string(event);
  if (rd_kafka_event_error_is_fatal(event) != 0 || error == RD_KAFKA_RESP_ERR__FATAL) {
    // In this case librdkafka drops the assignment without reporting a rebalance.
    lose({held_.begin(), held_.end()}, listener);
    return listener.on_fatal("the group has fenced this member (" + text +
                             "); is another process running with the same instance name?");
  }
  switch (error) {
    case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:
      return lose_revoking(listener);
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return listener.on_fatal("not allowed to join the group for topic \"" + topic_ + "\" (" +
                               text + "); grant READ on the topic and the group");
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
      suspects_topic_ = true;  // a single answer proves nothing
      return;
    default:
      return;  // the reader reports lost connections
  }
}

std::optional<std::chrono::nanoseconds> GroupMember::due_in() const {
  if (!not_held_.empty()) return std::chrono::nanoseconds(0);
  const Clock::time_point now = Clock::now();
  std::optional<std::chrono::nanoseconds> due;
  if (!unsent_.empty() && !commit_in_flight_) due = last_commit_ + kCommitEvery - now;
  if (!unanswered_checks_.empty()) {
    due = std::min<std::chrono::nanoseconds>(due.value_or(kAskAgainAfter), ask_again_at_ - now);
  }
  return due;
}

bool GroupMember::has_events() const {
  return client_ && rd_kafka_queue_length(client_->queue()) > 0;
}

std::unique_ptr<Client> GroupMember::release() {
  // The last offsets are sent in any case: no report of an earlier commit will be read after this.
  last_commit_ = {};
  commit_in_flight_ = false;
  send_offsets();
  return std::move(client_);
}

}  // namespace penstock::kafka
