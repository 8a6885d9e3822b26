#include "topics/kafka/session/partition_reader.h"

#include <algorithm>

#include "topics/values/check.h"

namespace penstock::kafka {
namespace {

// The number of records per batch: enough to make the calls cheap, and few enough to stay in the
// cache. A poll takes no more than this, because the thread's other work (attempts that have ended)
// would have to wait.
// Records of a batch: fewer if they are large.
constexpr std::size_t kBatch = 128, kSmallestBatch = 4;
constexpr std::size_t kManyBytes = 4 << 20;
static_assert(kMaxRecordsPerPoll >= kBatch);

TopicPartition source_of(const rd_kafka_message_t& message) {
  return {Client::id_of(message.rkt), message.partition};
}

std::optional<std::string_view> view_of(const void* data, std::size_t bytes) {
  if (data == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(data), bytes);
}

// librdkafka parses headers into a buffer that it allocates for every record, even to find that
// there are none (90 ns of the 440 ns that a record costs). In the record batch format v2 (KIP-98),
// the only one with leader epochs, the value is followed by the number of headers as a varint, and
// librdkafka 2 returns pointers into the batch (except for an empty value, which points elsewhere).
bool surely_has_no_headers(const rd_kafka_message_t& message) {
  static const bool known_layout = rd_kafka_version() >> 24U == 2;
  if (!known_layout || message.payload == nullptr || message.len == 0) return false;
  if (rd_kafka_message_leader_epoch(&message) < 0) return false;
  return static_cast<const unsigned char*>(message.payload)[message.len] == 0;
}

bool is_out_of_range(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
         error == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;
}

bool is_unknown_topic(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
         error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID || error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

// Errors that waiting does not fix; librdkafka retries all others by itself.
const char* read_way_out(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return "grant READ on the topic";
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
      return "check the topic's name";
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
    case RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED:
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
      return "a record cannot be read; check the log on the broker";
    default:
      return nullptr;
  }
}

}  // namespace

PartitionReader::PartitionReader(std::unique_ptr<Client> client, const Wakeup& wakeup,
                                 Handles handles)
    : client_(std::move(client)),
      handles_(handles),
      queue_(rd_kafka_queue_new(client_->get())),
      messages_(kBatch),
      batch_size_(kBatch) {
  wakeup.watch(queue_.get());
}

PartitionReader::~PartitionReader() {
  Wakeup::unwatch(queue_.get());
  for (auto& [from, reading] : readings_) {
    if (reading.active) rd_kafka_consume_stop(reading.topic, from.partition);
  }
}

void PartitionReader::read(TopicPartition from, const std::string& topic, Offset position) {
  Reading& reading = readings_[from];
  PENSTOCK_CHECK(!reading.active && !reading.held, "a partition is read twice at the same time");
  reading.topic = client_->topic(from.topic, topic);
  if (reading.topic == nullptr || rd_kafka_consume_start_queue(reading.topic, from.partition,
                                                               position.value, queue_.get()) != 0) {
    refused_.emplace_back(from,
                          "topic \"" + topic + "\": " + rd_kafka_err2str(rd_kafka_last_error()));
    return;
  }
  reading.name = topic;
  reading.active = true;
  reading.next = position;
  reading.begun_in = batch_;
}

void PartitionReader::stop(TopicPartition from) {
  const auto found = readings_.find(from);
  if (found == readings_.end()) return;
  found->second.held = false;
  if (!found->second.active) return;
  // Waits for librdkafka's own thread, not for a broker. From here on, librdkafka treats this
  // read's records in the queue as outdated.
  rd_kafka_consume_stop(found->second.topic, from.partition);
  found->second.active = false;
}

bool PartitionReader::poll(LogListener& listener) {
  bool any = !refused_.empty();
  std::vector<std::pair<TopicPartition, std::string>> refused;
  refused.swap(refused_);
  for (const auto& [from, text] : refused) tell_refused(from, text, listener);
  any = poll_batch(listener) > 0 || any;
  hand_on_complaints(listener);
  return any;
}

std::size_t PartitionReader::poll_batch(LogListener& listener) {
  // Without a timeout, because librdkafka waits for all of it unless the batch is full. Only
  // KafkaSession::wait() sleeps.
  const ssize_t got = rd_kafka_consume_batch_queue(queue_.get(), 0, messages_.data(), batch_size_);
  if (got <= 0) return 0;
  const auto count = static_cast<std::size_t>(got);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += messages_[i]->len;
  // A few large records take as long as many small ones, and the caller has other things to do.
  if (bytes > kManyBytes) {
    batch_size_ = std::max(kSmallestBatch, batch_size_ / 2);
  } else if (bytes < kManyBytes / 4) {
    batch_size_ = std::min(kBatch, batch_size_ * 2);
  }
  ++batch_;
  hand_on(Messages(messages_.data(), count), listener);
  ++batch_;
  for (std::size_t i = 0; i < count; ++i) rd_kafka_message_destroy(messages_[i]);
  return count;
}

void PartitionReader::hand_on(Messages batch, LogListener& listener) {
  for (std::size_t begin = 0; begin < batch.size();) {
    const rd_kafka_message_t& first = *batch[begin];
    std::size_t end = begin + 1;
    // The reference stays valid while listeners begin and stop reads: entries are never removed,
    // and a map does not move them.
    const TopicPartition from = source_of(first);
    Reading& reading = readings_[from];
    if (first.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (concerns(reading)) hand_on_error(reading, from, first, listener);
    } else {
      while (end < batch.size() && batch[end]->rkt == first.rkt &&
             batch[end]->partition == first.partition &&
             batch[end]->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        ++end;
      }
      if (concerns(reading)) {
        hand_on_run(reading, from, batch.subspan(begin, end - begin), listener);
      }
    }
    begin = end;
  }
}

void PartitionReader::hand_on_run(Reading& reading, TopicPartition from, Messages run,
                                  LogListener& listener) {
  records_.clear();
  headers_.clear();
  header_ends_.clear();
  for (const rd_kafka_message_t* message : run) {
    if (message->offset >= reading.next.value) add_record(*message);
  }
  if (records_.empty()) return;
  // Only now: headers_ may have moved its elements while it grew.
  for (std::size_t i = 0; i < header_ends_.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : header_ends_[i - 1];
    records_[i].headers = std::span(headers_).subspan(begin, header_ends_[i] - begin);
  }
  // Before the call, in which the listener may stop this read and begin another one elsewhere.
  reading.next = records_.back().offset.next();
  listener.on_records(from, records_);
}

void PartitionReader::add_record(const rd_kafka_message_t& message) {
  rd_kafka_timestamp_type_t type{};
  records_.push_back(LogRecord{
      .offset = Offset{message.offset},
      .timestamp = time_from_ms(rd_kafka_message_timestamp(&message, &type)),
      .key = view_of(message.key, message.key_len),
      .value = view_of(message.payload, message.len),
      .headers = {},
  });
  if (surely_has_no_headers(message)) return;
  rd_kafka_headers_t* headers = nullptr;  // owned by the message
  if (rd_kafka_message_headers(&message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    // The records since the last one with headers have none, so their ranges are empty.
    header_ends_.resize(records_.size() - 1, headers_.size());
    add_headers(headers);
    header_ends_.push_back(headers_.size());
  }
}

void PartitionReader::add_headers(const rd_kafka_headers_t* headers) {
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t bytes = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &bytes) == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i) {
    headers_.push_back({name, view_of(value, bytes)});
  }
}

