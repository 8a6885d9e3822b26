#include "consumer/handlers/process/spawn_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>

#include "consumer/config/handler_spec.h"
#include "consumer/handlers/process/guardian.h"
#include "consumer/handlers/process/own_children.h"
#include "consumer/handlers/process/passed_files.h"
#include "consumer/handlers/process/pidfd.h"

namespace penstock {
namespace {

// Twice the number of children, because a child is replaced before its guardian has been reaped.
constexpr std::size_t kMaxGuardians = 2 * kMaxChildren;
constexpr int kSocketFile = kControlFile;  // a guardian replaces it by its own

class SpawnLoop {
 public:
  SpawnLoop(char* const* argv, bool has_worker_file, bool has_held_file)
      : argv_(argv), worker_(has_worker_file ? kWorkerFile : -1), has_held_file_(has_held_file) {
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    signals_ = Fd(signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  [[noreturn]] void run() {
    if (!signals_.is_open()) _exit(EXIT_FAILURE);
    while (!is_ending_ || count_ > 0) step();
    _exit(EXIT_SUCCESS);
  }

 private:
  void step() {
    pollfd waits[] = {{is_ending_ ? -1 : kSocketFile, POLLIN, 0},
                      {is_ending_ ? -1 : worker_, POLLIN, 0},
                      {signals_.get(), POLLIN, 0}};
    if (poll(waits, std::size(waits), -1) < 0) return;
    if (waits[2].revents != 0) reap();
    if (waits[1].revents != 0) is_ending_ = true;
    if (waits[0].revents != 0) take_spawn();
  }

  // If the spawn is not possible, the end of the control socket tells so.
  void take_spawn() {
    std::array<Fd, 4> files;
    const Received received = receive_files(kSocketFile, files);
    if (received == Received::kEnd) is_ending_ = true;
    if (received != Received::kFiles || count_ == kMaxGuardians) return;
    auto& [in, out, err, control] = files;
    GuardianFiles passed{std::move(in), std::move(out), std::move(err), std::move(control)};
    const pid_t guardian = fork();
    if (guardian == 0) guard_child(argv_, passed, worker_ >= 0, has_held_file_);
    if (guardian < 0) return;
    guardians_[count_] = guardian;
    controls_[count_++] = std::move(passed.control);
  }

  // The control socket of a killed guardian stays open until everything that it left behind is
  // gone; only then has its child ended from the worker's point of view.
  void reap() {
    signalfd_siginfo info;
    while (read(signals_.get(), &info, sizeof info) > 0) {
    }
    int status = 0;
    for (pid_t ended = 0; (ended = reap_child(Wait::kLook, &status)) > 0;) note(ended, status);
    if (killed_ > 0 && kill_children(std::span(guardians_).first(count_)).value_or(0) == 0) {
      while (const auto at = place_of(0)) forget(*at);
      killed_ = 0;
    }
  }

  void note(pid_t ended, int status) {
    const auto at = place_of(ended);
    if (!at) return;
    // A guardian that exits by itself has ended everything. One that was killed may have left
    // processes, which are then this process's children.
    if (WIFEXITED(status)) return forget(*at);
    guardians_[*at] = 0;
    ++killed_;
  }

  std::optional<std::size_t> place_of(pid_t guardian) const {
    for (std::size_t at = 0; at < count_; ++at) {
      if (guardians_[at] == guardian) return at;
    }
    return std::nullopt;
  }

  void forget(std::size_t at) {
    --count_;
    guardians_[at] = guardians_[count_];
    controls_[at] = std::move(controls_[count_]);
    controls_[count_].close();
  }

  char* const* const argv_;
  const int worker_;
  const bool has_held_file_;
  Fd signals_;
  bool is_ending_ = false;
  std::size_t count_ = 0;
  std::array<pid_t, kMaxGuardians> guardians_{};  // 0: killed
  std::array<Fd, kMaxGuardians> controls_;
  int killed_ = 0;
};

// Only these of the worker's files may stay open here: neither its standard streams, whose readers
// wait for their end, nor its connections. Returns whether the held file is open.
bool close_files_of_worker(const SpawnFiles& files) {
  // Out of the way of the numbers that are about to be replaced.
  const int socket = fcntl(files.socket, F_DUPFD_CLOEXEC, kHeldFile + 1);
  const int held = files.held < 0 ? -1 : fcntl(files.held, F_DUPFD_CLOEXEC, kHeldFile + 1);
  // A lock must never be free while something runs that was to hold it.
  if (socket < 0 || (files.held >= 0 && held < 0)) _exit(EXIT_FAILURE);
  dup3(socket, kSocketFile, O_CLOEXEC);
  // Passed on through exec.
  if (held >= 0) dup2(held, kHeldFile);
  close(kWorkerFile);
  close_range(held >= 0 ? kHeldFile + 1 : kHeldFile, ~0U, 0);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    dup2(null >= 0 ? null : kSocketFile, stream);
  }
  if (null > STDERR_FILENO) close(null);
  return held >= 0;
}

void reset_signals() {
  struct sigaction fallback = {};
  fallback.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &fallback, nullptr);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

void serve_spawns(const SpawnFiles& files, pid_t worker, char* const* argv) {
  reset_signals();
  prctl(PR_SET_NAME, "handler-server");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setpgid(0, 0);  // a signal to the worker's group, such as Ctrl-C, must not end the guardians
  const bool has_held_file = close_files_of_worker(files);
  const Fd worker_file = open_pidfd(worker);
  // the worker is gone, and its process id may have been reused
  if (getppid() != worker) _exit(EXIT_SUCCESS);
  SpawnLoop(argv, worker_file.get() == kWorkerFile, has_held_file).run();
}

}  // namespace penstock
