// One lane's idempotent producer. Its client is created by the first append, so that an unused lane
// costs nothing, and again after renew() or a fatal error.
//
// What always holds: each append that was accepted ends in one on_appended, or in none after
// renew(). A client is given up only once all its appends have ended or been abandoned, and nothing
// is sent through its successor before that. Belongs to one thread.
#pragma once

#include <deque>
#include <string>

#include "topics/kafka/client/client.h"
#include "topics/kafka/client/graveyard.h"

namespace penstock::kafka {

class LaneProducer {
 public:
  LaneProducer(Lane lane, Properties properties, const SessionOptions& options,
               const Wakeup& wakeup, Graveyard& graveyard);

  [[nodiscard]] bool append(TopicPartition to, const std::string& topic, const NewRecord& record,
                            Ticket ticket);
  void renew();
  bool poll(LogListener& listener);
  [[nodiscard]] bool has_events() const;

 private:
  struct Failed {
    Ticket ticket;
    std::string error;
    Refusal refusal;
  };

  [[nodiscard]] bool start();
  [[nodiscard]] rd_kafka_resp_err_t produce(rd_kafka_topic_t* topic, PartitionId partition,
                                            const NewRecord& record, Ticket ticket);
  [[nodiscard]] bool fail(Ticket ticket, std::string error, Refusal refusal = Refusal::kNotInLog);
  bool report_failed(LogListener& listener);
  std::size_t report_delivered(rd_kafka_event_t* event, LogListener& listener);
  void on_error(rd_kafka_event_t* event, LogListener& listener);
  void give_up();
  void bury();

  Lane lane_;
  Properties properties_;
  Properties fixed_;  // override the user's
  const Wakeup& wakeup_;
  Graveyard& graveyard_;
  std::unique_ptr<Client> client_;
  std::uint64_t generation_ = 0;  // counts renew(); appends of an older generation are abandoned
  std::size_t unacknowledged_ = 0;
  bool giving_up_ = false;     // after a fatal error, until every append has ended
  std::deque<Failed> failed_;  // appends that librdkafka did not accept
};

}  // namespace penstock::kafka
