#include "topics/kafka/produce/topic_opener.h"

#include "topics/values/check.h"

namespace penstock::kafka {
namespace {

inline constexpr int kAskTimeoutMs = 10'000;

using TopicCollection =
    std::unique_ptr<rd_kafka_TopicCollection_t, Destroyer<rd_kafka_TopicCollection_destroy>>;

void* to_opaque(TopicId topic) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(topic.value));
}
TopicId to_topic(void* opaque) {
  return TopicId{static_cast<std::int32_t>(reinterpret_cast<std::intptr_t>(opaque))};
}

AdminOptions make_options(rd_kafka_t* client, rd_kafka_admin_op_t op, void* opaque) {
  AdminOptions options(rd_kafka_AdminOptions_new(client, op));
  char error[kErrorTextBytes];
  const auto set =
      rd_kafka_AdminOptions_set_request_timeout(options.get(), kAskTimeoutMs, error, sizeof error);
  PENSTOCK_CHECK(set == RD_KAFKA_RESP_ERR_NO_ERROR, error);
  rd_kafka_AdminOptions_set_opaque(options.get(), opaque);
  return options;
}

Opened failed(rd_kafka_resp_err_t code, const char* detail) {
  Opened opened{.error = OpenError::kTemporary, .detail = detail ? detail : rd_kafka_err2str(code)};
  switch (code) {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      opened.error = OpenError::kMissing;
      break;
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
      opened.error = OpenError::kRefused;
      break;
    default:
      break;
  }
  return opened;
}

// Called on librdkafka's threads. The polling thread sleeps on the client's main queue, so an
// answer in this queue alone would not wake it.
void wake_poller(rd_kafka_t*, void* opaque) {
  rd_kafka_queue_yield(static_cast<rd_kafka_queue_t*>(opaque));
}

}  // namespace

TopicOpener::TopicOpener(rd_kafka_t* client, rd_kafka_queue_t* wake)
    : client_(client), answers_(rd_kafka_queue_new(client)) {
  rd_kafka_queue_cb_event_enable(answers_.get(), wake_poller, wake);
}

// Requests under way keep the queue alive beyond this object, and the callback must not use `wake`
// after it.
TopicOpener::~TopicOpener() {
  rd_kafka_queue_cb_event_enable(answers_.get(), nullptr, nullptr);
  describes_.wait(answers_.get());
}

void TopicOpener::ask(TopicId topic, const std::string& name) {
  const char* names[] = {name.c_str()};
  const TopicCollection topics(rd_kafka_TopicCollection_of_topic_names(names, 1));
  const auto options = make_options(client_, RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, to_opaque(topic));
  describes_.sent();
  rd_kafka_DescribeTopics(client_, topics.get(), options.get(), answers_.get());
}

void TopicOpener::serve(const Answer& answer) {
  while (const EventHandle event{rd_kafka_queue_poll(answers_.get(), 0)}) {
    describes_.took(event.get());
    const auto topic = to_topic(rd_kafka_event_opaque(event.get()));
    if (const auto opened = on_event(event.get())) answer(topic, *opened);
  }
}

std::optional<Opened> TopicOpener::on_event(rd_kafka_event_t* event) {
  if (const auto code = rd_kafka_event_error(event))
    return failed(code, rd_kafka_event_error_string(event));
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT:
      return on_described(event);
    case RD_KAFKA_EVENT_LISTOFFSETS_RESULT:
      return on_offsets(event);
    default:
      return std::nullopt;
  }
}

std::optional<Opened> TopicOpener::on_described(rd_kafka_event_t* event) {
  std::size_t count = 0;
  const auto** topics =
      rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event), &count);
  PENSTOCK_CHECK(count == 1, "one topic was asked for");
  const auto* error = rd_kafka_TopicDescription_error(topics[0]);
  if (const auto code = rd_kafka_error_code(error))
    return failed(code, rd_kafka_error_string(error));
  std::size_t partitions = 0;
  rd_kafka_TopicDescription_partitions(topics[0], &partitions);
  if (partitions == 0) return failed(RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, nullptr);
  list_offsets(rd_kafka_TopicDescription_name(topics[0]), partitions, rd_kafka_event_opaque(event));
  return std::nullopt;
}

void TopicOpener::list_offsets(const char* topic, std::size_t partitions, void* opaque) {
  const auto list = partition_list(static_cast<int>(partitions));
  for (std::size_t i = 0; i < partitions; ++i) {
    rd_kafka_topic_partition_list_add(list.get(), topic, static_cast<PartitionId>(i))->offset =
        RD_KAFKA_OFFSET_SPEC_LATEST;
  }
  const auto options = make_options(client_, RD_KAFKA_ADMIN_OP_LISTOFFSETS, opaque);
  rd_kafka_ListOffsets(client_, list.get(), options.get(), answers_.get());
}

Opened TopicOpener::on_offsets(rd_kafka_event_t* event) {
  std::size_t count = 0;
  const auto** infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* partition = rd_kafka_ListOffsetsResultInfo_topic_partition(infos[i]);
    if (partition->err) return failed(partition->err, nullptr);
  }
  return Opened{.partitions = static_cast<int>(count), .error = {}, .detail = {}};
}

}  // namespace penstock::kafka
