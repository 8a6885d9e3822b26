// Runs C++ handlers on a pool of threads, for any number of types.
//
// An attempt that overruns its timeout ends as a retry, once; what its handler does later counts no
// more. A handler cannot be ended from outside: one that timed out or was killed keeps its thread
// until it returns. Up to kMaxSpareThreads further threads stand in
// for such, so that a hanging handler does not stop the others. Attempts beyond the number of
// threads wait in line (at most kMaxWaiting, inbox.h; one more is answered as Interrupted), their
// timeouts not begun.
//
// The calls are safe from any thread. Destroying the executor asks all handlers to stop and waits
// for them to return; a process that must not wait leaves by _exit. The mailboxes must live until
// then.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "consumer/job/handler.h"
#include "penstock/worker.h"

namespace penstock {

using HandlerTable = std::map<std::string, HandlerFunction, std::less<>>;  // by type

class PoolExecutor : public Executor {
 public:
  static constexpr std::size_t kMaxSpareThreads = 64;

  PoolExecutor(std::size_t threads, HandlerTable handlers);
  ~PoolExecutor() override;

  [[nodiscard]] bool handles(std::string_view type) const;

  void start(AttemptRequest request, Mailbox& mailbox) override;
  void request_stop(const AttemptKey& key) override;
  void kill(const AttemptKey& key) override;
  [[nodiscard]] bool still_runs(const AttemptKey& key) const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
