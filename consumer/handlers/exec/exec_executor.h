// Runs attempts in long-lived child processes, one request at a time per child, over their standard
// streams (docs/handlers.md). One thread serves all children of one handler; the functions of
// Executor may be called from any thread.
//
// Attempts beyond the number of children wait in a queue (kMaxWaiting, inbox.h). The timeout begins
// when a child gets the request, and starts again with each heartbeat or checkpoint. A child that
// ends is replaced, after a bounded backoff if it ended before its first answer. If none can be
// started at all, each try ends one attempt as a retry, so that the trouble is visible.
//
// Children end with this process, however it ends, and everything that a child has started ends
// with the child (guardian.h). The children are forked from a process that the constructor forks,
// so construct it before this process uses much memory. The destructor ends the children: idle ones
// by closing their standard input, then SIGTERM, then SIGKILL; busy ones at once, without reporting
// an outcome. The mailboxes and the log sink must exist until then. The sink is called on the
// executor's thread and must not block.
#pragma once

#include <memory>

#include "consumer/handlers/exec/exec_child.h"
#include "consumer/job/handler.h"
#include "consumer/policy/policy.h"

namespace penstock {

class ExecExecutor : public Executor {
 public:
  // How long children may take to end after their input was closed, and again after SIGTERM.
  static constexpr std::chrono::milliseconds kEndGrace{1'000};

  // `held_file`: see ForkServer.
  explicit ExecExecutor(ExecHandler handler, LineSink log = {}, int held_file = -1);
  ~ExecExecutor() override;

  void start(AttemptRequest request, Mailbox& mailbox) override;
  void request_stop(const AttemptKey& key) override;
  void kill(const AttemptKey& key) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
