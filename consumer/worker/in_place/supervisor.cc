#include "consumer/worker/in_place/supervisor.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "state/log/growing_pause.h"

namespace penstock {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kWrongUsage = 2;
constexpr int kSignalled = 128;  // as shells add it

int status_of(int ended) {
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : kSignalled + WTERMSIG(ended);
}

std::string described(int ended) {
  if (WIFEXITED(ended)) return "ended with status " + std::to_string(WEXITSTATUS(ended));
  const char* const name = sigdescr_np(WTERMSIG(ended));
  return "was ended by signal " + std::to_string(WTERMSIG(ended)) + " (" +
         (name ? name : "unknown") + ")";
}

bool has_crashed(int ended) {
  return !WIFEXITED(ended) ||
         (WEXITSTATUS(ended) != EXIT_SUCCESS && WEXITSTATUS(ended) != kWrongUsage);
}

class Supervising {
 public:
  explicit Supervising(const SupervisorSink& say) : say_(say) {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) {
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      // As nohup ignores a hangup. A blocked signal would arrive here all the same.
      if (signal != SIGHUP || action.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
    }
    // From here on, a signal waits until it is asked for.
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~Supervising() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Supervising(const Supervising&) = delete;
  Supervising& operator=(const Supervising&) = delete;

  std::optional<int> run() {
    while (true) {
      const SteadyTime started = std::chrono::steady_clock::now();
      if (begin()) return std::nullopt;
      if (worker_ > 0) await_end();
      if (is_stopping_ || !has_crashed(ended_)) return status_of(ended_);
      const auto pause = pause_after(started);
      say_("warning",
           "the worker " + described(ended_) + " and is started again" +
               (pause.count() > 0 ? " in " + std::to_string(pause.count()) + " ms" : ""));
      wait_for(pause);
      if (is_stopping_) return status_of(ended_);
    }
  }

 private:
  // True: this is the worker.
  bool begin() {
    const pid_t supervisor = getpid();
    worker_ = fork();
    if (worker_ < 0) {
      say_("error", std::string("the worker cannot be started: ") + std::strerror(errno));
      ended_ = EXIT_FAILURE << 8;  // as waitpid(2) tells it
    }
    if (worker_ != 0) return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The supervisor ended before the line above.
    if (getppid() != supervisor) _exit(EXIT_FAILURE);
    return true;
  }

  void await_end() {
    while (worker_ > 0) take(sigwaitinfo(&signals_, nullptr));
  }

  // Not positive: none has come.
  void take(int signal) {
    if (signal == SIGCHLD) return reap();
    if (signal <= 0) return;
    is_stopping_ = true;
    if (worker_ > 0) ::kill(worker_, signal);
  }

  // As the first process of a container, it gets children that it has not started.
  void reap() {
    int status = 0;
    for (pid_t child = 0; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (child != worker_) continue;
      worker_ = 0;
      ended_ = status;
    }
  }

  std::chrono::milliseconds pause_after(SteadyTime started) {
    if (std::chrono::steady_clock::now() - started < kSteadyWorkerAfter)
      return std::chrono::duration_cast<std::chrono::milliseconds>(pause_.failed());
    pause_.reset();
    return {};
  }

  // Or until it is to stop.
  void wait_for(std::chrono::milliseconds pause) {
    const SteadyTime until = std::chrono::steady_clock::now() + pause;
    while (!is_stopping_) {
      const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
          until - std::chrono::steady_clock::now());
      if (left.count() <= 0) return;
      const timespec most{.tv_sec = left.count() / 1'000'000'000,
                          .tv_nsec = left.count() % 1'000'000'000};
      take(sigtimedwait(&signals_, nullptr, &most));
    }
  }

  const SupervisorSink& say_;
  sigset_t signals_{}, before_{};
  pid_t worker_ = 0;
  int ended_ = 0;  // how the last worker has ended, as waitpid(2) tells it
  bool is_stopping_ = false;
  GrowingPause pause_{kFirstWorkerPause, kMaxWorkerPause};
};

}  // namespace

std::optional<int> supervise(const SupervisorSink& say) { return Supervising(say).run(); }

}  // namespace penstock
