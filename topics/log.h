// The log that Penstock is built on: partitioned topics of records with dense offsets, a consumer
// group, and acknowledged appends. Three implementations behave alike and pass one conformance
// suite: Kafka (topics/kafka), embedded (topics/embedded: one process, durable) and simulated
// (topics/simulated: in memory, with virtual time and faults).
//
// A LogSession is one loop thread's connection to the log. Every call returns at once; results are
// passed to a LogListener from inside poll(), on the calling thread. Only wake() may be called from
// another thread. The simulator drives a session by virtual time, so nothing here reads a clock.
//
// What always holds:
// - The records of a partition arrive in offset order, and one read() shows none of them twice.
//   Offsets are dense; if there is a jump, the reader sees it in the offsets themselves.
// - Each append ends in exactly one on_appended, or in none if its lane was renewed or the session
//   has ended. Appends of one lane to one partition reach the log in the order of the calls, except
//   that after a failure later ones may be in the log while the failed one is missing (or appears
//   late).
// - A success without an offset proves nothing, because librdkafka also reports it for duplicates
//   and implicit acknowledgements: the caller must read the log.
// - An on_appended with an error means that the outcome is unknown (the record may be in the log,
//   appear there late, or never), unless its Refusal says otherwise.
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

// A null value is not the same as an empty one.
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

// A property of a topic, with Kafka's name for it.
struct TopicProperty {
  std::string name;
  std::string value;
};

// A record that has been read. The views are valid until the listener's function returns.
struct LogRecord {
  Offset offset;
  Time timestamp;  // LogAppendTime or CreateTime, depending on the topic
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const HeaderView> headers;
};

// A record to append. append() copies it.
struct NewRecord {
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const HeaderView> headers;
};

// A session's handle for a topic: small, cheap to copy, and valid only in that session.
struct TopicId {
  std::int32_t value = -1;
  friend constexpr auto operator<=>(const TopicId&, const TopicId&) = default;
};

struct TopicPartition {
  TopicId topic;
  PartitionId partition = 0;
  friend constexpr auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

// Chosen by the caller to recognize the append in on_appended.
using Ticket = std::uint64_t;

// Each lane has its own idempotent producer, so that renewing one lane does not affect the other.
enum class Lane : std::uint8_t { kState, kOutbox };

// Whether a failed append can be in the log nevertheless.
enum class Refusal : std::uint8_t {
  kNone,      // it may be in the log, or may still appear there
  kNotInLog,  // it is not in the log and will not be
  // the same, and trying again is useless: the topic or the client accepts no record this large
  kTooLarge,
};

struct Appended {
  std::optional<Offset> offset;      // absent: acknowledged, but the offset is unknown
  std::optional<std::string> error;  // present: it failed
  Refusal refusal = Refusal::kNone;  // only with an error
};

struct Bounds {
  Offset start;  // the first offset that can be read
  Offset end;    // the offset that the next record will get
  // Identifies the topic: it changes when the topic is deleted and created again.
  TopicUuid topic = {};
};

// A member of the joined group, as the group knows it.
struct GroupPeer {
  std::string client_id;
  std::vector<PartitionId> partitions;  // of the joined topic
};

class LogListener {
 public:
  virtual ~LogListener() = default;

  // The group assigns these partitions of the joined topic to this member, or takes them back. A
  // revoked partition remains with the member until finish_revoke(); the group waits for that call
  // (Kafka as long as the member lives, other implementations up to a timeout). Lost partitions may
  // already belong to another member.
  virtual void on_assigned(std::span<const PartitionId> partitions) = 0;
  virtual void on_revoked(std::span<const PartitionId> partitions) = 0;
  virtual void on_lost(std::span<const PartitionId> partitions) = 0;

  virtual void on_records(TopicPartition from, std::span<const LogRecord> records) = 0;
  // The requested position is not in the log (it is before the log's start or after its end), or
  // the topic has been created again since the read began; its bounds tell which. Reading has
  // stopped.
  virtual void on_out_of_range(TopicPartition from, Offset position) = 0;
  // Records before `position` that have been read are no longer in the log, and others may have
  // taken their offsets (an unclean leader election). Reading has stopped; continuing from
  // `position` would skip those others.
  virtual void on_truncated(TopicPartition from, Offset position) {
    on_out_of_range(from, position);
  }

  // A read through a second handle has come to the log's end: whatever is below `end` has been
  // passed on, or is not there. Only Kafka tells, because only there offsets can be without a
  // record (the markers of a transaction).
  virtual void on_end(TopicPartition, Offset /*end*/) {}

  // A read through a second handle cannot go on until somebody has changed something (the same
  // trouble of a first handle is fatal). Reading has stopped. `detail` says what and where, and what
  // to do. May still arrive for a read that was stopped.
  virtual void on_read_refused(TopicPartition, std::string_view /*detail*/) {}

