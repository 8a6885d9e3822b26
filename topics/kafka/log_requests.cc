#include "topics/kafka/log_requests.h"

#include <algorithm>
#include <array>

namespace penstock::kafka {
namespace {

constexpr int kRequestTimeoutMs = 12'000;
// A leader that is away answers nothing, and its successor is known only to the next question: who
// asks for bounds asks again.
constexpr int kBoundsTimeoutMs = 3'000;
constexpr int kProbeTimeoutMs = 5'000;
constexpr std::string_view kConnected = "connected to the brokers";

// A bounds request is three of librdkafka's: its number, and for the offsets, shifted, which of
// them.
constexpr std::uintptr_t opaque_of(std::uintptr_t request, bool is_end) {
  return request << 1U | (is_end ? 1U : 0U);
}

AdminOptions options_for(rd_kafka_t* client, rd_kafka_admin_op_t operation, int timeout_ms,
                         std::uintptr_t opaque) {
  AdminOptions options(rd_kafka_AdminOptions_new(client, operation));
  std::array<char, kErrorTextBytes> text{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, text.data(), text.size());
  rd_kafka_AdminOptions_set_opaque(options.get(), reinterpret_cast<void*>(opaque));
  return options;
}

std::uintptr_t opaque_of(rd_kafka_event_t* event) {
  return reinterpret_cast<std::uintptr_t>(rd_kafka_event_opaque(event));
}

std::string place(const std::string& topic, PartitionId partition) {
  return "topic \"" + topic + "\" partition " + std::to_string(partition);
}

}  // namespace

LogRequests::LogRequests(Client& client) : client_(client), watch_(client) { probe(); }

void LogRequests::bounds(TopicPartition of, const std::string& topic) {
  const std::uintptr_t request = ++last_request_;
  const Partition& partition = bounds_[request].partition = {of, topic};
  // In this order: a start that moves on meanwhile cannot pass the end.
  list_offset(partition, RD_KAFKA_OFFSET_SPEC_EARLIEST, opaque_of(request, false));
  list_offset(partition, RD_KAFKA_OFFSET_SPEC_LATEST, opaque_of(request, true));
  describe_topics(client_, {topic}, request);
}

void LogRequests::list_offset(const Partition& of, rd_kafka_OffsetSpec_t which,
                              std::uintptr_t opaque) {
  const PartitionList list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), of.topic.c_str(), of.id.partition)->offset = which;
  const AdminOptions options =
      options_for(client_.get(), RD_KAFKA_ADMIN_OP_LISTOFFSETS, kBoundsTimeoutMs, opaque);
  rd_kafka_ListOffsets(client_.get(), list.get(), options.get(), client_.queue());
}

void LogRequests::delete_records(TopicPartition of, const std::string& topic, Offset before) {
  const std::uintptr_t request = ++last_request_;
  deletions_.emplace(request, of);
  const PartitionList list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), of.partition)->offset = before.value;
  const DeleteRecordsHandle records(rd_kafka_DeleteRecords_new(list.get()));
  const AdminOptions options =
      options_for(client_.get(), RD_KAFKA_ADMIN_OP_DELETERECORDS, kRequestTimeoutMs, request);
  rd_kafka_DeleteRecords_t* argument = records.get();
  rd_kafka_DeleteRecords(client_.get(), &argument, 1, options.get(), client_.queue());
}

void LogRequests::group_offset(PartitionId of, const std::string& group, const std::string& topic) {
  const std::uintptr_t request = ++last_request_;
  group_offsets_.emplace(request, of);
  const PartitionList list = partition_list(1);
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), of);
  const GroupOffsetsHandle offsets(
      rd_kafka_ListConsumerGroupOffsets_new(group.c_str(), list.get()));
  const AdminOptions options = options_for(
      client_.get(), RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, kRequestTimeoutMs, request);
  rd_kafka_ListConsumerGroupOffsets_t* argument = offsets.get();
  rd_kafka_ListConsumerGroupOffsets(client_.get(), &argument, 1, options.get(), client_.queue());
}

