#include "topics/kafka/session/log_requests.h"

#include <algorithm>
#include <set>

#include "topics/kafka/client/admin_options.h"

namespace penstock::kafka {
namespace {

constexpr int kProbeTimeoutMs = 5'000;
constexpr std::string_view kConnected = "connected to the brokers";

// A request for offsets consists of two librdkafka requests, whose opaques are its shifted number
// and which of the two it is.
constexpr std::uintptr_t opaque_of(std::uintptr_t request, bool is_end) {
  return request << 1U | (is_end ? 1U : 0U);
}

std::string place(const std::string& topic, PartitionId partition) {
  return "topic \"" + topic + "\" partition " + std::to_string(partition);
}

}  // namespace

LogRequests::LogRequests(Client& client) : client_(client), watch_(client) { probe(); }

void LogRequests::bounds(TopicPartition of, const std::string& topic) {
  unsent_.push_back({of, topic, {}});
}

void LogRequests::send() {
  watch_.send();
  if (unsent_.empty()) return;
  // Requests are numbered from 1, because 0 is TopicWatch::kOpaque.
  const std::uintptr_t request = ++last_request_;
  std::vector<Partition>& partitions = described_[request];
  partitions.swap(unsent_);
  std::set<std::string> topics;
  for (const Partition& partition : partitions) topics.insert(partition.topic);
  describe_topics(client_, {topics.begin(), topics.end()}, request);
}

// librdkafka answers a request once every leader that it concerns has answered.
void LogRequests::list_offsets(std::vector<Partition> of) {
  const std::uintptr_t request = ++last_request_;
  BoundsRequest& pending = bounds_[request];
  pending.partitions = std::move(of);
  // In this order, a start that moves in between cannot pass the end.
  list_offsets(pending.partitions, RD_KAFKA_OFFSET_SPEC_EARLIEST, opaque_of(request, false));
  list_offsets(pending.partitions, RD_KAFKA_OFFSET_SPEC_LATEST, opaque_of(request, true));
}

void LogRequests::list_offsets(const std::vector<Partition>& of, rd_kafka_OffsetSpec_t which,
                               std::uintptr_t opaque) {
  const PartitionList list = partition_list(static_cast<int>(of.size()));
  std::set<TopicPartition> listed;  // a request may contain each partition only once
  for (const Partition& partition : of) {
    if (!listed.insert(partition.id).second) continue;
    rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.id.partition)
        ->offset = which;
  }
  const AdminOptions options =
      admin_options(client_.get(), RD_KAFKA_ADMIN_OP_LISTOFFSETS, kRequestTimeoutMs, opaque);
  rd_kafka_ListOffsets(client_.get(), list.get(), options.get(), client_.queue());
}

void LogRequests::delete_records(TopicPartition of, const std::string& topic, Offset before) {
  const std::uintptr_t request = ++last_request_;
  deletions_.emplace(request, of);
  const PartitionList list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), of.partition)->offset = before.value;
  const DeleteRecordsHandle records(rd_kafka_DeleteRecords_new(list.get()));
  const AdminOptions options =
      admin_options(client_.get(), RD_KAFKA_ADMIN_OP_DELETERECORDS, kRequestTimeoutMs, request);
  rd_kafka_DeleteRecords_t* argument = records.get();
  rd_kafka_DeleteRecords(client_.get(), &argument, 1, options.get(), client_.queue());
}

bool LogRequests::poll(LogListener& listener) {
  bool any = false;
  while (const EventHandle event = client_.next_event()) {
    any = true;
    switch (rd_kafka_event_type(event.get())) {
      case RD_KAFKA_EVENT_LISTOFFSETS_RESULT:
        on_offsets(event.get(), listener);
        break;
      case RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT:
        on_topics(event.get(), listener);
        break;
      case RD_KAFKA_EVENT_DELETERECORDS_RESULT:
        on_deleted(event.get(), listener);
        break;
      case RD_KAFKA_EVENT_DESCRIBECLUSTER_RESULT:
        on_probed(event.get(), listener);
        break;
      case RD_KAFKA_EVENT_ERROR:
        on_error(event.get(), listener);
        break;
      default:
        break;
    }
  }
  return any;
}

void LogRequests::on_offsets(rd_kafka_event_t* event, LogListener& listener) {
  const std::uintptr_t opaque = opaque_of(event);
  const auto found = bounds_.find(opaque >> 1U);
  if (found == bounds_.end()) return;
  ((opaque & 1U) != 0 ? found->second.ends : found->second.starts) = answers_of(event);
  answer(found->first, listener);
}

void LogRequests::on_topics(rd_kafka_event_t* event, LogListener& listener) {
  if (opaque_of(event) == TopicWatch::kOpaque) return watch_.on_described(event);
  const auto found = described_.find(opaque_of(event));
  if (found == described_.end()) return;
  const std::vector<Partition> partitions = std::move(found->second);
  described_.erase(found);
  const Topics topics = topics_of(event);
  std::map<int, std::vector<Partition>> by_leader;
  for (Partition partition : partitions) {
    const Result<const Described*> topic = topics.of(partition.topic);
    if (!topic) {
      report_failure(partition, topic.error().message, listener);
      continue;
    }
    partition.uuid = (*topic)->uuid;
    const auto& leaders = (*topic)->leaders;
    const auto leader = leaders.find(partition.id.partition);
    // Partitions without a leader form a request of their own, so that they delay no others.
    by_leader[leader == leaders.end() ? -1 : leader->second].push_back(partition);
  }
  for (auto& [leader, of] : by_leader) list_offsets(std::move(of));
}

