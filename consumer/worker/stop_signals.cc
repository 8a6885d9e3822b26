#include "consumer/worker/stop_signals.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace penstock {
namespace {

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = stop_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A write that fails is an error where it is made, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  thread_ = std::jthread([this](const std::stop_token& stop) { wait(stop); });
}

StopSignals::~StopSignals() {
  thread_.request_stop();
  thread_.join();
  const std::lock_guard lock(mutex_);
  action_ = nullptr;
}

void StopSignals::on_first(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  action_ = std::move(action);
  if (came_) action_();
}

void StopSignals::wait(const std::stop_token& stop) {
  constexpr timespec kLookForStop{0, 50'000'000};
  const sigset_t set = stop_set();
  while (!stop.stop_requested()) {
    if (sigtimedwait(&set, nullptr, &kLookForStop) <= 0) continue;
    const std::lock_guard lock(mutex_);
    if (came_) ::_exit(1);
    came_ = true;
    if (action_) action_();
  }
}

}  // namespace penstock