bool LogRequests::poll(LogListener& listener) {
  bool any = false;
  while (const EventHandle event = client_.next_event()) {
    any = true;
    switch (rd_kafka_event_type(event.get())) {
      case RD_KAFKA_EVENT_LISTOFFSETS_RESULT:
        on_offset(event.get(), listener);
        break;
      case RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT:
        on_topic(event.get(), listener);
        break;
      case RD_KAFKA_EVENT_DELETERECORDS_RESULT:
        on_deleted(event.get(), listener);
        break;
      case RD_KAFKA_EVENT_LISTCONSUMERGROUPOFFSETS_RESULT:
        on_group_offset(event.get(), listener);
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

void LogRequests::on_offset(rd_kafka_event_t* event, LogListener& listener) {
  const std::uintptr_t opaque = opaque_of(event);
  const auto found = bounds_.find(opaque >> 1U);
  if (found == bounds_.end()) return;
  ((opaque & 1U) != 0 ? found->second.end : found->second.start) = offset_of(event);
  answer(found->first, listener);
}

void LogRequests::on_topic(rd_kafka_event_t* event, LogListener& listener) {
  if (opaque_of(event) == TopicWatch::kOpaque) return watch_.on_described(event);
  const auto found = bounds_.find(opaque_of(event));
  if (found == bounds_.end()) return;
  const std::vector<Described> told = described_by(event);
  if (told.empty()) {
    found->second.topic = failure(rd_kafka_event_error_string(event));
    return answer(found->first, listener);
  }
  const Described& topic = told.front();
  watch_.saw(topic);
  if (topic.missing) {
    found->second.topic = failure("no broker knows the topic; run `penstock topics create`");
  } else if (!topic.error.empty()) {
    found->second.topic = failure(topic.error);
  } else {
    found->second.topic = topic.uuid;
  }
  answer(found->first, listener);
}

Result<Offset> LogRequests::offset_of(rd_kafka_event_t* event) {
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return failure(rd_kafka_event_error_string(event));
  }
  std::size_t count = 0;
  const rd_kafka_ListOffsetsResultInfo_t** infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event), &count);
  if (count == 0) return failure("no answer");
  const auto* partition = rd_kafka_ListOffsetsResultInfo_topic_partition(infos[0]);
  if (partition->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return failure(rd_kafka_err2str(partition->err));
  }
  if (partition->offset < 0) return failure("the broker gave no offset");
  return Offset{partition->offset};
}

void LogRequests::answer(std::uintptr_t request, LogListener& listener) {
  const auto found = bounds_.find(request);
  const BoundsRequest& got = found->second;
  const bool no_topic = got.topic && !*got.topic;
  if (!no_topic && (!got.start || !got.end || !got.topic)) return;
  const BoundsRequest done = std::move(found->second);
  bounds_.erase(found);
  report_bounds(done, listener);
}

void LogRequests::report_bounds(const BoundsRequest& request, LogListener& listener) {
  const Partition& of = request.partition;
  if (request.topic && *request.topic && *request.start && *request.end) {
    set_connected(true, kConnected, listener);
    const Offset start = **request.start;
    return listener.on_bounds(of.id,
                              Bounds{start, std::max(start, **request.end), **request.topic});
  }
  client_.refresh_leaders();
  const std::string why = request.topic && !*request.topic ? request.topic->error().message
                          : *request.start                 ? request.end->error().message
                                                           : request.start->error().message;
  listener.on_bounds(of.id, failure("cannot ask for the offsets of " +
                                    place(of.topic, of.id.partition) + ": " + why));
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
  // Belongs to the event.
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

void LogRequests::on_group_offset(rd_kafka_event_t* event, LogListener& listener) {
  const auto found = group_offsets_.find(opaque_of(event));
  if (found == group_offsets_.end()) return;
  const PartitionId of = found->second;
  group_offsets_.erase(found);
  const auto refuse = [&](std::string_view why) {
    listener.on_group_offset(of, failure("cannot ask for the group's offset of partition " +
                                         std::to_string(of) + ": " + std::string(why)));
  };
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return refuse(rd_kafka_event_error_string(event));
  }
  std::size_t count = 0;
  const rd_kafka_group_result_t** groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
  if (count == 0) return refuse("no answer");
  if (const rd_kafka_error_t* error = rd_kafka_group_result_error(groups[0])) {
    return refuse(rd_kafka_error_string(error));
  }
  // Belongs to the event.
  const rd_kafka_topic_partition_list_t* list = rd_kafka_group_result_partitions(groups[0]);
  if (list == nullptr || list->cnt == 0) return refuse("no answer");
  const rd_kafka_topic_partition_t& answer = list->elems[0];
  if (answer.err != RD_KAFKA_RESP_ERR_NO_ERROR) return refuse(rd_kafka_err2str(answer.err));
  const auto offset = answer.offset < 0 ? std::nullopt : std::optional(Offset{answer.offset});
  if (offset) found_group_offsets_.insert_or_assign(of, *offset);
  listener.on_group_offset(of, offset);
}

// librdkafka tells when the last broker is lost and not when one is back: that is asked, until
// answered.
void LogRequests::probe() {
  if (probing_) return;
  probing_ = true;
  const AdminOptions options =
      options_for(client_.get(), RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER, kProbeTimeoutMs, 0);
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
