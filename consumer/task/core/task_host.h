// What a task and the loop that drives it tell each other about attempts. Values, and the one
// interface that the loop implements.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/job/handler.h"
#include "consumer/job/live_job.h"
#include "consumer/policy/type_table.h"
#include "topics/record/event_record.h"
#include "topics/values/types.h"

namespace penstock {

// `Now::wall` is cut to the millisecond. A wait that an outcome begins is counted from its end.
inline constexpr Duration kWallResolution{1};

// An attempt to start. Views into the job: good until the call returns.
struct AttemptStart {
  Token token;
  const LiveJob& job;
  const TypeRuntime& type;
  // The job's arguments, raw JSON. Decodes the record, so it is called only where they are needed.
  [[nodiscard]] std::string args() const;
  // The items of a batch; empty if the job runs alone.
  [[nodiscard]] std::vector<AttemptItem> items() const;
};

// How an attempt ended, and the follow-up jobs that it wants to be produced.
struct AttemptResult {
  OutcomeValue outcome;
  std::vector<FollowUp> enqueue;
  ItemOutcomes items = {};
  std::optional<std::chrono::microseconds> took = {};
};

// An attempt that has failed, for the log. Good until the call returns.
struct FailedAttempt {
  const JobRow& row;
  int attempt;
  int max_attempts;
  std::string_view error;
  std::optional<Time> again;  // when the next one is due; absent: it was the last, the job is dead
};

// What happens to a job with the commit of this number. Good until the call returns.
struct JobChange {
  EventKind event;
  const JobRow& row;
  std::string_view reason;
  std::uint64_t commit = 0;
};

class TaskHost {
 public:
  virtual ~TaskHost() = default;
  // Starts an attempt. If its outcome is known at once, it is returned; other outcomes are passed
  // to attempt_ended.
  [[nodiscard]] virtual std::optional<AttemptResult> start(const AttemptStart& start) = 0;
  virtual void ask_to_stop(const Token& token) = 0;
  // The partition count of another queue of this process's config; 0 where it is not known.
  [[nodiscard]] virtual int partitions_of(std::string_view queue) = 0;
  virtual void attempt_failed(const FailedAttempt&) {}
  // Whether somebody waits to hear what becomes of a job, and what the commit that is being built
  // will make of one. Nothing is asked of the task by this.
  [[nodiscard]] virtual bool watches_jobs() { return false; }
  virtual void job_changed(const JobChange&) {}
  // Whether an attempt with this token may start for a job that may be what crashes the process.
  // Only one of them runs at a time, so that a crash tells which job it was. The permission ends
  // with the attempt.
  [[nodiscard]] virtual bool may_run_suspect(const Token&) { return true; }
  // Whether the previous process crashed with this job in flight, and the crash notice is behind
  // what the task has read. The job must not start before then: the crash would not be counted yet.
  [[nodiscard]] virtual bool awaits_notice(const JobRow&, Offset) { return false; }
  // Whether the code of a killed attempt of the partition is still running in this process, after
  // the task has learned of its end or from an earlier tenure; and whether such an attempt is one
  // of this account.
  [[nodiscard]] virtual bool killed_run() { return false; }
  [[nodiscard]] virtual bool killed_run(std::string_view) { return false; }
  // What keeps everything of the partition from starting, as a text for the user; empty: nothing.
  [[nodiscard]] virtual std::string held_back(Now) { return {}; }
};

}  // namespace penstock
