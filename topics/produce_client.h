// What a producer asks of a log: take a record, say when it is in the log. The partition is chosen
// by the record's key (Java's murmur2), so the same account always lies in the same partition.
//
// The implementation on Kafka is topics/kafka/produce/produce_client.h.
//
// What always holds:
//  - A record that produce() took ends in exactly one on_delivered; one that it did not take in
//  none.
//  - Records of one topic and key reach the log in the order of their calls, except that after a
//  failure
//    later ones may be in the log while the failed one is not (or appears late).
//  - Any thread may call topic(), open(), produce(), purge() and wake(). Listeners are called from
//  inside
//    poll(), on its thread, and poll() belongs to one thread.
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
  std::optional<Offset> offset;  // absent: acknowledged, but where is not known; or failed
  std::string_view error;        // not empty: the outcome is unknown, unless `never_sent`
  bool never_sent = false;       // with an error: the record is certainly not in the log
};

enum class OpenError : std::uint8_t {
  kMissing,    // the topic does not exist, as far as the broker knows yet
  kTemporary,  // ask again
  kRefused,    // asking again is in vain: authorisation, a name that is not allowed
};

struct Opened {
  int partitions = 0;
  std::optional<OpenError> error;
  std::string detail;  // one line for a person when there is an error
};

class ProduceListener {
 public:
  virtual ~ProduceListener() = default;
  virtual void on_delivered(Ticket ticket, const Delivered& result) = 0;
  virtual void on_opened(TopicId topic, const Opened& result) = 0;
  // Trouble that the client goes on from by itself.
  virtual void on_trouble(std::string_view detail) = 0;
};

enum class Taken : std::uint8_t {
  kYes,
  kFull,    // no room now; try again after a poll
  kFailed,  // nothing was taken, and `detail` says why
};

struct Produced {
  Taken taken = Taken::kYes;
  const char* detail = "";  // static text
};

class ProduceClient {
 public:
  virtual ~ProduceClient() = default;

  // Names a topic; the same name gives the same id. Nothing is asked of the brokers yet.
  virtual TopicId topic(std::string_view name) = 0;
  // Asks every partition for its offsets, which makes the first record after a topic was made safe
  // (KAFKA-15591). Answered by on_opened. Records are produced only to topics that were opened.
  virtual void open(TopicId topic) = 0;
  // Copies the record. The key is never absent or empty.
  [[nodiscard]] virtual Produced produce(TopicId topic, const NewRecord& record, Ticket ticket) = 0;
  // Fails every record that has not been acknowledged; their on_delivered come from the next polls.
  virtual void purge() = 0;
  // Blocks until something has arrived or `at_most` has passed, and hands on what is there.
  virtual void poll(ProduceListener& listener, std::chrono::milliseconds at_most) = 0;
  // Ends a poll() early.
  virtual void wake() = 0;
};

}  // namespace penstock
