// The handlers for experiments: `noop` does nothing, `fail:0.1` fails with a probability,
// `sleep:50ms` waits. May be called from any thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "consumer/job/handler.h"
#include "consumer/policy/policy.h"

namespace penstock {

// Answers inside start().
class NoopExecutor : public Executor {
 public:
  void start(AttemptRequest request, Mailbox& mailbox) override;
  void request_stop(const AttemptKey&) override {}
  void kill(const AttemptKey&) override {}
};

// Answers inside start(). Whether an attempt fails is a hash of its token.
class FailExecutor : public Executor {
 public:
  explicit FailExecutor(FailHandler handler) : probability_(handler.probability) {}
  void start(AttemptRequest request, Mailbox& mailbox) override;
  void request_stop(const AttemptKey&) override {}
  void kill(const AttemptKey&) override {}

 private:
  const double probability_;
};

// All attempts sleep at the same time, on one thread, and none is answered early. A sleep longer
// than the timeout is a retry. The destructor answers none.
class SleepExecutor : public Executor {
 public:
  explicit SleepExecutor(SleepHandler handler);
  ~SleepExecutor() override;
  void start(AttemptRequest request, Mailbox& mailbox) override;
  // A sleep represents work, so it is not cut short.
  void request_stop(const AttemptKey&) override {}
  void kill(const AttemptKey& key) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Sleeper {
    Clock::time_point end;
    AttemptKey key;
    Mailbox* mailbox;
    Duration timeout;
  };
  static bool ends_later(const Sleeper& a, const Sleeper& b) { return a.end > b.end; }

  void run();
  [[nodiscard]] std::vector<Sleeper> take_due(Clock::time_point now);
  void wake(const Sleeper& sleeper) const;

  const Duration length_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Sleeper> heap_;  // the first to end is first
  bool has_ended_ = false;
  std::jthread thread_;
};

}  // namespace penstock
