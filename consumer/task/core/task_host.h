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
#include "topics/values/types.h"

namespace penstock {

// `Now::wall` is cut to the millisecond: what an outcome begins counts from its end.
inline constexpr Duration kWallResolution{1};

// An attempt to start. Views into the job: good until the call returns.
struct AttemptStart {
  Token token;
  const LiveJob& job;
  const TypeRuntime& type;
  // The job's arguments, raw JSON; decodes the record, so only who needs them asks.
  [[nodiscard]] std::string args() const;
  // Of a batch; none: it is the job alone.
  [[nodiscard]] std::vector<AttemptItem> items() const;
};

// What comes of an attempt, with the jobs that it wants to be produced.
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

class TaskHost {
 public:
  virtual ~TaskHost() = default;
  // Starts an attempt. An outcome that is there at once is returned; others come to attempt_ended.
  [[nodiscard]] virtual std::optional<AttemptResult> start(const AttemptStart& start) = 0;
  virtual void ask_to_stop(const Token& token) = 0;
  // The partition count of another queue of this process's config; 0 where it is not known.
  [[nodiscard]] virtual int partitions_of(std::string_view queue) = 0;
  virtual void attempt_failed(const FailedAttempt&) {}
  // Whether an attempt with this token may start of a job that could be what kills the process: one
  // of them runs at a time, so that a death tells which one it is. Over when the attempt is.
  [[nodiscard]] virtual bool may_run_suspect(const Token&) { return true; }
  // Whether the process before this one died with this job in flight, and the notice of that lies
  // behind what the task has read. It must not start before: what it may be would not be known.
  [[nodiscard]] virtual bool awaits_notice(const JobRow&, Offset) { return false; }
  // Whether the code of an attempt of the partition that was killed runs on in this process, after
  // the task has heard of its end or in an earlier tenure; whether it is one of this account.
  [[nodiscard]] virtual bool killed_run() { return false; }
  [[nodiscard]] virtual bool killed_run(std::string_view) { return false; }
  // What keeps everything of the partition from starting, for a person; empty: nothing.
  [[nodiscard]] virtual std::string held_back(Now) { return {}; }
};

}  // namespace penstock
