// Conditions of which only the process knows: code of killed attempts that is still running, and
// crash notices that have not been read. The task is not told when either ends, so lines that wait
// look again every PollGate::kLookEvery. Used by the partition's one thread.
#pragma once

#include "consumer/gates/poll_gate.h"
#include "consumer/schedule/condition.h"
#include "consumer/task/core/task_host.h"
#include "topics/values/types.h"

namespace penstock {

// Code that is still running after its attempt was killed occupies the account, the locks and the
// slots that its attempt had, though the task no longer counts any of them. All but the slots of
// shared limits belong to its account.
class KilledRuns final : public Condition {
 public:
  KilledRuns(TaskHost& host, const Time& now)
      : host_(host),
        gate_(now, "an attempt that its worker has ended, and that runs on, to stop") {}

  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;

 private:
  [[nodiscard]] bool overlaps(const LiveJob& job) const;

  TaskHost& host_;
  PollGate gate_;
};

// The previous process crashed with the job in flight, and the crash notice has not been read yet.
class AwaitedNotices final : public Condition {
 public:
  // `input_next`: the task's, which it keeps.
  AwaitedNotices(TaskHost& host, const Offset& input_next, const Time& now)
      : host_(host),
        input_next_(input_next),
        gate_(now, "the notice of a worker process that died while it ran to be read") {}

  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;
  [[nodiscard]] bool may_join(const JobBatch& batch, LiveJob* job) override;

 private:
  TaskHost& host_;
  const Offset& input_next_;
  PollGate gate_;
};

struct HostConditions {
  KilledRuns killed_runs;
  AwaitedNotices notices;
};

}  // namespace penstock
