#include "consumer/handlers/process/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "consumer/handlers/process/guardian.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

struct Pipe {
  Fd read, write;
};

Result<Pipe> open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return failure(std::string("cannot create a pipe: ") + std::strerror(errno));
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

void set_nonblocking(const Fd& fd) {
  PENSTOCK_CHECK(fcntl(fd.get(), F_SETFL, O_NONBLOCK) == 0, "a pipe of ours is open");
}

// The next report. False: there is none, because of errno or (with 0) because there will be none.
bool read_report(int control, int flags, GuardianReport* report) {
  ssize_t got = 0;
  do {
    got = recv(control, report, sizeof *report, flags);
  } while (got < 0 && errno == EINTR);
  if (got == 0) errno = 0;
  return got == sizeof *report;
}

Status await_start(const Fd& control) {
  const timeval patience{.tv_sec = ChildProcess::kStartPatience.count(), .tv_usec = 0};
  setsockopt(control.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  GuardianReport report;
  if (!read_report(control.get(), 0, &report)) {
    return failure(errno == EAGAIN ? "its fork server does not answer"
                                   : "the fork server could not start a process");
  }
  if (report.kind == GuardianReport::Kind::kStarted) return {};
  return failure(std::strerror(report.value));
}

ExitStatus describe(int status) {
  if (status == GuardianReport::kNoStatus)
    return {false, "runs as another user and cannot be killed"};
  if (WIFEXITED(status)) return {false, "exit status " + std::to_string(WEXITSTATUS(status))};
  const int signal = WTERMSIG(status);
  const char* name = sigdescr_np(signal);
  return {signal == SIGKILL,
          "killed by signal " + std::to_string(signal) + " (" + (name ? name : "unknown") + ")"};
}

}  // namespace

Result<ChildProcess> ChildProcess::spawn(ForkServer& server) {
  Result<Pipe> pipes[] = {open_pipe(), open_pipe(), open_pipe()};
  for (const auto& pipe : pipes) {
    if (!pipe) return tl::unexpected(pipe.error());
  }
  auto& [in, out, err] = pipes;
  auto control = server.spawn(in->read.get(), out->write.get(), err->write.get());
  const Status started = control ? await_start(*control) : tl::unexpected(control.error());
  if (!started) return failure(server.argv()[0] + ": " + started.error().message);
  return ChildProcess(*std::move(control), std::move(in->write), std::move(out->read),
                      std::move(err->read));
}

ChildProcess::ChildProcess(Fd control, Fd in, Fd out, Fd err)
    : control_(std::move(control)), in_(std::move(in)), out_(std::move(out)), err_(std::move(err)) {
  set_nonblocking(in_);
  set_nonblocking(out_);
  set_nonblocking(err_);
}

ChildProcess::~ChildProcess() {
  if (!control_.is_open()) return;
  kill();
  GuardianReport report;
  while (read_report(control_.get(), 0, &report) || errno == EAGAIN) {
  }
}

// A guardian that is gone has ended everything, which the end of the socket shows.
void ChildProcess::tell(char command) const {
  [[maybe_unused]] const auto told = send(control_.get(), &command, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ChildProcess::terminate() const { tell(kTerminateChild); }
void ChildProcess::kill() const { tell(kKillChild); }

std::optional<ExitStatus> ChildProcess::reap() {
  GuardianReport report;
  // The guardian sends its last report only when everything that the child started is gone.
  if (read_report(control_.get(), MSG_DONTWAIT, &report)) {
    control_.close();
    return describe(report.value);
  }
  if (errno == EAGAIN) return std::nullopt;
  control_.close();
  // The socket has ended without a report. The fork server closes it only when what the guardian
  // left behind is gone.
  return ExitStatus{false, "its guardian was killed"};
}

}  // namespace penstock
