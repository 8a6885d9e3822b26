// Runs attempts on long-lived child processes, one request at a time each, over their standard
// streams (SPEC section 6). One thread serves all children of one handler.
//
// Attempts beyond the number of children wait in line (kMaxWaiting, inbox.h); the timeout begins
// when a child gets the request, and each heartbeat or checkpoint begins it anew. A child that dies
// is replaced, with a bounded backoff when it dies before its first answer; when none can be
// started at all, an attempt ends as a retry for each try, so that the trouble is seen. Children
// end with this process, however it ends, and whatever a child has started ends with the child
// (guardian.h). The processes fork from one that the constructor makes: construct it early, before
// this process holds much memory. Destroying the executor ends them: idle ones by the end
// of their standard input, then SIGTERM, then SIGKILL; busy ones at once, with no answer for what
// they ran. The mailboxes and the log sink must live until then; the sink is called on the
// executor's thread and must not block.
#pragma once

#include <memory>

#include "consumer/handlers/exec/exec_child.h"
#include "consumer/job/handler.h"
#include "consumer/policy/policy.h"

namespace penstock {

class ExecExecutor : public Executor {
 public:
  // How long children may take to end after the end of their input, and again after SIGTERM.
  static constexpr std::chrono::milliseconds kEndGrace{1'000};

  explicit ExecExecutor(ExecHandler handler, LineSink log = {});
  ~ExecExecutor() override;

  void start(AttemptRequest request, Mailbox& mailbox) override;
  void request_stop(const AttemptKey& key) override;
  void kill(const AttemptKey& key) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