  virtual void on_appended(Lane lane, Ticket ticket, const Appended& result) = 0;
  virtual void on_bounds(TopicPartition of, const Result<Bounds>& bounds) = 0;
  // The answer to check_membership(): whether this member still held the partition when the group
  // was asked.
  virtual void on_membership(PartitionId partition, bool held) = 0;
  // The answer to group_offset(): absent if the group has no offset for the partition.
  virtual void on_group_offset(PartitionId, const Result<std::optional<Offset>>&) {}
  // The answer to group_peers().
  virtual void on_group_peers(std::span<const GroupPeer>) {}
  virtual void on_deleted(TopicPartition of, const Status& status) = 0;

  // Trouble that the session recovers from by itself, for the worker's log and for /readyz.
  // `connected` tells whether any broker can be reached.
  virtual void on_connection(bool connected, std::string_view detail) = 0;
  // Trouble that the session cannot recover from (authorisation, or a topic that still does not
  // exist after several requests).
  virtual void on_fatal(std::string_view detail) = 0;
};

class LogSession {
 public:
  virtual ~LogSession() = default;

  // Returns a handle for the topic. Sends nothing to the brokers yet.
  virtual TopicId topic(std::string_view name) = 0;

  // Returns a second handle for the topic. What is read through it does not affect what is read
  // through the first, so a partition can be read at two positions at once, and a read that fails
  // fails alone (on_read_refused). Only read(), stop_reading() and bounds() take it.
  virtual TopicId second_topic(std::string_view name) = 0;

  // Joins the group as a reader of `topic`; the assignment arrives through on_assigned. At most
  // once per session.
  virtual void join(TopicId topic, std::string_view group) = 0;
  // Leaves the group at once and gives every partition back; no callback follows.
  virtual void leave() = 0;
  virtual void finish_revoke(PartitionId partition) = 0;
  virtual void check_membership(PartitionId partition) = 0;
  // Group offsets are only for tools: the authoritative position is in the partition's state.
  // Asynchronous, best effort.
  virtual void commit_offset(PartitionId partition, Offset next) = 0;
  // Asks for the offset that any member of the joined group has committed for the partition. A
  // member that called check_membership() before it knew an offset may have left a 0 there.
  virtual void group_offset(PartitionId partition) = 0;
  // Asks which members the joined group has, this one included, and what each of them has. Not
  // answered if the group cannot tell at present, nor by a log whose groups have the members of one
  // process only.
  virtual void group_peers() {}

  // Reads a partition from an offset onwards, until stop_reading(). At most one read per partition
  // at a time.
  virtual void read(TopicPartition from, Offset position) = 0;
  virtual void stop_reading(TopicPartition from) = 0;
  virtual void bounds(TopicPartition of) = 0;

  // False: the bounded buffer is full and nothing was accepted; try again after a poll.
  [[nodiscard]] virtual bool append(Lane lane, TopicPartition to, const NewRecord& record,
                                    Ticket ticket) = 0;
  // Abandons every unacknowledged append of the lane, without an on_appended (they may still reach
  // the log), and continues with a new producer.
  virtual void renew(Lane lane) = 0;

  // Removes the records before the offset `before`. Asynchronous; may take effect late or not at
  // all.
  virtual void delete_records(TopicPartition of, Offset before) = 0;

  // Passes on what has arrived, at most kMaxRecordsPerPoll records per call. Returns whether there
  // was anything.
  virtual bool poll(LogListener& listener) = 0;
  // Blocks until poll() has something to pass on, wake() is called, or `at_most` has passed.
  virtual void wait(std::chrono::nanoseconds at_most) = 0;
  // Ends a wait(). May be called from any thread.
  virtual void wake() = 0;
};

inline constexpr std::size_t kMaxRecordsPerPoll = 4096;

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
  // The lease of the session's owners: an append, and the silence of a member, are given up in time.
  std::chrono::milliseconds lease{15'000};
};

// Per partition: its bounds, and the first offset whose record's timestamp is not before a time (the
// end, if there is none). What was there when the question was asked lies below the end.
struct OffsetsAt {
  Bounds bounds;
  Offset at;
};

// Opens sessions and answers the infrequent administrative calls. Those block (up to their own
// timeout of 30 s) and may be made from any thread.
class Log {
 public:
  virtual ~Log() = default;

  [[nodiscard]] virtual Result<std::unique_ptr<LogSession>> open(const SessionOptions& options) = 0;

  [[nodiscard]] virtual Status create(const TopicSettings& topic) = 0;
  // Sets the given properties of an existing topic and leaves the others unchanged.
  [[nodiscard]] virtual Status configure(const std::string& topic,
                                         const std::vector<TopicProperty>& config) = 0;
  [[nodiscard]] virtual Result<TopicDescription> describe(const std::string& topic) = 0;
  [[nodiscard]] virtual Result<int> broker_count() = 0;
  // One answer per partition, in their order. Time{} gives the start. Where timestamps go back (a
  // topic with CreateTime), later records may be older than `at`.
  [[nodiscard]] virtual Result<std::vector<OffsetsAt>> offsets_at(const std::string& topic,
                                                                  Time at) = 0;
};

}  // namespace penstock
