#include "topics/kafka/produce/produce_client.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

#include "topics/kafka/produce/produce_config.h"
#include "topics/kafka/produce/topic_opener.h"
#include "topics/values/check.h"

namespace penstock::kafka {
namespace {

// One librdkafka producer and what depends on it; destroyed in reverse order.
struct Instance {
  ClientHandle client;
  QueueHandle main;
  std::unique_ptr<TopicOpener> opener;
  std::vector<TopicHandle> topics;  // index: TopicId
};

HeadersHandle to_headers(std::span<const HeaderView> views) {
  HeadersHandle headers(rd_kafka_headers_new(views.size()));
  for (const auto& [name, value] : views) {  // a null pointer means a null value
    rd_kafka_header_add(headers.get(), name.data(), static_cast<ssize_t>(name.size()),
                        value ? (value->data() ? value->data() : "") : nullptr,
                        value ? static_cast<ssize_t>(value->size()) : 0);
  }
  return headers;
}

void* to_opaque(Ticket ticket) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(ticket));
}
Ticket to_ticket(void* opaque) {
  return static_cast<Ticket>(reinterpret_cast<std::uintptr_t>(opaque));
}

class KafkaProduceClient final : public ProduceClient {
 public:
  explicit KafkaProduceClient(ConfHandle conf);

  Status start();

  TopicId topic(std::string_view name) override;
  void open(TopicId topic) override;
  Produced produce(TopicId topic, const NewRecord& record, Ticket ticket) override;
  void purge() override;
  void poll(ProduceListener& listener, std::chrono::milliseconds at_most) override;
  void wake() override;

 private:
  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self);
  static void on_error(rd_kafka_t*, int code, const char* reason, void* self);
  static void on_log(const rd_kafka_t*, int, const char*, const char*) {}

  Result<Instance> make_instance();
  void renew();
  rd_kafka_resp_err_t produce_plain(rd_kafka_topic_t* topic, const NewRecord& record,
                                    Ticket ticket);
  rd_kafka_resp_err_t produce_with_headers(rd_kafka_topic_t* topic, const NewRecord& record,
                                           Ticket ticket);

  const ConfHandle conf_;
  std::atomic<bool> failed_ = false;
  ProduceListener* listener_ = nullptr;  // the argument of the current poll

  // Held shared while instance_ is used, exclusively while it is replaced or topics are added.
  mutable std::shared_mutex mutex_;
  Instance instance_;
  std::deque<std::string> names_;            // index: TopicId
  std::unordered_set<std::int32_t> asking_;  // topics whose open() has not been answered yet
};

KafkaProduceClient::KafkaProduceClient(ConfHandle conf) : conf_(std::move(conf)) {
  rd_kafka_conf_set_opaque(conf_.get(), this);
  rd_kafka_conf_set_dr_msg_cb(conf_.get(), on_delivery);
  rd_kafka_conf_set_error_cb(conf_.get(), on_error);
  rd_kafka_conf_set_log_cb(conf_.get(), on_log);
}

Status KafkaProduceClient::start() {
  auto made = make_instance();
  if (!made) return tl::unexpected(made.error());
  instance_ = std::move(*made);
  return {};
}

Result<Instance> KafkaProduceClient::make_instance() {
  char error[kErrorTextBytes];
  ConfHandle conf(rd_kafka_conf_dup(conf_.get()));
  Instance made;
  made.client.reset(rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), error, sizeof error));
  if (!made.client) return failure(std::string("cannot create a Kafka producer: ") + error);
  static_cast<void>(conf.release());  // owned by the client now
  made.main.reset(rd_kafka_queue_get_main(made.client.get()));
  made.opener = std::make_unique<TopicOpener>(made.client.get(), made.main.get());
  for (const auto& name : names_) {
    made.topics.emplace_back(rd_kafka_topic_new(made.client.get(), name.c_str(), nullptr));
  }
  return made;
}

TopicId KafkaProduceClient::topic(std::string_view name) {
  const std::unique_lock lock(mutex_);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return TopicId{static_cast<std::int32_t>(i)};
  }
  names_.emplace_back(name);
  auto* made = rd_kafka_topic_new(instance_.client.get(), names_.back().c_str(), nullptr);
  PENSTOCK_CHECK(made != nullptr, "topic names are checked before they get here");
  instance_.topics.emplace_back(made);
  return TopicId{static_cast<std::int32_t>(names_.size() - 1)};
}

void KafkaProduceClient::open(TopicId topic) {
  const std::unique_lock lock(mutex_);
  // The answer to the request that is under way serves this caller, too.
  if (!asking_.insert(topic.value).second) return;
  instance_.opener->ask(topic, names_[static_cast<std::size_t>(topic.value)]);
}

