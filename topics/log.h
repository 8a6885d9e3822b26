// The log that Penstock stands on: partitioned topics of records with dense offsets, a consumer
// group, and acknowledged appends. Three implementations behave alike and pass one conformance
// suite: Kafka (topics/kafka), embedded (topics/embedded: one process, durable) and simulated
// (topics/simulated: memory, virtual time, faults).
//
//   LogSession is what one loop thread holds of the log. Every call returns at once; what comes of
//   it arrives at a LogListener, from inside poll(), on the calling thread. Only wake() may be
//   called from another thread. The simulator drives a session by virtual time, so nothing here
//   reads a clock.
//
// What always holds:
//  - Offsets of a partition are dense as far as this interface shows them, or a reader is told of
//  the
//    jump by the offsets themselves: records come in offset order and none is shown twice by one
//    read().
//  - An append ends in exactly one on_appended, or in none when its lane was renewed or the session
//  has
//    ended. Appends of one lane to one partition reach the log in the order of their calls, except
//    that after a failure later ones may be in the log while the failed one is not (or appears
//    late).
//  - A success without an offset proves nothing (KAFKA.md 21): the caller reads the log.
//  - `on_appended` with an error means that the outcome is unknown: the record may be in the log,
//  may come
//    late, or never; unless it says that the append was refused (Refusal).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topics/values/result.h"
#include "topics/values/topic_uuid.h"
#include "topics/values/types.h"

namespace penstock {

// A value may be null, which is not the same as empty.
struct HeaderView {
  std::string_view name;
  std::optional<std::string_view> value;
};

struct Header {
  std::string name;
  std::optional<std::string> value;
};

[[nodiscard]] inline Header copy_of(const HeaderView& header) {
  Header copy{std::string(header.name), std::nullopt};
  if (header.value) copy.value.emplace(*header.value);
  return copy;
}
// Valid as long as the header.
[[nodiscard]] inline HeaderView view_of(const Header& header) {
  HeaderView view{header.name, std::nullopt};
  if (header.value) view.value = *header.value;
  return view;
}
[[nodiscard]] inline std::size_t size_of(const HeaderView& header) {
  return header.name.size() + (header.value ? header.value->size() : 0);
}

// Of a topic's configuration, as Kafka names it.
struct TopicProperty {
  std::string name;
  std::string value;
};

// A record as it is read. The views are valid until the listener's call returns.
struct LogRecord {
  Offset offset;
  Time timestamp;  // LogAppendTime or CreateTime, as the topic is set
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const HeaderView> headers;
};

// A record to append; copied by append().
struct NewRecord {
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const HeaderView> headers;
};

// A topic that a session has named; small, cheap to copy, only good for the session that gave it.
struct TopicId {
  std::int32_t value = -1;
  friend constexpr auto operator<=>(const TopicId&, const TopicId&) = default;
};

struct TopicPartition {
  TopicId topic;
  PartitionId partition = 0;
  friend constexpr auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

// What the caller names an append by, to know it again in on_appended.
using Ticket = std::uint64_t;

// Appends go through one of two idempotent producers, so that renewing one leaves the other's
// alone.
enum class Lane : std::uint8_t { kState, kOutbox };

// Whether a failed append may have reached the log all the same.
enum class Refusal : std::uint8_t {
  kNone,      // it may have, or may yet
  kNotInLog,  // it has not, and will not
  kTooLarge,  // nor will it ever: the record is larger than the topic or the client takes
};

struct Appended {
  std::optional<Offset> offset;      // absent: acknowledged, but where is not known
  std::optional<std::string> error;  // present: it failed
  Refusal refusal = Refusal::kNone;  // with an error
};

struct Bounds {
  Offset start;  // the first offset that can be read
  Offset end;    // the offset that the next record will get
  // Of the topic that they are of: another one when the topic has been deleted and created again.
  TopicUuid topic = {};
};

class LogListener {
 public:
  virtual ~LogListener() = default;

  // The group gives these partitions of the joined topic to this member, or wants them back. A
  // revoked partition stays the member's until it calls finish_revoke; the group waits for that,
  // some up to a time-out (Kafka as long as the member lives). Lost partitions may be another
  // member's already.
  virtual void on_assigned(std::span<const PartitionId> partitions) = 0;
  virtual void on_revoked(std::span<const PartitionId> partitions) = 0;
  virtual void on_lost(std::span<const PartitionId> partitions) = 0;

