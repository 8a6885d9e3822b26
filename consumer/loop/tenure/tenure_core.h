// What the parts of one tenure share: the partition's rows, its log, its outbox, its owner, and the
// task once the rows are restored. Each part of the tenure (TenureInput, TenureAttempts,
// TenureCommits) has a reference to it and decides one thing with it.
//
// Belongs to the loop's thread.
#pragma once

#include <memory>
#include <string>

#include "consumer/loop/tenure/tenure_log.h"
#include "consumer/loop/tenure/tenure_options.h"
#include "consumer/loop/tenure/tenure_parts.h"
#include "consumer/slots/slot_task.h"
#include "consumer/task/task.h"
#include "state/store/view.h"
#include "topics/names.h"

namespace penstock {

struct TenureCore {
  TenureCore(TenureOptions the_options, std::unique_ptr<Store> the_store, TenureParts& the_parts,
             OwnerHost& host);

  void make_task(TaskHost& host);
  [[nodiscard]] PartitionId partition() const { return options.task.partition; }
  [[nodiscard]] QueueNames names() const {
    return QueueNames(options.task.prefix, options.task.queue.name);
  }
  // What is waiting for its commit leaves no room for another outcome.
  [[nodiscard]] bool crowded() const { return task && task->unsaved_bytes() > kMaxGatheredBytes; }
  // For the worker's log: something that an operator should know.
  void notice(const std::string& text);
  // The process must stop for this reason, and the tenure ends.
  void broken(const std::string& reason);

  const TenureOptions options;
  TenureParts& parts;
  std::unique_ptr<Store> store;
  View view;
  TenureLog log;
  Outbox outbox;
  Owner owner;
  // Null before the rows are restored; then it is one of the two below.
  std::unique_ptr<PartitionTask> task;
  Task* jobs = nullptr;
  SlotTask* slots = nullptr;
};

}  // namespace penstock
