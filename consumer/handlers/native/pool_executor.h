// Runs C++ handlers in a pool of threads, for any number of types.
//
// An attempt that exceeds its timeout ends as a retry, once; whatever its handler does later does
// not count. A handler cannot be ended from outside: one that has timed out or was killed keeps its
// thread until it returns. Up to kMaxSpareThreads further threads replace such threads, so that a
// hanging handler does not stop the others. Attempts beyond the number of threads wait in a queue
// (at most kMaxWaiting, inbox.h; any further one is answered as Interrupted), and their timeouts
// have not begun.
//
// All functions may be called from any thread. The destructor asks all handlers to stop and waits
// until they return; a process that must not wait calls _exit. The mailboxes must exist until then.
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