LogRequests::Topics LogRequests::topics_of(rd_kafka_event_t* event) {
  Topics topics;
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    topics.error = rd_kafka_event_error_string(event);
  }
  for (Described& topic : described_by(event)) {
    watch_.saw(topic);
    const std::string name = topic.topic;
    Result<Described> answer = std::move(topic);
    if (answer->missing) {
      answer = failure("no broker knows the topic; run `penstock topics create`");
    } else if (!answer->error.empty()) {
      answer = failure(answer->error);
    }
    topics.answers.emplace(name, std::move(answer));
  }
  return topics;
}

Result<const Described*> LogRequests::Topics::of(const std::string& topic) const {
  const auto found = answers.find(topic);
  if (found == answers.end()) return failure(error.empty() ? "no answer" : error);
  if (!found->second) return failure(found->second.error().message);
  return &*found->second;
}

LogRequests::Answers LogRequests::answers_of(rd_kafka_event_t* event) {
  Answers answers;
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    answers.error = rd_kafka_event_error_string(event);
    return answers;
  }
  std::size_t count = 0;
  const rd_kafka_ListOffsetsResultInfo_t** infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* partition = rd_kafka_ListOffsetsResultInfo_topic_partition(infos[i]);
    Result<Offset>& answer =
        answers.offsets.try_emplace({partition->topic, partition->partition}).first->second;
    if (partition->err != RD_KAFKA_RESP_ERR_NO_ERROR || partition->offset < 0) {
      answer =
          failure(partition->err == RD_KAFKA_RESP_ERR_NO_ERROR ? "the broker gave no offset"
                                                               : rd_kafka_err2str(partition->err));
    } else {
      answer = Offset{partition->offset};
    }
  }
  return answers;
}

bool LogRequests::Answers::complete() const {
  return error.empty() && std::all_of(offsets.begin(), offsets.end(),
                                      [](const auto& answer) { return answer.second.has_value(); });
}

Result<Offset> LogRequests::Answers::of(const Partition& partition) const {
  const auto found = offsets.find({partition.topic, partition.id.partition});
  if (found != offsets.end()) return found->second;
  return failure(error.empty() ? "no answer" : error);
}

void LogRequests::answer(std::uintptr_t request, LogListener& listener) {
  const auto found = bounds_.find(request);
  const BoundsRequest& got = found->second;
  if (!got.starts || !got.ends) return;
  const BoundsRequest done = std::move(found->second);
  bounds_.erase(found);
  // The leaders may have moved; librdkafka would go on asking the ones that it remembers.
  if (!done.starts->complete() || !done.ends->complete()) client_.refresh_leaders();
  for (const Partition& partition : done.partitions) report_bounds(done, partition, listener);
}

void LogRequests::report_bounds(const BoundsRequest& request, const Partition& partition,
                                LogListener& listener) {
  const Result<Offset> start = request.starts->of(partition);
  const Result<Offset> end = request.ends->of(partition);
  if (!start || !end) {
    return report_failure(partition, (start ? end : start).error().message, listener);
  }
  set_connected(true, kConnected, listener);
  // A request that was repeated can be answered after the other one, so that the end is older than
  // the start.
  listener.on_bounds(partition.id, Bounds{*start, std::max(*start, *end), partition.uuid});
}

void LogRequests::report_failure(const Partition& partition, const std::string& why,
                                 LogListener& listener) {
  listener.on_bounds(partition.id,
                     failure("cannot ask for the offsets of " +
                             place(partition.topic, partition.id.partition) + ": " + why));
}

void LogRequests::on_deleted(rd_kafka_event_t* event, LogListener& listener) {
  const auto found = deletions_.find(opaque_of(event));
  if (found == deletions_.end()) return;
  const TopicPartition of = found->second;
  deletions_.erase(found);
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return listener.on_deleted(
        of, failure(std::string("cannot remove records: ") + rd_kafka_event_error_string(event)));
  }
  const auto* result = rd_kafka_event_DeleteRecords_result(event);
  // Owned by the event.
  const rd_kafka_topic_partition_list_t* list = rd_kafka_DeleteRecords_result_offsets(result);
  for (int i = 0; i < list->cnt; ++i) {
    if (list->elems[i].err == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    client_.refresh_leaders();
    return listener.on_deleted(
        of, failure("cannot remove records of " + place(list->elems[i].topic, of.partition) + ": " +
                    rd_kafka_err2str(list->elems[i].err)));
  }
  listener.on_deleted(of, Status());
}

// librdkafka reports when the last broker is lost, but not when one returns; so keep asking until
// there is an answer.
void LogRequests::probe() {
  if (probing_) return;
  probing_ = true;
  const AdminOptions options =
      admin_options(client_.get(), RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER, kProbeTimeoutMs, 0);
  rd_kafka_DescribeCluster(client_.get(), options.get(), client_.queue());
}

void LogRequests::on_probed(rd_kafka_event_t* event, LogListener& listener) {
  probing_ = false;
  if (rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    return set_connected(true, kConnected, listener);
  }
  set_connected(false, last_error_.empty() ? rd_kafka_event_error_string(event) : last_error_,
                listener);
  probe();
}

void LogRequests::on_error(rd_kafka_event_t* event, LogListener& listener) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  if (error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    last_error_ = rd_kafka_event_error_string(event);
    if (error != RD_KAFKA_RESP_ERR__AUTHENTICATION) return;
  }
  set_connected(false, last_error_.empty() ? rd_kafka_event_error_string(event) : last_error_,
                listener);
  probe();
}

void LogRequests::set_connected(bool connected, std::string_view detail, LogListener& listener) {
  if (connected_ == connected) return;
  connected_ = connected;
  listener.on_connection(connected, detail);
}

}  // namespace penstock::kafka
