#include "cli/demo/demo_trace.h"

namespace penstock {

std::size_t DemoTrace::sent(const std::string& account, const std::string& id, bool repeat) {
  const std::lock_guard lock(mutex_);
  sends_.push_back({.account = account,
                    .id = id,
                    .at = std::chrono::steady_clock::now(),
                    .acknowledged = false,
                    .repeat = repeat});
  return sends_.size() - 1;
}

void DemoTrace::acknowledged(std::size_t send) {
  const std::lock_guard lock(mutex_);
  sends_[send].acknowledged = true;
}

std::size_t DemoTrace::started(const Attempt& attempt) {
  // Before the lock, so that waiting for it does not count.
  const DemoTime now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  runs_.push_back({.account = attempt.account(),
                   .id = attempt.id(),
                   .token = attempt.token(),
                   .attempt = attempt.attempt(),
                   .started = now,
                   .ended = now,
                   .wall_started = std::chrono::system_clock::now()});
  return runs_.size() - 1;
}

void DemoTrace::ended(std::size_t run, bool succeeded) {
  const std::lock_guard lock(mutex_);
  DemoRun& ended = runs_[run];
  ended.ended = std::chrono::steady_clock::now();
  ended.over = true;
  ended.succeeded = succeeded;
  if (succeeded) ++successes_;
  changed_.notify_all();
}

bool DemoTrace::wait_for_gate() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return given_up_ || opened_; });
  return opened_.has_value();
}

void DemoTrace::open_gate() {
  const std::lock_guard lock(mutex_);
  if (!opened_) opened_ = std::chrono::steady_clock::now();
  changed_.notify_all();
}

DemoTime DemoTrace::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_.value_or(DemoTime{});
}

bool DemoTrace::wait_for_successes(std::size_t count, DemoTime until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] { return given_up_ || successes_ >= count; });
  return !given_up_ && successes_ >= count;
}

void DemoTrace::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

bool DemoTrace::given_up() const {
  const std::lock_guard lock(mutex_);
  return given_up_;
}

std::vector<DemoSend> DemoTrace::sends() const {
  const std::lock_guard lock(mutex_);
  return sends_;
}

std::vector<DemoRun> DemoTrace::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

}  // namespace penstock
