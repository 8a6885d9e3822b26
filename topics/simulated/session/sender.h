// A session's idempotent producer; there is one per lane. It sends in order, retries, and bounds
// what is in flight. An append that times out leaves a gap: as in librdkafka, the others continue
// under a new producer, so later ones may be in the log while the failed one is missing or appears
// late.
//
// Acknowledging an append implicitly acknowledges the earlier ones, without their offsets. Belongs
// to the simulator's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/brokers/brokers.h"
#include "topics/simulated/network/link.h"
#include "topics/simulated/session/inbox.h"

namespace penstock::simulated {

class Sender final : public ProduceAnswers {
 public:
  Sender(const Link& link, Lane lane, Brokers& brokers, Inbox& inbox)
      : link_(link), lane_(lane), brokers_(&brokers), inbox_(&inbox) {}
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // False if `buffered_appends` appends are unfinished.
  bool append(Partition& to, const NewRecord& record, Ticket ticket);
  // Ends an append with an error soon, without sending it.
  bool refuse(Ticket ticket, std::string why, Refusal refusal);
  // Abandons everything; requests in flight may still arrive.
  void renew();
  [[nodiscard]] bool is_current(std::uint64_t generation) const {
    return generation == generation_;
  }
  void handed_on() { --unended_; }

  // -- from the network
  void acknowledged(const StreamKey& key, std::uint64_t batch, std::uint64_t producer,
                    std::optional<Offset> first) override;
  void refused(const StreamKey& key, std::uint64_t batch, std::uint64_t producer) override;
  [[nodiscard]] Line* answers(const StreamKey& key) override;

 private:
  struct Message {
    Ticket ticket;
    const Payload* payload;
    Instant deadline;
  };
  // Accepts messages until it is sent, and keeps the same ones until a producer has ended.
  struct Pending {
    std::uint64_t id;
    std::vector<Message> messages;
    std::uint64_t producer = 0;
    std::int64_t sequence = 0;
    const Batch* sent = nullptr;
    Instant again{};  // once sent: when to send it again
  };
  struct Stream {
    Partition* to;
    std::uint64_t producer;
    std::int64_t next = 0;
    std::deque<Pending> queue;
    Line answers;
    bool timer = false;
  };

  Stream* find(const StreamKey& key);
  // Null if it has ended or continues under another producer.
  static Pending* find(Stream& stream, std::uint64_t batch, std::uint64_t producer);
  void send_again(const StreamKey& key, std::uint64_t batch, std::uint64_t producer);
  std::size_t stream_to(Partition& to);
  void seal(Stream& stream, Pending& pending);
  [[nodiscard]] bool lose(std::size_t stream, Pending& pending);
  void pump(std::size_t stream);
  void send(std::size_t stream, Pending& pending);
  void set_timer(std::size_t stream);
  void on_timer(std::size_t stream);
  bool expire(Stream& stream);
  void go_on_as_another(std::size_t stream);
  void end_soon(Ticket ticket, std::string error, Refusal refusal = Refusal::kNone);
  void end(const Message& message, const Appended& result);

  Link link_;
  Lane lane_;
  Brokers* brokers_;
  Inbox* inbox_;
  std::uint64_t generation_ = 0, batches_ = 0;
  std::size_t unended_ = 0, unended_bytes_ = 0;
  Line requests_;
  std::vector<Stream> streams_;
};

}  // namespace penstock::simulated
