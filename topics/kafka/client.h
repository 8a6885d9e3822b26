// One librdkafka client with its event queue and its topic handles, which must go before it does.
// Belongs to the session's thread, except that a Graveyard destroys it on its own.
#pragma once

#include <map>
#include <string>

#include "topics/kafka/handles.h"
#include "topics/kafka/properties.h"
#include "topics/kafka/wakeup.h"
#include "topics/log.h"

namespace penstock::kafka {

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

  // Asks who leads the topics' partitions, and does not wait for the answer. librdkafka sends an
  // admin request to the leader that it remembers, and renews that memory neither on its error nor
  // on a leader's new epoch.
  void refresh_leaders() const;

  // A handle of the topic whose opaque is `id`; null when librdkafka refuses the name.
  [[nodiscard]] rd_kafka_topic_t* topic(TopicId id, const std::string& name);
  [[nodiscard]] static TopicId id_of(const rd_kafka_topic_t* topic);

 private:
  friend class Graveyard;
  explicit Client(ClientHandle handle, Role role);

  ClientHandle handle_;
  QueueHandle queue_;
  std::map<TopicId, TopicHandle> topics_;
  bool is_member_;
};

}  // namespace penstock::kafka
