#include "topics/kafka/session/lane_producer.h"

#include <array>
#include <utility>

namespace penstock::kafka {
namespace {

// Appends refused by librdkafka that wait to be reported. When they reach this number, append()
// reports a full buffer.
constexpr std::size_t kMaxFailed = 1024;
// Reported per poll, in whole events. Processing the acknowledgement of a state record takes
// milliseconds, so a poll reports only one: attempts that have ended should not wait for several.
constexpr std::size_t kMaxReportsPerPoll = 4096, kMaxStateReportsPerPoll = 1;

static_assert(sizeof(void*) >= sizeof(Ticket), "a ticket travels as a message's opaque");

void* opaque_of(Ticket ticket) { return reinterpret_cast<void*>(ticket); }
Ticket ticket_of(const rd_kafka_message_t& message) {
  return reinterpret_cast<Ticket>(message._private);
}

// librdkafka represents an absent key or value as a null pointer.
void* data_of(const std::optional<std::string_view>& bytes) {
  if (!bytes) return nullptr;
  return const_cast<char*>(bytes->empty() ? "" : bytes->data());
}
std::size_t size_of(const std::optional<std::string_view>& bytes) {
  return bytes ? bytes->size() : 0;
}

HeadersHandle headers_of(std::span<const HeaderView> headers) {
  HeadersHandle made(rd_kafka_headers_new(headers.size()));
  for (const HeaderView& header : headers) {
    rd_kafka_header_add(made.get(), header.name.data(), static_cast<ssize_t>(header.name.size()),
                        data_of(header.value), static_cast<ssize_t>(size_of(header.value)));
  }
  return made;
}

Refusal refusal_of(rd_kafka_resp_err_t error, rd_kafka_msg_status_t status) {
  if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) return Refusal::kTooLarge;
  return status == RD_KAFKA_MSG_STATUS_NOT_PERSISTED ? Refusal::kNotInLog : Refusal::kNone;
}

Appended outcome_of(const rd_kafka_message_t& message) {
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return {.offset = std::nullopt,
            .error = rd_kafka_err2str(message.err),
            .refusal = refusal_of(message.err, rd_kafka_message_status(&message))};
  }
  if (message.offset < 0) return {};
  return {.offset = Offset{message.offset}, .error = std::nullopt};
}

}  // namespace

LaneProducer::LaneProducer(Lane lane, Properties properties, const SessionOptions& options,
                           const Wakeup& wakeup, Graveyard& graveyard)
    : lane_(lane),
      properties_(std::move(properties)),
      fixed_(lane_timeouts(options.lease)),
      wakeup_(wakeup),
      graveyard_(graveyard) {
  if (!options.client_id.empty()) fixed_.emplace("client.id", options.client_id);
}

bool LaneProducer::append(TopicPartition to, const std::string& topic, const NewRecord& record,
                          Ticket ticket) {
  // While the client is being given up, the successor must not send yet: records could overtake the
  // ones whose outcome is still open.
  if (giving_up_ || failed_.size() >= kMaxFailed) return false;
  if (!client_ && !start()) return fail(ticket, "cannot start a Kafka producer");
  rd_kafka_topic_t* const handle = client_->topic(to.topic, topic);
  if (handle == nullptr) return fail(ticket, "\"" + topic + "\" is not a valid topic name");
  const rd_kafka_resp_err_t error = produce(handle, to.partition, record, ticket);
  if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) return false;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return fail(ticket, rd_kafka_err2str(error),
                refusal_of(error, RD_KAFKA_MSG_STATUS_NOT_PERSISTED));
  }
  ++unacknowledged_;
  return true;
}

bool LaneProducer::start() {
  const Role role = lane_ == Lane::kState ? Role::kStateLane : Role::kOutboxLane;
  Result<std::unique_ptr<Client>> made = Client::make(role, properties_, fixed_, &wakeup_);
  if (!made) return false;
  client_ = std::move(*made);
  // librdkafka asks for a producer id when it starts, before any broker is connected, and then
  // again only after 500 ms or when a broker sends something. This request makes a broker answer,
  // so that the first append takes 20 ms.
  rd_kafka_DescribeCluster(client_->get(), nullptr, client_->queue());
  return true;
}