void PartitionReader::hand_on_error(Reading& reading, TopicPartition from,
                                    const rd_kafka_message_t& message, LogListener& listener) {
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF)
    return listener.on_end(from, Offset{message.offset});
  if (is_out_of_range(message.err)) {
    const Offset position = reading.next;
    stop(from);
    return listener.on_out_of_range(from, position);
  }
  if (message.err == RD_KAFKA_RESP_ERR__LOG_TRUNCATION) {
    const Offset position = reading.next;
    stop(from);
    return listener.on_truncated(from, position);
  }
  if (is_unknown_topic(message.err)) return hold(reading, from);
  const char* const fix = read_way_out(message.err);
  if (fix == nullptr) return;
  refuse(reading, from, std::string(rd_kafka_message_errstr(&message)) + "; " + fix, listener);
}

void PartitionReader::refuse(Reading& reading, TopicPartition from, const std::string& text,
                             LogListener& listener) {
  const std::string name = reading.name;
  stop(from);
  tell_refused(from,
               "topic \"" + name + "\" partition " + std::to_string(from.partition) + ": " + text,
               listener);
}

void PartitionReader::tell_refused(TopicPartition from, const std::string& detail,
                                   LogListener& listener) const {
  if (handles_ == Handles::kSecond) return listener.on_read_refused(from, detail);
  listener.on_fatal("cannot read " + detail);
}

void PartitionReader::refuse_all(const std::string& topic, const std::string& detail,
                                 LogListener& listener) {
  for (const TopicPartition from : readings_of(topic)) {
    stop(from);
    listener.on_read_refused(from, detail);
  }
}

// A single answer proves nothing: the brokers are asked for the topic first.
void PartitionReader::hold(Reading& reading, TopicPartition from) {
  suspects_.push_back(reading.name);
  stop(from);
  // After stop(), which resets it.
  reading.held = true;
}

std::vector<TopicPartition> PartitionReader::readings_of(const std::string& topic) const {
  std::vector<TopicPartition> found;
  for (const auto& [from, reading] : readings_) {
    if ((reading.active || reading.held) && reading.name == topic) found.push_back(from);
  }
  return found;
}

void PartitionReader::resume(const std::string& topic, int partitions, LogListener& listener) {
  for (const TopicPartition from : readings_of(topic)) {
    Reading& reading = readings_[from];
    if (!reading.held) continue;
    if (from.partition >= partitions) {
      refuse(reading, from, "the topic has " + std::to_string(partitions) + " partitions",
             listener);
      continue;
    }
    reading.held = false;
    read(from, topic, reading.next);
  }
}

void PartitionReader::expel(const std::string& topic, LogListener& listener) {
  for (const TopicPartition from : readings_of(topic)) {
    const Offset position = readings_[from].next;
    stop(from);
    listener.on_out_of_range(from, position);
  }
}

// That a topic does not exist is an error of the partition. librdkafka puts it into the queue of
// records and removes it again to call the error callback.
void PartitionReader::hand_on_complaints(LogListener& listener) {
  for (const Complaint& complaint : client_->take_complaints()) {
    const bool unknown = is_unknown_topic(complaint.error);
    const char* const fix = read_way_out(complaint.error);
    const auto from = fix || unknown ? subject_of(complaint) : std::nullopt;
    if (!from) continue;
    if (unknown) {
      hold(readings_[*from], *from);
      continue;
    }
    refuse(readings_[*from], *from, std::string(rd_kafka_err2str(complaint.error)) + "; " + fix,
           listener);
  }
}

// The text begins with "TOPIC [PARTITION]: ".
std::optional<TopicPartition> PartitionReader::subject_of(const Complaint& complaint) const {
  for (const auto& [from, reading] : readings_) {
    if (!reading.active) continue;
    const std::string subject = reading.name + " [" + std::to_string(from.partition) + "]: ";
    if (complaint.text.starts_with(subject)) return from;
  }
  return std::nullopt;
}

}  // namespace penstock::kafka
