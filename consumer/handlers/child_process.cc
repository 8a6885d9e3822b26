#include "consumer/handlers/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "consumer/handlers/open_files.h"
#include "topics/check.h"

namespace penstock {
namespace {

constexpr int kAboveStandardStreams = 3;
constexpr int kCannotExec = 127;  // as shells have it

struct Pipe {
  Fd read, write;
};

// Both ends lie above the standard streams, whichever of those are closed in this process.
Result<Fd> moved_up(Fd fd) {
  if (fd.get() >= kAboveStandardStreams) return fd;
  Fd moved(fcntl(fd.get(), F_DUPFD_CLOEXEC, kAboveStandardStreams));
  if (!moved.is_open()) return failure(std::string("no pipe: ") + std::strerror(errno));
  return moved;
}

Result<Pipe> open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failure(std::string("no pipe: ") + std::strerror(errno));
  auto read = moved_up(Fd(ends[0]));
  auto write = moved_up(Fd(ends[1]));
  if (!read) return tl::unexpected(read.error());
  if (!write) return tl::unexpected(write.error());
  return Pipe{*std::move(read), *std::move(write)};
}

void set_nonblocking(const Fd& fd) {
  PENSTOCK_CHECK(fcntl(fd.get(), F_SETFL, O_NONBLOCK) == 0, "a pipe of ours is open");
}

struct Launch {
  char* const* argv;
  int in, out, err, trouble;
  pid_t parent;
};

// Runs between vfork and exec, in the parent's memory: only system calls, nothing is left changed.
[[noreturn]] void become(const Launch& launch) {
  struct sigaction fallback = {};
  fallback.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &fallback, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool has_orphaned = getppid() != launch.parent;  // the parent died before the line above
  if (!has_orphaned && setpgid(0, 0) == 0 && dup2(launch.in, STDIN_FILENO) >= 0 &&
      dup2(launch.out, STDOUT_FILENO) >= 0 && dup2(launch.err, STDERR_FILENO) >= 0) {
    close_range(kAboveStandardStreams, ~0U, CLOSE_RANGE_CLOEXEC);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    restore_open_file_limit();  // the child's own: only memory is the parent's
    execv(launch.argv[0], launch.argv);
  }
  const int error = errno;
  [[maybe_unused]] const auto told = write(launch.trouble, &error, sizeof error);
  _exit(kCannotExec);
}

// vfork does not copy the page tables of a process that may hold gigabytes.
[[gnu::noinline]] pid_t launch(const Launch& launch) {
  const pid_t pid = vfork();
  if (pid == 0) become(launch);
  return pid;
}

// No signal may run a handler of ours in the child, which shares our memory.
pid_t launch_with_signals_blocked(const Launch& what) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t pid = launch(what);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

std::vector<char*> c_words(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

ExitStatus describe(int status) {
  if (WIFEXITED(status)) return {false, "exit status " + std::to_string(WEXITSTATUS(status))};
  const int signal = WTERMSIG(status);
  const char* name = sigdescr_np(signal);
  return {signal == SIGKILL,
          "killed by signal " + std::to_string(signal) + " (" + (name ? name : "unknown") + ")"};
}

}  // namespace

// glibc 2.36 declares pidfd_open for C only.
Fd open_pidfd(pid_t pid) { return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

Result<ChildProcess> ChildProcess::spawn(const std::vector<std::string>& argv) {
  PENSTOCK_CHECK(!argv.empty() && argv[0].starts_with('/'),
                 "the config checks that it is absolute");
  Result<Pipe> pipes[] = {open_pipe(), open_pipe(), open_pipe(), open_pipe()};
  for (const auto& pipe : pipes) {
    if (!pipe) return tl::unexpected(pipe.error());
  }
  auto& [in, out, err, trouble] = pipes;
  const auto words = c_words(argv);
  const pid_t pid = launch_with_signals_blocked({words.data(), in->read.get(), out->write.get(),
                                                 err->write.get(), trouble->write.get(), getpid()});
  if (pid < 0) return failure(argv[0] + ": no process: " + std::strerror(errno));
  trouble->write.close();
  ChildProcess child(pid, std::move(in->write), std::move(out->read), std::move(err->read));
  int error = 0;
  if (read(trouble->read.get(), &error, sizeof error) > 0) {
    return failure(argv[0] + ": " + std::strerror(error));
  }
  return child;
}

ChildProcess::ChildProcess(pid_t pid, Fd in, Fd out, Fd err)
    : pid_(pid),
      in_(std::move(in)),
      out_(std::move(out)),
      err_(std::move(err)),
      pidfd_(open_pidfd(pid)) {
  PENSTOCK_CHECK(pidfd_.is_open(),
                 "pidfd_open failed: Linux 5.11 and free file descriptors are needed");
  set_nonblocking(in_);
  set_nonblocking(out_);
  set_nonblocking(err_);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      pidfd_(std::move(other.pidfd_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ == 0) return;
  signal(SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::signal(int signal) const {
  if (pid_ == 0) return;
  ::kill(-pid_, signal);
  ::kill(pid_, signal);  // the group is not there yet when it failed before exec
}

std::optional<ExitStatus> ChildProcess::reap() {
  siginfo_t info = {};
  const int peeked = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (peeked != 0 || info.si_pid == 0) return std::nullopt;
  ::kill(-pid_, SIGKILL);  // while the zombie keeps the group's number from being used again
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  return describe(status);
}

}  // namespace penstock
