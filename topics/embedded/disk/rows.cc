#include "topics/embedded/disk/rows.h"

#include "topics/embedded/disk/bytes.h"

namespace penstock::embedded {
namespace {

std::string partition_key(char kind, PartitionKey of) {
  std::string key(1, kind);
  put_fixed(key, of.topic, 4);
  put_fixed(key, static_cast<std::uint32_t>(of.partition), 4);
  return key;
}

std::string based_key(char kind, PartitionKey of, Offset base) {
  std::string key = partition_key(kind, of);
  put_fixed(key, static_cast<std::uint64_t>(base.value), 8);
  return key;
}

Time read_time(ByteReader& in) { return time_from_ms(static_cast<std::int64_t>(in.fixed(8))); }

void put_time(std::string& out, Time time) {
  put_fixed(out, static_cast<std::uint64_t>(to_ms(time)), 8);
}

}  // namespace

std::string topic_key(std::string_view name) { return std::string(kTopicPrefix).append(name); }
std::string start_key(PartitionKey of) { return partition_key('p', of); }
std::string segment_prefix(PartitionKey of) { return partition_key('s', of); }
std::string segment_key(PartitionKey of, Offset base) { return based_key('s', of, base); }
std::string chunk_prefix(PartitionKey of) { return partition_key('c', of); }
std::string chunk_key(PartitionKey of, Offset base) { return based_key('c', of, base); }

std::string group_offset_key(std::string_view group, std::string_view topic,
                             PartitionId partition) {
  std::string key = "g";
  put_bytes(key, group);
  put_bytes(key, topic);
  put_fixed(key, static_cast<std::uint32_t>(partition), 4);
  return key;
}

std::string number_row(std::uint64_t number) {
  std::string row;
  put_fixed(row, number, 8);
  return row;
}

std::string version_row() {
  std::string row;
  put_fixed(row, kFormatVersion, 4);
  return row;
}

std::string topic_row(const TopicRow& topic) {
  std::string row;
  put_fixed(row, topic.id, 4);
  put_fixed(row, topic.uuid.high, 8);
  put_fixed(row, topic.uuid.low, 8);
  put_fixed(row, static_cast<std::uint32_t>(topic.settings.partitions), 4);
  put_fixed(row, static_cast<std::uint32_t>(topic.settings.replication), 4);
  put_varint(row, topic.settings.config.size());
  for (const TopicProperty& property : topic.settings.config) {
    put_bytes(row, property.name);
    put_bytes(row, property.value);
  }
  return row;
}

std::string segment_row(const Segment& segment) {
  std::string row;
  put_fixed(row, static_cast<std::uint64_t>(segment.count), 8);
  put_fixed(row, static_cast<std::uint64_t>(segment.bytes), 8);
  put_time(row, segment.first_at);
  put_time(row, segment.last_at);
  return row;
}

std::optional<std::uint32_t> parse_version_row(std::string_view row) {
  ByteReader in(row);
  const auto version = static_cast<std::uint32_t>(in.fixed(4));
  if (!in.ok() || !in.done()) return std::nullopt;
  return version;
}

std::optional<TopicRow> parse_topic_row(std::string_view key, std::string_view row) {
  ByteReader in(row);
  TopicRow topic;
  topic.settings.name = key.substr(kTopicPrefix.size());
  topic.id = static_cast<std::uint32_t>(in.fixed(4));
  topic.uuid.high = in.fixed(8);
  topic.uuid.low = in.fixed(8);
  topic.settings.partitions = static_cast<int>(in.fixed(4));
  topic.settings.replication = static_cast<int>(in.fixed(4));
  for (std::uint64_t left = in.varint(); left > 0 && in.ok(); --left) {
    const std::string_view name = in.bytes();
    topic.settings.config.push_back({std::string(name), std::string(in.bytes())});
  }
  if (!in.ok() || !in.done() || topic.settings.partitions < 1) return std::nullopt;
  return topic;
}

std::optional<Offset> parse_offset_row(std::string_view row) {
  ByteReader in(row);
  const Offset offset{static_cast<std::int64_t>(in.fixed(8))};
  if (!in.ok() || !in.done()) return std::nullopt;
  return offset;
}

std::optional<Segment> parse_segment_row(std::string_view key, std::string_view row) {
  ByteReader in(row);
  Segment segment{.base = base_of_key(key)};
  segment.count = static_cast<std::int64_t>(in.fixed(8));
  segment.bytes = static_cast<std::int64_t>(in.fixed(8));
  segment.first_at = read_time(in);
  segment.last_at = read_time(in);
  if (!in.ok() || !in.done()) return std::nullopt;
  return segment;
}

Offset base_of_key(std::string_view chunk_or_segment_key) {
  ByteReader in(chunk_or_segment_key.substr(chunk_or_segment_key.size() - 8));
  return Offset{static_cast<std::int64_t>(in.fixed(8))};
}

}  // namespace penstock::embedded
