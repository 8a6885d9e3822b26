// What the tenures of a loop share. All of it outlives them.
#pragma once

#include <functional>
#include <string>

#include "consumer/control/control_reader.h"
#include "consumer/loop/tenure/lease_watch.h"
#include "consumer/loop/tenure/loop_host.h"
#include "consumer/loop/tenure/tickets.h"
#include "consumer/loop/tenure/topic_ids.h"

namespace penstock {

struct TenureParts {
  LogSession& session;
  LoopHost& host;
  LeaseWatch& leases;
  Mailbox& mailbox;
  const ControlReader& control;
  Tickets& tickets;
  TopicIds& topics;
  // A new outbox producer is needed; all outboxes of the loop then emit again.
  std::function<void()> renew_outboxes;
  // No partition of the loop is being read. A partition that is asked for while others are would
  // stand still for longer, because they share the loop's time.
  std::function<bool()> has_read_all;
  // The queue must stop for this reason: a topic that it depends on has changed.
  std::function<void(const std::string& reason, Now now)> refuse;
};

// As notices and /readyz name a partition.
[[nodiscard]] inline std::string partition_name(const std::string& queue, PartitionId partition) {
  return queue + "/" + std::to_string(partition);
}

}  // namespace penstock