Produced KafkaProduceClient::produce(TopicId topic, const NewRecord& record, Ticket ticket) {
  const std::shared_lock lock(mutex_);
  auto* to = instance_.topics[static_cast<std::size_t>(topic.value)].get();
  const auto code = record.headers.empty() ? produce_plain(to, record, ticket)
                                           : produce_with_headers(to, record, ticket);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) [[likely]]
    return {};
  if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) return {Taken::kFull};
  if (code == RD_KAFKA_RESP_ERR__FATAL) failed_ = true;
  return {Taken::kFailed, rd_kafka_err2str(code)};
}

rd_kafka_resp_err_t KafkaProduceClient::produce_plain(rd_kafka_topic_t* topic,
                                                      const NewRecord& record, Ticket ticket) {
  // librdkafka copies the payload and does not write to it; the parameter lacks const only because
  // of MSG_F_FREE.
  auto* payload = const_cast<char*>(record.value->data());
  const int taken = rd_kafka_produce(topic, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, payload,
                                     record.value->size(), record.key->data(), record.key->size(),
                                     to_opaque(ticket));
  return taken == 0 ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_last_error();
}

rd_kafka_resp_err_t KafkaProduceClient::produce_with_headers(rd_kafka_topic_t* topic,
                                                             const NewRecord& record,
                                                             Ticket ticket) {
  auto headers = to_headers(record.headers);
  auto* payload = const_cast<char*>(record.value->data());
  const auto code = rd_kafka_producev(
      instance_.client.get(), RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(RD_KAFKA_PARTITION_UA),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_VALUE(payload, record.value->size()),
      RD_KAFKA_V_KEY(record.key->data(), record.key->size()), RD_KAFKA_V_HEADERS(headers.get()),
      RD_KAFKA_V_OPAQUE(to_opaque(ticket)), RD_KAFKA_V_END);
  // owned by the record now
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) static_cast<void>(headers.release());
  return code;
}

void KafkaProduceClient::purge() {
  const std::shared_lock lock(mutex_);
  rd_kafka_purge(instance_.client.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                             RD_KAFKA_PURGE_F_NON_BLOCKING);
}

void KafkaProduceClient::poll(ProduceListener& listener, std::chrono::milliseconds at_most) {
  // Only this thread replaces the instance, so it can use it without the lock.
  // librdkafka calls the callbacks only inside rd_kafka_poll, so they never see an old listener.
  listener_ = &listener;
  if (failed_) renew();
  rd_kafka_poll(instance_.client.get(), static_cast<int>(at_most.count()));
  instance_.opener->serve([&](TopicId topic, const Opened& opened) {
    {
      const std::unique_lock lock(mutex_);
      asking_.erase(topic.value);
    }
    listener.on_opened(topic, opened);
  });
}

void KafkaProduceClient::wake() {
  const std::shared_lock lock(mutex_);
  rd_kafka_queue_yield(instance_.main.get());
}

void KafkaProduceClient::on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
  Delivered result{.partition = message->partition, .offset = {}, .error = {}, .never_sent = false};
  if (message->err) {
    result.error = rd_kafka_err2str(message->err);
    result.never_sent = rd_kafka_message_status(message) == RD_KAFKA_MSG_STATUS_NOT_PERSISTED;
  } else if (message->offset >= 0) {
    result.offset = Offset{message->offset};
  }
  static_cast<KafkaProduceClient*>(self)->listener_->on_delivered(to_ticket(message->_private),
                                                                  result);
}

void KafkaProduceClient::on_error(rd_kafka_t*, int code, const char* reason, void* opaque) {
  auto* self = static_cast<KafkaProduceClient*>(opaque);
  if (code == RD_KAFKA_RESP_ERR__FATAL) self->failed_ = true;
  // The trouble with each broker was reported before and says more.
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) return;
  self->listener_->on_trouble(reason);
}

// A failed producer accepts nothing new, so it can be replaced once its records are answered.
void KafkaProduceClient::renew() {
  purge();
  // This ends even if no broker is reachable: purge() has failed every record locally.
  while (rd_kafka_outq_len(instance_.client.get()) > 0) rd_kafka_poll(instance_.client.get(), 100);
  const std::unique_lock lock(mutex_);
  auto made = make_instance();
  if (!made) return;  // for example, no thread is available; the next poll tries again
  instance_.topics.clear();
  std::swap(instance_, *made);
  failed_ = false;
  // These questions were asked through the client that has been replaced; no answer would come.
  for (const auto topic : asking_) {
    instance_.opener->ask(TopicId{topic}, names_[static_cast<std::size_t>(topic)]);
  }
}

}  // namespace
}  // namespace penstock::kafka

namespace penstock {

Result<std::unique_ptr<ProduceClient>> open_kafka_produce_client(
    const KafkaProduceOptions& options) {
  auto conf = kafka::make_produce_conf(options);
  if (!conf) return tl::unexpected(conf.error());
  auto client = std::make_unique<kafka::KafkaProduceClient>(std::move(*conf));
  if (auto started = client->start(); !started) return tl::unexpected(started.error());
  return client;
}

}  // namespace penstock
