// What a producer needs from a log: it accepts records and reports when each is in the log. The
// record's key determines the partition (Java's murmur2), so all records of an account are in the
// same partition. The implementation for Kafka is topics/kafka/produce/produce_client.h.
//
// What always holds:
// - A record that produce() accepted ends in exactly one on_delivered; a record that it did not
//   accept ends in none.
// - Records with the same topic and key reach the log in the order of the calls, except that after
//   a failure later ones may be in the log while the failed one is missing (or appears late).
// - topic(), open(), produce(), purge() and wake() may be called from any thread. poll() belongs to
//   one thread, and calls the listener on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topics/log.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

struct Delivered {
  PartitionId partition = -1;
  std::optional<Offset> offset;  // absent: it failed, or it was acknowledged without an offset
  std::string_view error;        // not empty: the outcome is unknown, unless `never_sent`
  bool never_sent = false;       // with an error: the record is certainly not in the log
};

enum class OpenError : std::uint8_t {
  kMissing,    // the broker does not know the topic (yet)
  kTemporary,  // ask again
  kRefused,    // asking again is useless: no authorisation, or an invalid name
};

struct Opened {
  int partitions = 0;
  std::optional<OpenError> error;
  std::string detail;  // with an error: one line for a person
};

class ProduceListener {
 public:
  virtual ~ProduceListener() = default;
  virtual void on_delivered(Ticket ticket, const Delivered& result) = 0;
  virtual void on_opened(TopicId topic, const Opened& result) = 0;
  // Trouble that the client recovers from by itself.
  virtual void on_trouble(std::string_view detail) = 0;
};

enum class Taken : std::uint8_t {
  kYes,
  kFull,    // no room now; try again after a poll
  kFailed,  // not accepted, and `detail` says why
};

struct Produced {
  Taken taken = Taken::kYes;
  const char* detail = "";  // static text
};

class ProduceClient {
 public:
  virtual ~ProduceClient() = default;

  // Returns the topic's handle; the same name always gives the same one. Sends nothing to the
  // brokers yet.
  virtual TopicId topic(std::string_view name) = 0;
  // Asks for the offsets of every partition, and answers with on_opened. Only then is it safe to
  // produce to the topic: an idempotent producer that sends right after the topic was created can
  // lose its first batches (KAFKA-15591).
  virtual void open(TopicId topic) = 0;
  // Copies the record. Its key must not be absent or empty.
  [[nodiscard]] virtual Produced produce(TopicId topic, const NewRecord& record, Ticket ticket) = 0;
  // Fails every unacknowledged record; the next polls call on_delivered for them.
  virtual void purge() = 0;
  // Blocks until something has arrived or `at_most` has passed, and passes on what is there.
  virtual void poll(ProduceListener& listener, std::chrono::milliseconds at_most) = 0;
  // Ends a poll() early.
  virtual void wake() = 0;
};

}  // namespace penstock
