#include "topics/kafka/client/client.h"

#include <array>
#include <cstdint>
#include <utility>

#include "topics/values/check.h"

namespace penstock::kafka {
namespace {

// Plus one, so that the topic with id 0 differs from a topic that has no opaque.
void* opaque_of(TopicId id) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(id.value) + 1);
}

void take_note(rd_kafka_t*, int error, const char* text, void* opaque) {
  auto& complaints = *static_cast<std::vector<Complaint>*>(opaque);
  if (complaints.size() >= kMaxComplaints) return;
  complaints.push_back({static_cast<rd_kafka_resp_err_t>(error), text});
}

}  // namespace

Result<std::unique_ptr<Client>> Client::make(Role role, const Properties& given,
                                             const Properties& extra, const Wakeup* wakeup) {
  Result<ConfHandle> conf = client_conf(role, given, extra);
  if (!conf) return failure(conf.error().message);
  auto complaints = std::make_unique<std::vector<Complaint>>();
  // Only a reader's queue of records is served by callbacks; every other queue yields events.
  if (role == Role::kReader) {
    rd_kafka_conf_set_opaque(conf->get(), complaints.get());
    rd_kafka_conf_set_error_cb(conf->get(), take_note);
  }
  std::array<char, kErrorTextBytes> text{};
  rd_kafka_t* made = rd_kafka_new(client_type(role), conf->get(), text.data(), text.size());
  if (made == nullptr) {
    return failure(std::string("cannot start a Kafka client: ") + text.data() +
                   "; check the `kafka` part of the config");
  }
  conf->release();  // rd_kafka_new has taken ownership
  std::unique_ptr<Client> client(new Client(ClientHandle(made), role, std::move(complaints)));
  if (wakeup != nullptr) wakeup->watch(client->queue());
  return client;
}

Client::Client(ClientHandle handle, Role role, Complaints complaints)
    : complaints_(std::move(complaints)),
      handle_(std::move(handle)),
      is_member_(role == Role::kMember) {
  if (is_member_) {
    // Errors, rebalances and commits then arrive in one queue, and polling that queue is what keeps
    // the member within max.poll.interval.ms.
    rd_kafka_poll_set_consumer(handle_.get());
    queue_.reset(rd_kafka_queue_get_consumer(handle_.get()));
  } else {
    queue_.reset(rd_kafka_queue_get_main(handle_.get()));
  }
}

Client::~Client() {
  // librdkafka's threads can still enqueue something while the client is being destroyed, and must
  // not write to the session's eventfd then.
  Wakeup::unwatch(queue_.get());
  describes_.wait(queue_.get());
}

EventHandle Client::next_event(int at_most_ms) {
  EventHandle event(rd_kafka_queue_poll(queue_.get(), at_most_ms));
  if (event) describes_.took(event.get());
  return event;
}

std::vector<Complaint> Client::take_complaints() { return std::exchange(*complaints_, {}); }

void Client::refresh_leaders() const {
  constexpr int kDoNotWaitMs = 1;  // the answer is cached, whether or not anyone waits for it
  const rd_kafka_metadata_t* metadata = nullptr;
  const auto error = rd_kafka_metadata(handle_.get(), 0, nullptr, &metadata, kDoNotWaitMs);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) rd_kafka_metadata_destroy(metadata);
}

void Client::leave_group() const {
  if (is_member_) rd_kafka_consumer_close(handle_.get());
}

rd_kafka_topic_t* Client::topic(TopicId id, const std::string& name) {
  if (const auto found = topics_.find(id); found != topics_.end()) return found->second.get();
  rd_kafka_topic_conf_t* conf = rd_kafka_default_topic_conf_dup(handle_.get());
  rd_kafka_topic_conf_set_opaque(conf, opaque_of(id));
  TopicHandle made(rd_kafka_topic_new(handle_.get(), name.c_str(), conf));
  if (!made) return nullptr;
  // It would belong to another id if librdkafka had known the topic before.
  PENSTOCK_CHECK(rd_kafka_topic_opaque(made.get()) == opaque_of(id), "a topic has two names");
  return topics_.emplace(id, std::move(made)).first->second.get();
}

TopicId Client::id_of(const rd_kafka_topic_t* topic) {
  const auto opaque = reinterpret_cast<std::intptr_t>(rd_kafka_topic_opaque(topic));
  return {static_cast<std::int32_t>(opaque - 1)};
}

}  // namespace penstock::kafka
