#include "consumer/handlers/process/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>

#include "consumer/handlers/process/open_files.h"
#include "consumer/handlers/process/own_children.h"

namespace penstock {
namespace {

constexpr int kCannotExec = 127;  // the status that shells use

// Runs between vfork and exec, in the guardian's memory: uses only system calls and must leave
// nothing changed.
[[noreturn]] void become_child(char* const* argv, pid_t guardian, int trouble) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool has_orphaned = getppid() != guardian;  // the guardian ended before the line above
  if (!has_orphaned && setpgid(0, 0) == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    restore_open_file_limit();
    execv(argv[0], argv);
  }
  const int error = errno;
  [[maybe_unused]] const auto told = write(trouble, &error, sizeof error);
  _exit(kCannotExec);
}

// Returns when the child has become its program or has failed to.
[[gnu::noinline]] pid_t start_child(char* const* argv, int trouble) {
  const pid_t guardian = getpid();
  const pid_t child = vfork();
  if (child == 0) become_child(argv, guardian, trouble);
  return child;
}

class Guardian {
 public:
  explicit Guardian(bool has_worker_file) : worker_(has_worker_file ? kWorkerFile : -1) {
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    signals_ = Fd(signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  [[noreturn]] void run(char* const* argv) {
    if (const int error = launch(argv)) {
      report(GuardianReport::Kind::kFailed, error);
      _exit(EXIT_SUCCESS);
    }
    report(GuardianReport::Kind::kStarted, child_);
    while (!is_to_end()) {
    }
    // Killing a process hands its children to the guardian, which is their subreaper: they are the
    // next generation.
    while (kill_generation()) wait_for_an_end();
    report(GuardianReport::Kind::kEnded, status_);
    _exit(EXIT_SUCCESS);
  }

 private:
  // The errno of a failure, or 0.
  int launch(char* const* argv) {
    int trouble[2];
    if (!signals_.is_open() || pipe2(trouble, O_CLOEXEC) != 0) return errno;
    const pid_t child = start_child(argv, trouble[1]);
    int error = child < 0 ? errno : 0;
    // The guardian's own end first: otherwise the read below would never see the end of the pipe.
    close(trouble[1]);
    if (child > 0 && read(trouble[0], &error, sizeof error) > 0) {
      waitpid(child, nullptr, 0);
    } else {
      child_ = child;
    }
    close(trouble[0]);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(stream);
    return error;
  }

  static void report(GuardianReport::Kind kind, std::int32_t value) {
    const GuardianReport report{kind, value};
    [[maybe_unused]] const auto told = send(kControlFile, &report, sizeof report, MSG_NOSIGNAL);
  }

  // Waits for an event; returns whether it is the end.
  bool is_to_end() {
    pollfd waits[] = {{kControlFile, POLLIN, 0}, {worker_, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    if (poll(waits, std::size(waits), -1) < 0) return false;
    // The worker has ended. Its child must not outlive it, whatever else has happened.
    if (waits[1].revents != 0) return true;
    if (waits[0].revents != 0 && !obey()) return true;
    if (waits[2].revents != 0) reap_ended();
    return child_ == 0;
  }

  // False: everything is to be ended.
  bool obey() const {
    char command = kKillChild;
    const ssize_t got = recv(kControlFile, &command, 1, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0 || command != kTerminateChild) return false;
    ::kill(-child_, SIGTERM);
    return true;
  }

  void reap_ended() {
    signalfd_siginfo info;
    while (read(signals_.get(), &info, sizeof info) > 0) {
    }
    int status = 0;
    for (pid_t ended = 0; (ended = reap_child(Wait::kLook, &status)) > 0;) note(ended, status);
  }

  void note(pid_t ended, int status) {
    if (ended != child_) return;
    child_ = 0;
    status_ = status;
  }

  // False: none is left, or none that may be killed.
  bool kill_generation() {
    // All at once, so that a process that keeps forking cannot escape. The group's number cannot be
    // reused before the child is reaped.
    if (child_ > 0) ::kill(-child_, SIGKILL);
    const auto killed = kill_children();
    if (!killed && child_ > 0) {
      ::kill(child_, SIGKILL);
      if (waitpid(child_, &status_, 0) == child_) child_ = 0;
    }
    return killed.value_or(0) > 0;
  }

  void wait_for_an_end() {
    int status = 0;
    pid_t ended = reap_child(Wait::kBlock, &status);
    for (; ended > 0; ended = reap_child(Wait::kLook, &status)) note(ended, status);
  }

  const int worker_;
  Fd signals_;
  pid_t child_ = 0;  // 0 once it has been reaped
  int status_ = GuardianReport::kNoStatus;
};

}  // namespace

void guard_child(char* const* argv, const GuardianFiles& files, bool has_worker_file,
                 bool has_held_file) {
  prctl(PR_SET_NAME, "handler-guard");
  // So that processes whose parent has ended become the guardian's children, where it finds them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const bool placed = dup2(files.in.get(), STDIN_FILENO) >= 0 &&
                      dup2(files.out.get(), STDOUT_FILENO) >= 0 &&
                      dup2(files.err.get(), STDERR_FILENO) >= 0 &&
                      dup3(files.control.get(), kControlFile, O_CLOEXEC) >= 0;
  if (!placed) _exit(EXIT_FAILURE);
  if (!has_worker_file) close(kWorkerFile);
  close_range(has_held_file ? kHeldFile + 1 : kHeldFile, ~0U, 0);
  Guardian(has_worker_file).run(argv);
}

}  // namespace penstock
