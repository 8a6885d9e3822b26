#include "bench/rig/child.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/raw/stopwatch.h"

namespace penstock {
namespace {

constexpr double kPatienceSeconds = 60;
constexpr double kEndSeconds = 15;  // from SIGTERM to SIGKILL
constexpr int kLookEveryMs = 100;

[[noreturn]] void become_child(int output, const std::function<void()>& body) {
  // A benchmark that crashes runs no destructor, so the kernel ends the child.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDERR_FILENO);
  body();
  // Not exit(), which would run the destructors and handlers of the parent's copies.
  _exit(1);
}

}  // namespace

Result<std::unique_ptr<Child>> Child::fork_to(const std::function<void()>& body) {
  int ends[2];
  if (pipe(ends) != 0) return failure("cannot create a pipe: too many open files?");
  const pid_t pid = fork();
  if (pid == 0) become_child(ends[1], body);
  // As long as this end is open here, reading would not notice that the child has ended.
  close(ends[1]);
  if (pid > 0) return std::unique_ptr<Child>(new Child(pid, ends[0]));
  close(ends[0]);
  return failure("cannot create a process: too many processes?");
}

Result<std::unique_ptr<Child>> Child::run_self(const std::vector<std::string>& arguments) {
  return fork_to([&arguments] {
    std::vector<std::string> all{"penstock"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& argument : all) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv("/proc/self/exe", argv.data());
  });
}

Child::~Child() {
  kill(pid_, SIGTERM);
  const Stopwatch watch;
  while (waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (watch.seconds() > kEndSeconds) kill(pid_, SIGKILL);
    usleep(kLookEveryMs * 1000);
  }
  close(output_);
}

Status Child::wait_for(const std::string& word) {
  std::string text;
  const Stopwatch watch;
  while (watch.seconds() < kPatienceSeconds) {
    pollfd ready{output_, POLLIN, 0};
    if (poll(&ready, 1, kLookEveryMs) == 0) continue;
    char bytes[4096];
    const ssize_t got = read(output_, bytes, sizeof bytes);
    if (got <= 0) return failure("the process ended: " + text);
    text.append(bytes, static_cast<std::size_t>(got));
    if (text.find(word) != std::string::npos) return {};
  }
  return failure("the process did not say '" + word + "' in time: " + text);
}

}  // namespace penstock
