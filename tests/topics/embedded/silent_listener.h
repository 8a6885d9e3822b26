// A listener that ignores what it is told; tests override what they look at.
#pragma once

#include "topics/log.h"

namespace penstock::embedded {

class SilentListener : public LogListener {
 public:
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_records(TopicPartition, std::span<const LogRecord>) override {}
  void on_out_of_range(TopicPartition, Offset) override {}
  void on_appended(Lane, Ticket, const Appended&) override {}
  void on_bounds(TopicPartition, const Result<Bounds>&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}
  void on_connection(bool, std::string_view) override {}
  void on_fatal(std::string_view) override {}
};

}  // namespace penstock::embedded