rd_kafka_resp_err_t LaneProducer::produce(rd_kafka_topic_t* topic, PartitionId partition,
                                          const NewRecord& record, Ticket ticket) {
  HeadersHandle headers = record.headers.empty() ? nullptr : headers_of(record.headers);
  std::array<rd_kafka_vu_t, 7> fields{};
  fields[0].vtype = RD_KAFKA_VTYPE_RKT;
  fields[0].u.rkt = topic;
  fields[1].vtype = RD_KAFKA_VTYPE_PARTITION;
  fields[1].u.i32 = partition;
  fields[2].vtype = RD_KAFKA_VTYPE_KEY;
  fields[2].u.mem = {data_of(record.key), size_of(record.key)};
  fields[3].vtype = RD_KAFKA_VTYPE_VALUE;
  fields[3].u.mem = {data_of(record.value), size_of(record.value)};
  fields[4].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  fields[4].u.i = RD_KAFKA_MSG_F_COPY;
  fields[5].vtype = RD_KAFKA_VTYPE_OPAQUE;
  fields[5].u.ptr = opaque_of(ticket);
  fields[6].vtype = RD_KAFKA_VTYPE_HEADERS;
  fields[6].u.headers = headers.get();
  const std::size_t count = headers ? fields.size() : fields.size() - 1;
  const ErrorHandle error(rd_kafka_produceva(client_->get(), fields.data(), count));
  if (error) return rd_kafka_error_code(error.get());
  static_cast<void>(headers.release());  // librdkafka has taken ownership
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

bool LaneProducer::fail(Ticket ticket, std::string error, Refusal refusal) {
  // The append counts as accepted: its failure is reported by the next poll(), because listeners
  // are called only from there.
  failed_.push_back({ticket, std::move(error), refusal});
  wakeup_.signal();
  return true;
}

void LaneProducer::renew() {
  ++generation_;
  failed_.clear();
  bury();
}

void LaneProducer::bury() {
  giving_up_ = false;
  unacknowledged_ = 0;
  if (!client_) return;
  // The graveyard may be busy with another client for seconds. Until it gets to this one, the
  // client must not go on sending abandoned records.
  rd_kafka_purge(client_->get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                     RD_KAFKA_PURGE_F_NON_BLOCKING);
  graveyard_.bury(std::move(client_));
}

// After a fatal error the client accepts nothing more; what it still holds ends here with an error.
void LaneProducer::give_up() {
  if (giving_up_ || !client_) return;
  giving_up_ = true;
  rd_kafka_purge(client_->get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                     RD_KAFKA_PURGE_F_NON_BLOCKING);
}

bool LaneProducer::poll(LogListener& listener) {
  bool any = report_failed(listener);
  const std::size_t most = lane_ == Lane::kState ? kMaxStateReportsPerPoll : kMaxReportsPerPoll;
  // Inside a report, the listener may renew the lane, which takes the client away.
  for (std::size_t reported = 0; client_ && reported < most; ++reported) {
    const EventHandle event = client_->next_event();
    if (!event) break;
    any = true;
    if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_DR) {
      reported += report_delivered(event.get(), listener);
    } else if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_ERROR) {
      on_error(event.get(), listener);
    }
  }
  if (giving_up_ && unacknowledged_ == 0) bury();
  return any;
}

bool LaneProducer::report_failed(LogListener& listener) {
  // No more than there are now: inside a report, the listener may append again and fail again. It
  // may also renew the lane, which empties the list.
  const std::size_t count = failed_.size();
  for (std::size_t i = 0; i < count && !failed_.empty(); ++i) {
    Failed failed = std::move(failed_.front());
    failed_.pop_front();
    listener.on_appended(
        lane_, failed.ticket,
        {.offset = std::nullopt, .error = std::move(failed.error), .refusal = failed.refusal});
  }
  return count > 0;
}

std::size_t LaneProducer::report_delivered(rd_kafka_event_t* event, LogListener& listener) {
  const std::uint64_t generation = generation_;
  std::size_t reported = 0;
  while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) {
    --unacknowledged_;
    ++reported;
    listener.on_appended(lane_, ticket_of(*message), outcome_of(*message));
    if (generation != generation_) break;  // renewed in the meantime: the rest is abandoned
  }
  return reported;
}

void LaneProducer::on_error(rd_kafka_event_t* event, LogListener& listener) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  if (rd_kafka_event_error_is_fatal(event) != 0 || error == RD_KAFKA_RESP_ERR__FATAL) {
    return give_up();
  }
  // librdkafka retries after all other errors, and each append reports its own.
  if (error == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED ||
      error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
    listener.on_fatal(std::string("not allowed to write (") + rd_kafka_event_error_string(event) +
                      "); grant WRITE on the topics and IDEMPOTENT_WRITE");
  }
}

bool LaneProducer::has_events() const {
  return !failed_.empty() || (client_ && rd_kafka_queue_length(client_->queue()) > 0);
}

}  // namespace penstock::kafka
