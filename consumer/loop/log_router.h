// Hears what the log says during one poll, and passes it with the time of the pass to the part of
// the loop that it concerns: to the partitions, to one partition's tenure, or to the reader of the
// control topic.
//
// Made for one poll, on the loop's thread.
#pragma once

#include "consumer/control/control_reader.h"
#include "consumer/loop/crash_reporter.h"
#include "consumer/loop/partitions/partitions.h"

namespace penstock {

class LogRouter final : public LogListener {
 public:
  LogRouter(Partitions& partitions, Standbys& standbys, ControlReader& control,
            CrashReporter& crashes, TenureParts& parts, Now now)
      : partitions_(partitions),
        standbys_(standbys),
        control_(control),
        crashes_(crashes),
        parts_(parts),
        now_(now) {}

  void on_assigned(std::span<const PartitionId> partitions) override;
  void on_revoked(std::span<const PartitionId> partitions) override;
  void on_lost(std::span<const PartitionId> partitions) override;
  void on_records(TopicPartition from, std::span<const LogRecord> records) override;
  void on_out_of_range(TopicPartition from, Offset position) override;
  void on_truncated(TopicPartition from, Offset position) override;
  void on_end(TopicPartition from, Offset end) override;
  void on_read_refused(TopicPartition from, std::string_view detail) override;
  void on_appended(Lane lane, Ticket ticket, const Appended& result) override;
  void on_bounds(TopicPartition of, const Result<Bounds>& bounds) override;
  void on_membership(PartitionId partition, bool held) override;
  void on_group_offset(PartitionId partition, const Result<std::optional<Offset>>& offset) override;
  void on_group_peers(std::span<const GroupPeer> peers) override;
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool connected, std::string_view detail) override;
  void on_fatal(std::string_view detail) override;

 private:
  Partitions& partitions_;
  Standbys& standbys_;
  ControlReader& control_;
  CrashReporter& crashes_;
  TenureParts& parts_;
  const Now now_;
};

}  // namespace penstock
