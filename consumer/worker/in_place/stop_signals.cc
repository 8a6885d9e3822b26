#include "consumer/worker/in_place/stop_signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "topics/values/check.h"

namespace penstock {
namespace {

// What is added to the eventfd. It is read long before there are more signals than a field holds.
constexpr std::uint64_t kHangUp = 1, kOrder = 1ULL << 20, kEnd = 1ULL << 40;
constexpr std::array kStopSignals{SIGTERM, SIGINT, SIGHUP};
constexpr std::array kTakenSignals{SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGXFSZ};
constexpr std::size_t kMaxListeners = 64;  // per process

// An eventfd that a StopSignals reads. It stays open for the next StopSignals, because a handler
// running in another thread may still write to it.
struct SignalPlace {
  std::atomic<int> file = -1;
  std::atomic<bool> is_taken = false;
};
static_assert(std::atomic<int>::is_always_lock_free, "read by a signal's handler");

// Global, because a signal handler gets no argument of ours.
struct SignalRelay {
  std::array<SignalPlace, kMaxListeners> places;
  std::mutex mutex;  // guards the following members
  std::size_t listeners = 0;
  std::array<struct sigaction, kTakenSignals.size()> before;
} relay;

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kStopSignals) sigaddset(&set, signal);
  return set;
}

void tell_all(std::uint32_t signal) {
  const std::uint64_t arrival = signal == SIGHUP ? kHangUp : kOrder;
  for (const SignalPlace& place : relay.places) {
    if (!place.is_taken) continue;
    [[maybe_unused]] const auto told = write(place.file, &arrival, sizeof arrival);
  }
}

// Runs in one of the program's own threads that existed before and has not blocked the signal.
extern "C" void penstock_on_stop_signal(int signal) {
  // The handler may interrupt code that has yet to read errno.
  const int error = errno;
  tell_all(static_cast<std::uint32_t>(signal));
  errno = error;
}

// Reads the signals that were sent to the process and blocked in all of its threads. If several
// readers look, one of them gets a signal.
void tell_pending(int pending) {
  signalfd_siginfo signal{};
  while (read(pending, &signal, sizeof signal) == sizeof signal) tell_all(signal.ssi_signo);
}

void take_over(std::size_t at) {
  const int signal = kTakenSignals[at];
  sigaction(signal, nullptr, &relay.before[at]);
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  // Threads of the embedding program may not expect EINTR.
  action.sa_flags = SA_RESTART;
  // A hangup that is ignored was ignored on purpose, as nohup does.
  const bool is_ignored = relay.before[at].sa_handler == SIG_IGN;
  action.sa_handler = signal == SIGPIPE || signal == SIGXFSZ || (signal == SIGHUP && is_ignored)
                          ? SIG_IGN
                          : penstock_on_stop_signal;
  sigaction(signal, &action, nullptr);
}

// Leaves nothing to read.
void open_place(SignalPlace& place) {
  if (place.file < 0) place.file = eventfd(0, EFD_CLOEXEC);
  PENSTOCK_CHECK(place.file >= 0, "an eventfd can be had at the start of a worker");
  pollfd late{place.file, POLLIN, 0};
  std::uint64_t signals = 0;
  if (poll(&late, 1, 0) == 1) {
    [[maybe_unused]] const auto got = read(place.file, &signals, sizeof signals);
  }
  place.is_taken = true;
}

// Returns the eventfd to read.
int add_listener() {
  const std::lock_guard lock(relay.mutex);
  const auto free = std::find_if(relay.places.begin(), relay.places.end(),
                                 [](const SignalPlace& place) { return !place.is_taken; });
  PENSTOCK_CHECK(free != relay.places.end(), "at most 64 workers of a process handle signals");
  open_place(*free);
  if (relay.listeners++ == 0) {
    for (std::size_t at = 0; at < kTakenSignals.size(); ++at) take_over(at);
  }
  return free->file;
}

void remove_listener(int file) {
  const std::lock_guard lock(relay.mutex);
  for (SignalPlace& place : relay.places) {
    if (place.file == file) place.is_taken = false;
  }
  // The program's own handlers come back with the end of its last worker.
  if (--relay.listeners > 0) return;
  for (std::size_t at = 0; at < kTakenSignals.size(); ++at) {
    sigaction(kTakenSignals[at], &relay.before[at], nullptr);
  }
}

}  // namespace

// Threads that are created from here on inherit the blocked signals and are not interrupted; the
// thread below reads the signals instead. Threads that existed before may be interrupted.
StopSignals::StopSignals(std::chrono::milliseconds together) : together_(together) {
  const sigset_t set = stop_set();
  pthread_sigmask(SIG_BLOCK, &set, &mask_before_);
  pending_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  PENSTOCK_CHECK(pending_ >= 0, "a signalfd can be had at the start of a worker");
  arrivals_ = add_listener();
  thread_ = std::jthread([this] { wait(); });
}

StopSignals::~StopSignals() {
  [[maybe_unused]] const auto told = write(arrivals_, &kEnd, sizeof kEnd);
  thread_.join();
  remove_listener(arrivals_);
  close(pending_);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void StopSignals::on_first(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  action_ = std::move(action);
  // The signal may have come while the worker was still starting.
  if (came_) action_();
}

void StopSignals::wait() {
  std::array<pollfd, 2> sources{{{arrivals_, POLLIN, 0}, {pending_, POLLIN, 0}}};
  for (std::uint64_t signals = 0; signals < kEnd;) {
    poll(sources.data(), sources.size(), -1);
    tell_pending(pending_);
    if (sources[0].revents == 0) continue;
    if (read(arrivals_, &signals, sizeof signals) == sizeof signals) note(signals);
  }
}

void StopSignals::note(std::uint64_t signals) {
  const std::lock_guard lock(mutex_);
  std::uint64_t orders = signals % kEnd / kOrder;
  const auto now = std::chrono::steady_clock::now();
  if (orders > 0 && orders_ == 0) {
    first_order_at_ = now;
    if (together_.count() > 0) orders = 1;
  } else if (orders > 0 && now - first_order_at_ < together_) {
    orders = 0;
  }
  orders_ += orders;
  // A second order means that the operator does not want to wait for the graceful stop.
  if (orders_ > 1) ::_exit(1);
  if (signals % kEnd == 0 || std::exchange(came_, true)) return;
  if (action_) action_();
}

}  // namespace penstock
