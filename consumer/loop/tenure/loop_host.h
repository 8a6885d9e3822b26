// The requests of a loop and its tenures to the process that runs them. Unless noted otherwise, all
// calls come from the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/job/handler.h"
#include "consumer/task/core/task_host.h"
#include "state/owner/predecessor.h"
#include "state/store/store.h"
#include "topics/values/result.h"

namespace penstock {

struct InFlight;

class LoopHost {
 public:
  virtual ~LoopHost() = default;
  // Null: another loop of the process has the partition's rows open, and is_store_wanted() tells it.
  [[nodiscard]] virtual Result<std::unique_ptr<Store>> open_store(PartitionId partition) = 0;
  virtual void close_store(PartitionId, std::unique_ptr<Store>) {}
  // Another loop of the process has asked for the rows, which this one has open.
  [[nodiscard]] virtual bool is_store_wanted(PartitionId) { return false; }
  [[nodiscard]] virtual Executor* executor(const TypeRuntime& type) = 0;
  // Sends a line through a program; the answer may come on any thread, at any later time.
  using ProgramAnswer = std::function<void(Result<std::string>)>;
  virtual void ask_program(const std::vector<std::string>& /*argv*/, std::string /*line*/,
                           const ProgramAnswer& answer) {
    answer(failure("this worker runs no programs"));
  }
  // A limit of the queue is shared whatever the config says: that of a replay's concurrency. Its
  // slots need owners. Called again and again.
  virtual void shares_limit() {}
  [[nodiscard]] virtual int partitions_of(std::string_view queue) = 0;
  // How many attempts the loop may start in addition to those that run; `own` is the concurrency in
  // its options. Each offer is settled before the next one: the loop tells how many attempts it has
  // started, and whether it wants more places.
  [[nodiscard]] virtual int offer_places(int running, int own) { return own - running; }
  virtual void settle_places(int /*running*/, int /*started*/, bool /*wants*/) {}
  // The last tenure of the partition by an earlier process, provided that nothing of that process
  // runs any more, including what it had started. Never a tenure of this process, whose attempts
  // may still be running. Empty: there was none, or it is not certain that all has ended.
  [[nodiscard]] virtual LastTenure left_tenure(PartitionId) { return {}; }
  // A tenure has been restored: to be kept for the next process.
  virtual void keep_tenure(PartitionId, const LastTenure&) {}
  // Handler code is about to run, or has ended; for the journal that survives a crash.
  virtual void attempt_started(const AttemptRequest&) {}
  virtual void attempt_begun(const AttemptKey&) {}  // from any thread
  virtual void attempt_ended(const AttemptKey&) {}
  virtual void attempt_failed(const FailedAttempt&) {}
  [[nodiscard]] virtual bool may_run_suspect(const AttemptKey&) { return true; }
  // For the process's CrashNotices.
  virtual void notice_sent(const InFlight&) {}
  virtual void notice_appended(const InFlight&, std::optional<Offset>) {}
  [[nodiscard]] virtual bool awaits_notice(std::string_view /*account*/, std::string_view /*id*/,
                                           Offset, Offset) {
    return false;
  }
  virtual void notice(const std::string& text) = 0;    // for the worker's log
  virtual void broken(const std::string& reason) = 0;  // the process must stop
  // The queue must stop, on all of its loops; this loop has already begun to. Other queues
  // continue.
  virtual void refused(const std::string& reason) = 0;
  virtual void connection(bool connected, std::string_view detail) = 0;
};

}  // namespace penstock
