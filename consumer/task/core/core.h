// What the parts of a task share: where its jobs are (JobStore), which one runs next (Scheduler),
// what jobs may have to wait for, and what is sent with the commit that is being built. Each part
// of the task (the other files of this folder) has a reference to it and decides one thing with it.
#pragma once

#include <cstddef>

#include "consumer/bulk/bulks.h"
#include "consumer/copies/replays.h"
#include "consumer/gates/breakers.h"
#include "consumer/gates/pauses.h"
#include "consumer/limits/limits.h"
#include "consumer/schedule/scheduler.h"
#include "consumer/store/commit_room.h"
#include "consumer/store/job_seqs.h"
#include "consumer/store/job_store.h"
#include "consumer/task/core/host_conditions.h"
#include "consumer/task/core/outgoing.h"
#include "consumer/task/core/task_counters.h"
#include "consumer/task/core/task_host.h"
#include "consumer/task/core/task_options.h"
#include "consumer/unique/unique_gates.h"
#include "consumer/unique/unique_locks.h"
#include "state/store/state_format.h"
#include "state/store/view.h"

namespace penstock {

struct Core {
  Core(TaskOptions the_options, View& the_view, Outbox& outbox, TaskHost& the_host);

  // How many bytes the next commit will write of what is in memory alone until then.
  [[nodiscard]] std::size_t unsaved_bytes() const;
  // Whether the commit that is being built and the outbox have room for what further work adds.
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] const TypeRuntime* type_of(const JobRow& row) {
    const TypeRuntime* const type = options.types->find(row.type);
    return row.is_copy() ? replays.type_of(row, type) : type;
  }

  const TaskOptions options;
  const LineOrder order;
  View& view;
  TaskHost& host;
  Time now{};              // of the current call
  Offset input_next{0};    // of the record that is read next
  bool restoring = false;  // the rows have not been read yet (consumer/task/restoration.h)
  TaskCounters counters;
  Outgoing outgoing;
  StateFormat format;
  JobStore store;
  JobSeqs seqs;
  Bulks bulks;
  UniqueLocks locks;
  // What jobs may have to wait for, in the order in which the scheduler asks.
  HostConditions host_conditions;
  Pauses pauses;
  Breakers breakers;
  Limits limits;
  UniqueGates unique_gates;
  Replays replays;
  Scheduler scheduler;  // last: its lines leave the gates before these go
};

}  // namespace penstock
