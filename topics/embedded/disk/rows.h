// The keys and values of the embedded log's rows.
//
//   key   := 'v'                                            value: format version(4)
//          | 't' name                                       value: topic
//          | 'p' topic(4) partition(4)                      value: start offset(8)
//          | 's' topic(4) partition(4) base(8)              value: segment
//          | 'c' topic(4) partition(4) base(8)              value: chunk (chunk.h)
//          | 'g' group topic_name partition(4)              value: the group's next offset(8)
//   topic   := id(4) uuid(16) partitions(4) replication(4) property_count(varint) { name value }*
//   segment := count(8) bytes(8) first_at(8, ms since 1970) last_at(8)
//
// group, topic_name, name and value are a varint length and that many bytes; numbers are
// big-endian.
//
// A partition without a 'p' row starts at 0. It ends where its last segment ends, or at its start
// if it has none. Each chunk is entirely within one segment and is removed with it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topics/embedded/disk/segments.h"
#include "topics/log.h"

namespace penstock::embedded {

inline constexpr std::uint32_t kFormatVersion = 2;
inline constexpr std::string_view kVersionKey = "v";
inline constexpr std::string_view kTopicPrefix = "t";

// The partition that a row belongs to.
struct PartitionKey {
  std::uint32_t topic = 0;
  PartitionId partition = 0;
};

struct TopicRow {
  std::uint32_t id = 0;  // unique within this directory
  TopicUuid uuid = {};
  TopicSettings settings;
};

std::string topic_key(std::string_view name);
std::string start_key(PartitionKey of);
std::string segment_prefix(PartitionKey of);
std::string segment_key(PartitionKey of, Offset base);
std::string chunk_prefix(PartitionKey of);
std::string chunk_key(PartitionKey of, Offset base);
std::string group_offset_key(std::string_view group, std::string_view topic, PartitionId partition);

std::string number_row(std::uint64_t number);
std::string version_row();
std::string topic_row(const TopicRow& topic);
std::string segment_row(const Segment& segment);

// Empty if the row is malformed.
std::optional<std::uint32_t> parse_version_row(std::string_view row);
std::optional<TopicRow> parse_topic_row(std::string_view key, std::string_view row);
std::optional<Offset> parse_offset_row(std::string_view row);
std::optional<Segment> parse_segment_row(std::string_view key, std::string_view row);
Offset base_of_key(std::string_view chunk_or_segment_key);

}  // namespace penstock::embedded
