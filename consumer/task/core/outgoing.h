// What a partition sends with the commit that is being built: dead jobs and records, records that
// are in the wrong partition, follow-up jobs, events and reports. It leaves once that commit counts
// (state/log/outbox.h), so a message is sent exactly if the state says so. Used by the partition's
// one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/job/handler.h"
#include "consumer/limits/slot_message.h"
#include "consumer/task/core/task_host.h"
#include "consumer/task/core/task_options.h"
#include "state/log/outbox.h"
#include "state/rows/job_row.h"
#include "topics/log.h"
#include "topics/names.h"
#include "topics/record/dead_letter.h"
#include "topics/record/event_record.h"

namespace penstock {

class Outgoing {
 public:
  // `options` is the task's, which it keeps.
  Outgoing(const TaskOptions& options, Outbox& outbox, TaskHost& host);

  // What is sent from now on belongs to this commit.
  void begin_commit(std::uint64_t seq) { commit_seq_ = seq; }
  [[nodiscard]] std::uint64_t commit_seq() const { return commit_seq_; }
  [[nodiscard]] bool full() const { return outbox_.full(); }

  // The position of a record of the partition's input, as `<topic>/<partition>@<offset>`.
  [[nodiscard]] std::string place_of(Offset offset) const;
  [[nodiscard]] const QueueNames& names() const { return names_; }

  // Sends a record that is not a job to the dead topic: unchanged, cut where it has to be, with
  // what is wrong with it. `source`: where it was first read.
  void bad_record(const LogRecord& record, const BadRecord& bad, std::string source, Time now);
  // A job that is dead.
  void dead_job(const JobRow& row, DeadReason reason, std::string_view detail, Time now);
  // A record whose account belongs to another partition of the queue.
  void forward(const LogRecord& record, std::string origin, bool derived, PartitionId to);
  // A job that Penstock produces; its id may be longer than a producer's.
  void job(const Destination& to, std::string account, std::string record,
           std::vector<Header> headers = {});
  void job_of_this_partition(std::string account, std::string record);
  // A copy that a replay has made, for another partition or queue. `origin`: JobRow::replay.
  void copy(const Destination& to, std::string account, std::string record,
            std::vector<Header> headers, std::string origin, Time started_at);
  // A record of the control topic.
  void control(std::string key, std::string value);
  // To the owner of a shared limit.
  void slot_report(const std::string& limit, SlotReport report);
  // Whether event() does anything.
  [[nodiscard]] bool tells_events() const {
    return options_.queue.events != Events::kOff || host_.watches_jobs();
  }
  // Sends an event, if the queue's `events` asks for it, and tells the host. `token`: of the attempt, if the event is
  // about one.
  void event(EventKind kind, const JobRow& row, const Token* token, std::string_view reason,
             Time now);

 private:
  void send(const Destination& to, OutboxMessage message) {
    outbox_.send(to, std::move(message), commit_seq_);
  }

  const TaskOptions& options_;
  const QueueNames names_;
  const Destination events_;  // made once, because quick jobs may have an event each
  Outbox& outbox_;
  TaskHost& host_;
  std::uint64_t commit_seq_ = 1;
};

}  // namespace penstock
