// One librdkafka client with its event queue and its topic handles, which are destroyed before it.
// It belongs to its session's thread; only a Graveyard destroys it on another one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "topics/kafka/client/client_conf.h"
#include "topics/kafka/client/describes.h"
#include "topics/kafka/client/handles.h"
#include "topics/kafka/client/wakeup.h"
#include "topics/log.h"

namespace penstock::kafka {

// An error that librdkafka reports only through its error callback, without an event or a record.
struct Complaint {
  rd_kafka_resp_err_t error;
  std::string text;
};
inline constexpr std::size_t kMaxComplaints = 1024;  // more are dropped, because they are repeated

class Client {
 public:
  // Events arrive in queue(), which signals `wakeup`.
  [[nodiscard]] static Result<std::unique_ptr<Client>> make(Role role, const Properties& given,
                                                            const Properties& extra,
                                                            const Wakeup* wakeup);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] rd_kafka_t* get() const { return handle_.get(); }
  [[nodiscard]] rd_kafka_queue_t* queue() const { return queue_.get(); }
  // The next event of queue(), or null; waits for at most this long.
  [[nodiscard]] EventHandle next_event(int at_most_ms = 0);
  // Those whose answers arrive in queue(); the destructor waits for them.
  [[nodiscard]] Describes& describes() { return describes_; }

  // The complaints of a reader since the last call. They arrive while its record queue is polled.
  [[nodiscard]] std::vector<Complaint> take_complaints();

  // Asks which brokers lead the topics' partitions, without waiting for the answer. Needed because
  // librdkafka sends an admin request to the leader that it remembers, and refreshes that memory
  // neither on an error nor on a new leader epoch.
  void refresh_leaders() const;

  // Makes a member leave its group; blocks until it has, for at most 5 s (librdkafka's own limit).
  void leave_group() const;

  // The topic's handle, whose opaque is `id`; null if librdkafka refuses the name.
  [[nodiscard]] rd_kafka_topic_t* topic(TopicId id, const std::string& name);
  [[nodiscard]] static TopicId id_of(const rd_kafka_topic_t* topic);

 private:
  using Complaints = std::unique_ptr<std::vector<Complaint>>;
  Client(ClientHandle handle, Role role, Complaints complaints);

  Complaints complaints_;  // librdkafka holds a pointer to it until the client is destroyed
  ClientHandle handle_;
  QueueHandle queue_;
  std::map<TopicId, TopicHandle> topics_;
  Describes describes_;
  bool is_member_;
};

}  // namespace penstock::kafka
