// One librdkafka client with its event queue and its topic handles, which must go before it does.
// Belongs to the session's thread, except that a Graveyard destroys it on its own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "topics/kafka/client/client_conf.h"
#include "topics/kafka/client/handles.h"
#include "topics/kafka/client/wakeup.h"
#include "topics/log.h"

namespace penstock::kafka {

// What librdkafka tells through its error callback alone, for want of an event or a record.
struct Complaint {
  rd_kafka_resp_err_t error;
  std::string text;
};
inline constexpr std::size_t kMaxComplaints = 1024;  // more are dropped: they are repeated

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
  // The next event of queue(), if there is one; never waits.
  [[nodiscard]] EventHandle next_event() const;

  // Those of a reader since the last call; they come while its queue of records is polled.
  [[nodiscard]] std::vector<Complaint> take_complaints();

  // Asks who leads the topics' partitions, and does not wait for the answer. librdkafka sends an
  // admin request to the leader that it remembers, and renews that memory neither on its error nor
  // on a leader's new epoch.
  void refresh_leaders() const;

  // A member leaves its group; blocks until it has, for 5 s at most (librdkafka's own limit).
  void leave_group() const;

  // A handle of the topic whose opaque is `id`; null when librdkafka refuses the name.
  [[nodiscard]] rd_kafka_topic_t* topic(TopicId id, const std::string& name);
  [[nodiscard]] static TopicId id_of(const rd_kafka_topic_t* topic);

 private:
  using Complaints = std::unique_ptr<std::vector<Complaint>>;
  Client(ClientHandle handle, Role role, Complaints complaints);

  Complaints complaints_;  // where librdkafka finds it, until its client has gone
  ClientHandle handle_;
  QueueHandle queue_;
  std::map<TopicId, TopicHandle> topics_;
  bool is_member_;
};

}  // namespace penstock::kafka
