#include "consumer/loop/log_router.h"

namespace penstock {

void LogRouter::on_assigned(std::span<const PartitionId> partitions) {
  partitions_.on_assigned(partitions, now_);
  standbys_.on_change(now_);
}

void LogRouter::on_revoked(std::span<const PartitionId> partitions) {
  partitions_.on_revoked(partitions, now_);
  standbys_.on_change(now_);
}

void LogRouter::on_lost(std::span<const PartitionId> partitions) {
  partitions_.on_lost(partitions, now_);
  standbys_.on_change(now_);
}

void LogRouter::on_membership(PartitionId partition, bool held) {
  partitions_.on_membership(partition, held, now_);
}

void LogRouter::on_records(TopicPartition from, std::span<const LogRecord> records) {
  if (control_.reads(from.topic)) return control_.on_records(records, now_);
  // Answers to tenures that have ended may still arrive; each tenure ignores what it has not asked
  // for.
  if (Tenure* const at = partitions_.tenure(from.partition))
    return at->on_records(from.topic, records, now_);
  standbys_.on_records(from, records, now_);
}

void LogRouter::on_out_of_range(TopicPartition from, Offset) {
  if (control_.reads(from.topic)) return control_.on_out_of_range(now_);
  if (Tenure* const at = partitions_.tenure(from.partition))
    return at->on_out_of_range(from.topic, now_);
  standbys_.on_out_of_range(from);
}

void LogRouter::on_truncated(TopicPartition from, Offset position) {
  if (control_.reads(from.topic)) return control_.on_out_of_range(now_);
  if (Tenure* const at = partitions_.tenure(from.partition))
    return at->on_truncated(from.topic, position, now_);
  standbys_.on_out_of_range(from);
}

void LogRouter::on_end(TopicPartition from, Offset end) {
  if (Tenure* const at = partitions_.tenure(from.partition)) at->on_end(from.topic, end);
}

void LogRouter::on_read_refused(TopicPartition from, std::string_view detail) {
  if (Tenure* const at = partitions_.tenure(from.partition))
    at->on_read_refused(from.topic, detail);
}

void LogRouter::on_bounds(TopicPartition of, const Result<Bounds>& bounds) {
  if (control_.reads(of.topic)) return control_.on_bounds(bounds, now_);
  if (Tenure* const at = partitions_.tenure(of.partition))
    return at->on_bounds(of.topic, bounds, now_);
  standbys_.on_bounds(of, bounds, now_);
}

void LogRouter::on_group_peers(std::span<const GroupPeer> peers) { standbys_.on_peers(peers); }

void LogRouter::on_appended(Lane, Ticket ticket, const Appended& result) {
  const auto append = parts_.tickets.take(ticket);
  // An append of no tenure is a crash notice.
  if (!append) return crashes_.on_appended(ticket, result);
  if (Tenure* const at = partitions_.tenure(append->partition))
    at->on_appended(*append, result, now_);
}

void LogRouter::on_group_offset(PartitionId partition,
                                const Result<std::optional<Offset>>& offset) {
  if (Tenure* const at = partitions_.tenure(partition)) at->on_group_offset(offset, now_);
}

void LogRouter::on_connection(bool connected, std::string_view detail) {
  parts_.host.connection(connected, detail);
  if (connected) partitions_.on_connected(now_);
}

void LogRouter::on_fatal(std::string_view detail) { parts_.refuse(std::string(detail), now_); }

}  // namespace penstock