  virtual void on_records(TopicPartition from, std::span<const LogRecord> records) = 0;
  // The position asked for is not in the log (below its start or past its end), or the topic has
  // been created again since the read began: its bounds tell. Reading has stopped.
  virtual void on_out_of_range(TopicPartition from, Offset position) = 0;
  // Records below `position` that were read have gone from the log's end, and others may have taken
  // their places (an unclean election). Reading has stopped; to go on from there would pass over
  // the others.
  virtual void on_truncated(TopicPartition from, Offset position) {
    on_out_of_range(from, position);
  }

  virtual void on_appended(Lane lane, Ticket ticket, const Appended& result) = 0;
  virtual void on_bounds(TopicPartition of, const Result<Bounds>& bounds) = 0;
  // The answer to check_membership: whether this member still held the partition when the group was
  // asked.
  virtual void on_membership(PartitionId partition, bool held) = 0;
  // The answer to group_offset, for those who ask: absent where the group has none.
  virtual void on_group_offset(PartitionId, const Result<std::optional<Offset>>&) {}
  virtual void on_deleted(TopicPartition of, const Status& status) = 0;

  // Trouble that the session goes on from by itself, for the log and for /readyz: `connected` tells
  // whether any broker can be reached.
  virtual void on_connection(bool connected, std::string_view detail) = 0;
  // Trouble that it cannot go on from (authorisation, a topic that does not exist although it was
  // asked for several times).
  virtual void on_fatal(std::string_view detail) = 0;
};

class LogSession {
 public:
  virtual ~LogSession() = default;

  // Names a topic. Nothing is asked of the brokers yet.
  virtual TopicId topic(std::string_view name) = 0;

  // Joins the group as a reader of `topic`; the assignment comes through on_assigned. At most once.
  virtual void join(TopicId topic, std::string_view group) = 0;
  // Leaves the group at once, giving every partition back; nothing is called back for it.
  virtual void leave() = 0;
  virtual void finish_revoke(PartitionId partition) = 0;
  virtual void check_membership(PartitionId partition) = 0;
  // Group offsets are for tools; the truth is the state's own position. Best effort, asynchronous.
  virtual void commit_offset(PartitionId partition, Offset next) = 0;
  // Asks what the joined group has committed for a partition, by whichever member. A member that
  // asked check_membership before it knew of any offset may have left a 0 there.
  virtual void group_offset(PartitionId partition) = 0;

  // Reads a partition from an offset on, until stop_reading. At most one read of a partition at a
  // time.
  virtual void read(TopicPartition from, Offset position) = 0;
  virtual void stop_reading(TopicPartition from) = 0;
  virtual void bounds(TopicPartition of) = 0;

  // False: the bounded buffer is full and nothing was taken; try again after a poll.
  [[nodiscard]] virtual bool append(Lane lane, TopicPartition to, const NewRecord& record,
                                    Ticket ticket) = 0;
  // Forgets every unacknowledged append of the lane, with no on_appended for them (they may still
  // reach the log), and goes on with a new producer.
  virtual void renew(Lane lane) = 0;

  // Removes the records below `before`. Asynchronous; may take effect late, or not at all.
  virtual void delete_records(TopicPartition of, Offset before) = 0;

  // Hands on what has arrived, a bounded amount (kMaxRecordsAPoll records). Returns whether there
  // was any.
  virtual bool poll(LogListener& listener) = 0;
  // Blocks until poll has something, wake() is called, or `at_most` has passed.
  virtual void wait(std::chrono::nanoseconds at_most) = 0;
  // From any thread: ends a wait().
  virtual void wake() = 0;
};

inline constexpr std::size_t kMaxRecordsAPoll = 4096;

struct TopicSettings {
  std::string name;
  int partitions = 1;
  int replication = 1;
  std::vector<TopicProperty> config;  // Kafka's topic properties, such as cleanup.policy
};

struct TopicDescription {
  std::string name;
  bool exists = false;
  int partitions = 0;
  int replication = 0;
  std::vector<TopicProperty> config;
};

struct SessionOptions {
  std::string client_id;    // for the brokers' logs
  std::string instance_id;  // static membership (group.instance.id) when not empty
};

// Where sessions come from, and what is asked seldom. The administrative calls block (up to their
// own time-out, 30 s) and may be made from any thread.
class Log {
 public:
  virtual ~Log() = default;

  [[nodiscard]] virtual Result<std::unique_ptr<LogSession>> open(const SessionOptions& options) = 0;

  [[nodiscard]] virtual Status create(const TopicSettings& topic) = 0;
  // Sets the given properties of an existing topic, leaving the others alone.
  [[nodiscard]] virtual Status configure(const std::string& topic,
                                         const std::vector<TopicProperty>& config) = 0;
  [[nodiscard]] virtual Result<TopicDescription> describe(const std::string& topic) = 0;
  [[nodiscard]] virtual Result<int> broker_count() = 0;
};

}  // namespace penstock
