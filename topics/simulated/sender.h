// A session's idempotent producer: one for each lane. Ordered and retrying, with a bounded number
// in flight; an append that times out leaves a gap: the rest goes on under a new producer (as
// librdkafka does it), so that later ones may be in the log while the failed one is not, or comes
// late.
//
// Acknowledging a later append acknowledges the earlier ones by implication, without their offsets.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/broker.h"

namespace penstock::simulated {

class Sender {
 public:
  Sender(const Link& link, Lane lane) : link_(link), lane_(lane) {}

  // False when `buffered_appends` wait for their end already.
  bool append(Partition& to, const NewRecord& record, Ticket ticket);
  // Ends an append with an error, soon; it reaches no log.
  bool refuse(Ticket ticket, std::string why);
  // Forgets everything; requests under way may still arrive.
  void renew();
  [[nodiscard]] bool is_current(std::uint64_t generation) const {
    return generation == generation_;
  }
  void handed_on() { --unended_; }

  // -- from the network
  void acknowledged(const StreamKey& key, std::uint64_t message, std::uint64_t producer,
                    std::optional<Offset> offset);
  // The broker lacks earlier ones: to be sent again soon.
  void refused(const StreamKey& key, std::uint64_t message, std::uint64_t producer);
  // Where answers of a stream line up; nullptr when it is gone.
  Line* answers(const StreamKey& key);

 private:
  struct Message {
    std::uint64_t id;
    Ticket ticket;
    const Payload* payload;
    std::uint64_t producer;
    std::int64_t sequence;
    Instant deadline;
    Instant again;  // when to send it again; only of one that was sent
    bool sent = false;
  };
  struct Stream {
    Partition* to;
    std::uint64_t producer;
    std::int64_t next = 0;
    std::deque<Message> queue;
    Line answers;
    bool timer = false;
  };

  Stream* find(const StreamKey& key);
  // nullptr when it has ended, or goes on under another producer.
  static Message* find(Stream& stream, std::uint64_t message, std::uint64_t producer);
  void send_again(const StreamKey& key, std::uint64_t message, std::uint64_t producer);
  std::size_t stream_to(Partition& to);
  void number(Stream& stream, Message& message);
  void pump(std::size_t stream);
  void send(std::size_t stream, Message& message);
  void set_timer(std::size_t stream);
  void on_timer(std::size_t stream);
  void expire(Stream& stream);
  void end_soon(Ticket ticket, std::string error);
  void end(Ticket ticket, const Appended& result);

  Link link_;
  Lane lane_;
  std::uint64_t generation_ = 0, messages_ = 0;
  std::size_t unended_ = 0;
  Line requests_;
  std::vector<Stream> streams_;
};

}  // namespace penstock::simulated
